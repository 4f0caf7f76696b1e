// Messages of the office. They stay until the driver has read them, also when the page is loaded anew.

import { phrase } from '../assets/language.js';
import { element } from '../assets/page.js';

const KEPT = 'kerbside.bus.notices';

export class Notices {
  /** @type {{ notice: string, text: string }[]} */
  #open = JSON.parse(localStorage.getItem(KEPT) ?? '[]');

  /**
   * @param {import('../assets/kerbside/kerbside.js').Kerbside} hub
   * @param {(text: string, isSilent: boolean) => void} told
   */
  constructor(hub, told) {
    hub.on('notice', ({ notice, text, silent }) => {
      if (this.#open.some((one) => one.notice === notice)) return;
      this.#keep([...this.#open, { notice, text }]);
      told(text, Boolean(silent));
    });
  }

  /** @param {{ notice: string, text: string }[]} open */
  #keep(open) {
    this.#open = open;
    localStorage.setItem(KEPT, JSON.stringify(open));
  }

  view() {
    return this.#open.map(({ notice, text }) => {
      const read = element('button', { type: 'button', className: 'second' }, phrase('bus.read'));
      read.addEventListener('click', () => this.#keep(this.#open.filter((one) => one.notice !== notice)));
      const row = element(
        'section',
        { className: 'card notice', role: 'status' },
        element('h2', {}, phrase('bus.notice')),
        element('p', {}, text),
        read,
      );
      row.setAttribute('data-key', notice);
      return row;
    });
  }
}
