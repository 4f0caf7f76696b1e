// Who is in danger. An alarm stands above everything, red, and sounds until somebody says that they look after it; then it stays,
// without sound, until it is closed.

import { phrase, say } from '../assets/language.js';
import { element, explained } from '../assets/page.js';
import { REASON, ago, askFirst, button, hub, refill, tell, time, way } from './desk.js';
import { Siren } from './siren.js';

/** @typedef {import('../assets/kerbside/messages').Alarm} Alarm */

/** By so much the clock of this device may be wrong about the hub's, ms. */
const MARGIN = 3000;

export class Alarms {
  /** @type {Map<string, Alarm>} those that are not closed */
  #open = new Map();
  #siren = new Siren(() => this.#draw());
  #ringing = element('div', { className: 'ringing' });
  #taken = element('div');
  #map;
  #title = document.title;
  /** When the list was asked for, by the hub's clock. */
  #asOf = 0;

  /** @param {HTMLElement} area @param {import('../assets/map.js').CityMap} map */
  constructor(area, map) {
    area.append(this.#ringing, this.#taken);
    this.#map = map;
    setInterval(() => this.#open.size && this.#draw(), 10_000);
  }

  /** As it is now; what comes after is told on `office`. */
  async load() {
    try {
      const now = hub.time;
      const { alarms } = await hub.call('sos.list', {});
      this.#asOf = now - MARGIN;
      for (const id of this.#open.keys()) this.#map.remove(`alarm:${id}`);
      this.#open = new Map(alarms.map((one) => [one.sos, one]));
      this.#draw();
    } catch (error) {
      tell(explained(error));
    }
  }

  /** @param {string} type @param {any} data @param {number} at */
  apply(type, data, at) {
    // What is read again from the history is in the list already.
    if (at < this.#asOf) return;
    const known = this.#open.get(data.sos);
    if (type === 'sos.raised' || type === 'sos.updated') {
      if (!known || known.rings <= data.rings) this.#open.set(data.sos, data);
    } else if (type === 'sos.acknowledged' && known) {
      this.#open.set(data.sos, { ...known, state: 'acknowledged', acknowledged: { by: data.by, at: data.at, note: data.note } });
    } else if (type === 'sos.closed') {
      this.#open.delete(data.sos);
      this.#map.remove(`alarm:${data.sos}`);
    }
    this.#draw();
  }

  #draw() {
    const later = (/** @type {Alarm} */ { state }) => Number(state !== 'open');
    const all = [...this.#open.values()].sort((a, b) => later(a) - later(b) || b.at - a.at);
    const ringing = all.filter(({ state }) => state === 'open');
    this.#siren.set(ringing.length > 0);
    document.title = ringing.length ? `${say('control.sos')} · ${this.#title}` : this.#title;
    for (const { sos, position } of all) {
      if (!position) continue;
      const { lat, lon } = position;
      this.#map.marker(`alarm:${sos}`, { lat, lon, label: say('control.sos.place'), kind: 'alarm' });
    }
    const isMute = ringing.length > 0 && this.#siren.isMute;
    const sound = isMute ? [button(phrase('control.sos.sound'), () => this.#siren.wake(), 'sound')] : [];
    refill(this.#ringing, [...sound, ...ringing.map((alarm) => this.#card(alarm))]);
    refill(this.#taken, all.filter((one) => !ringing.includes(one)).map((alarm) => this.#card(alarm)));
  }

  /** @param {Alarm} alarm */
  #card(alarm) {
    const { sos, state, role, subject, at, text, position, acknowledged } = alarm;
    const { ride, booking, tour, line, vehicle, driver, passenger } = alarm;
    const isOpen = state === 'open';
    const who = element('strong', {}, phrase(`control.role.${role}`), ` ${subject}`);
    const bits = [
      vehicle && vehicle !== subject && phrase('control.vehicle.of', { vehicle }),
      passenger && passenger !== subject && phrase('control.passenger.of', { passenger }),
      line && phrase('line', { line }), booking, tour,
      driver && role !== 'bus_driver' && way(`#driver/${encodeURIComponent(driver)}`, phrase('control.driver.of', { driver })),
      ride && way(`#ride/${encodeURIComponent(ride)}`, phrase('control.ride.of', { ride })),
    ].filter((one) => typeof one === 'string' ? one : one instanceof Node);
    const taken = acknowledged ? phrase('control.sos.by', { who: acknowledged.by, time: time(acknowledged.at) }) : '';
    const card = element(
      'section', { className: `sos ${state}`, ariaLabel: `${say('control.sos')} ${subject}` },
      element('h2', {}, element('span', { className: 'word' }, phrase('control.sos')), ' ', who),
      element('p', {}, time(at), ' · ', ago(at), ...bits.flatMap((bit) => [' · ', /** @type {Node | string} */ (bit)])),
      text ? element('blockquote', {}, text) : '',
      alarm.cancelled ? element('p', {}, phrase('control.sos.cancelled', { time: time(alarm.cancelled) })) : '',
      acknowledged ? element('p', {}, taken, ` ${acknowledged.note ?? ''}`) : '',
      element(
        'div', { className: 'acts' },
        isOpen ? this.#keyed(`ack:${sos}`, button(phrase('control.sos.take'), () => this.#take(sos), 'take')) : '',
        isOpen ? '' : this.#keyed(`close:${sos}`, button(phrase('control.sos.close'), () => this.#close(alarm))),
        position ? this.#keyed(`look:${sos}`, button(phrase('control.look'), () => this.#map.look(position, 16))) : '',
      ),
    );
    card.setAttribute('role', isOpen ? 'alert' : 'region');
    return card;
  }

  /** @param {string} key @param {HTMLElement} made */
  #keyed(key, made) {
    made.dataset.key = key;
    return made;
  }

  /**
   * At once: who looks after it does not fill in a form first.
   * @param {string} sos
   */
  async #take(sos) {
    try {
      await hub.call('sos.acknowledge', { sos });
      await this.load();
    } catch (error) {
      tell(explained(error));
    }
  }

  /** @param {Alarm} alarm */
  #close({ sos, subject }) {
    askFirst({
      title: phrase('control.sos.close'),
      text: phrase('control.sos.close.ask', { subject }),
      verb: phrase('control.sos.close'),
      fields: [{ ...REASON, name: 'note', label: phrase('control.sos.note') }],
      send: async ({ note }) => {
        await hub.call('sos.close', { sos, note });
        await this.load();
      },
      done: phrase('control.sos.closed'),
    });
  }
}
