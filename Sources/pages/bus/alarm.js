// The driver calls the office for help.

import { sure } from '../assets/ask.js';
import { phrase } from '../assets/language.js';
import { byId, element } from '../assets/page.js';
import { content } from './morph.js';

/** How the alarm stands, for a page that is loaded anew. */
const KEPT = 'kerbside.bus.sos';

export class Alarm {
  #hub;
  #place;
  /**
   * As the hub said it last.
   * @type {{ sos: string, state: string, cancelled: boolean, watching: number } | undefined}
   */
  #alarm = JSON.parse(localStorage.getItem(KEPT) ?? 'null') ?? undefined;

  /**
   * @param {import('../assets/kerbside/kerbside.js').Kerbside} hub
   * @param {() => { lat: number, lon: number } | undefined} place where the bus is
   */
  constructor(hub, place) {
    this.#hub = hub;
    this.#place = place;
    for (const state of /** @type {const} */ (['acknowledged', 'closed'])) {
      hub.on(`sos.${state}`, ({ sos }) => {
        if (this.#alarm && sos === this.#alarm.sos) this.#keep({ ...this.#alarm, state });
      });
    }
    // Also of an alarm that was raised before the page was loaded anew.
    hub.on('outcome', ({ cmd, ok }) => {
      if (ok && (cmd === 'sos' || cmd === 'sos.cancel')) this.#keep(ok);
    });
    const button = element('button', { type: 'button', className: 'sos' }, phrase('bus.sos'));
    button.addEventListener('click', () => this.#raise());
    byId('help').append(button);
  }

  /** @param {any} alarm */
  #keep(alarm) {
    this.#alarm = alarm;
    localStorage.setItem(KEPT, JSON.stringify(alarm ?? null));
    this.draw();
  }

  async #raise() {
    if (!(await sure(phrase('bus.sos.ask'), [phrase('bus.sos.then')], phrase('bus.sos.yes')))) return;
    const place = this.#place();
    this.#hub.call('sos', place ? { lat: place.lat, lon: place.lon } : {});
    this.draw();
  }

  async #cancel() {
    if (!(await sure(phrase('bus.sos.cancel.ask'), [phrase('bus.sos.cancel.then')], phrase('bus.sos.cancel')))) return;
    this.#hub.call('sos.cancel', {});
  }

  #words() {
    if (this.#hub.pending.some((one) => one.cmd === 'sos')) return phrase('bus.sos.sending');
    if (!this.#alarm) return undefined;
    if (this.#alarm.state === 'closed') return phrase('bus.sos.closed');
    if (this.#alarm.cancelled) return phrase('bus.sos.cancelled');
    if (this.#alarm.state === 'acknowledged') return phrase('bus.sos.seen');
    return phrase(this.#alarm.watching ? 'bus.sos.open' : 'bus.sos.nobody');
  }

  draw() {
    const words = this.#words();
    const rows = words ? [element('p', { className: 'alarm' }, words)] : [];
    if (words && this.#alarm && this.#alarm.state === 'closed') rows.push(this.#button('bus.read', () => this.#keep(undefined)));
    else if (this.#alarm && !this.#alarm.cancelled) rows.push(this.#button('bus.sos.cancel', () => this.#cancel()));
    content(byId('alarm'), rows);
  }

  /** @param {string} words @param {() => void} act */
  #button(words, act) {
    const button = element('button', { type: 'button', className: 'second' }, phrase(words));
    button.setAttribute('data-key', words);
    button.addEventListener('click', act);
    return button;
  }
}
