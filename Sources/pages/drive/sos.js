// Help: the office is called, and nobody else learns of it. It asks first, as it lies where it can be reached.

import { ask } from '../assets/ask.js';
import { clock, phrase } from '../assets/language.js';
import { byId, element } from '../assets/page.js';

/** Without an answer of the hub for so long a telephone is the better way, ms. */
const LONG = 5000;

export class Alarm {
  /** @type {{ at: number, isTold: boolean, watching: number, isSeen: boolean, isOff: boolean } | undefined} */
  #open;
  #hub;
  #where;
  #changed;

  /**
   * @param {import('../assets/kerbside/kerbside.js').Kerbside} hub
   * @param {() => import('./place.js').Fix | undefined} where
   * @param {() => void} changed
   */
  constructor(hub, where, changed) {
    this.#hub = hub;
    this.#where = where;
    this.#changed = changed;
    byId('sos').hidden = false;
    byId('sos').addEventListener('click', () => this.#ask());
    hub.on('sos.acknowledged', () => this.#update({ isSeen: true }));
    hub.on('sos.closed', () => this.#close());
    hub.on('outcome', ({ cmd, ok }) => {
      if (cmd === 'sos' && ok) this.#update({ isTold: true, watching: ok.watching, isSeen: ok.state === 'acknowledged', isOff: false });
      if (cmd === 'sos.cancel' && ok) this.#update({ isOff: true });
    });
  }

  #close() {
    this.#open = undefined;
    this.#changed();
  }

  /** @param {Partial<NonNullable<Alarm['state']>>} more */
  #update(more) {
    this.#open = { at: this.#hub.time, isTold: true, watching: 1, isSeen: false, isOff: false, ...this.#open, ...more };
    this.#changed();
  }

  get state() {
    return this.#open;
  }

  /** One quiet line: who looks over the driver's shoulder need not see an alarm. */
  line() {
    if (!this.#open) return [];
    const { at, isTold, watching, isSeen, isOff } = this.#open;
    const isLate = !isTold && this.#hub.time - at > LONG;
    const word = isOff ? 'drive.sos.off' : isSeen ? 'drive.sos.seen' : isLate ? 'drive.sos.late' : !isTold ? 'drive.sos.sending'
      : watching ? 'drive.sos.told' : 'drive.sos.nobody';
    const call = isLate || (isTold && !watching && !isSeen && !isOff) ? [' ', this.#telephone('')] : [];
    return [element('p', { className: 'soft' }, phrase(word, { time: clock(at) }), ...call)];
  }

  /** @param {string} className */
  #telephone(className) {
    return element('a', { className, href: 'tel:112' }, phrase('drive.sos.call'));
  }

  async #ask() {
    const off = { value: 'off', label: phrase('drive.sos.cancel'), className: 'second' };
    const answer = await ask(
      phrase('drive.sos.title'),
      [element('p', {}, phrase('drive.sos.text')), ...this.line(), this.#telephone('button second wide')],
      [
        { value: '', label: phrase('back'), className: 'second' },
        ...(this.#open && !this.#open.isOff ? [off] : []),
        { value: 'send', label: phrase(this.#open ? 'drive.sos.again' : 'drive.sos.send'), className: 'danger' },
      ],
    );
    if (answer === 'off') return void this.#hub.call('sos.cancel', {});
    if (answer !== 'send') return undefined;
    const fix = this.#where();
    this.#update({ at: this.#hub.time, isTold: false, isOff: false });
    return void this.#hub.call('sos', fix ? { lat: fix.lat, lon: fix.lon } : {});
  }
}
