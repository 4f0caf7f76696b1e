// Who is in danger. An alarm stands above everything, red, and sounds until somebody says that they look after it; then it stays,
// without sound, until it is closed.

import { phrase, say } from '../assets/language.js';
import { element, explained } from '../assets/page.js';
import { REASON, ago, askFirst, button, hub, refill, tell, time, way } from './desk.js';
import { Siren } from './siren.js';

/** @typedef {import('../assets/kerbside/messages').Alarm} Alarm */

/**
 * A card, what it shows, and how long ago that is.
 * @typedef {{ alarm: Alarm, shown: string, card: HTMLElement, age: HTMLElement }} Drawn
 */

/** By so much the clock of this device may be wrong about the hub's, ms. */
const MARGIN = 3000;

export class Alarms {
  /** @type {Map<string, Alarm>} those that are not closed */
  #open = new Map();
  /** @type {Map<string, Drawn>} those of them that are to be seen */
  #drawn = new Map();
  #siren = new Siren(() => this.#draw());
  #sound = button(phrase('control.sos.sound'), () => this.#wake(), 'sound');
  #ringing = element('div', { className: 'ringing' });
  #taken = element('div');
  #map;
  #title = document.title;
  /** When the list was asked for, by the hub's clock. */
  #asOf = 0;
  /** The link has ended: what goes on is not known here, and nothing can be done about it. */
  #isOver = false;

  /** @param {HTMLElement} area @param {import('../assets/map.js').CityMap} map */
  constructor(area, map) {
    area.append(this.#ringing, this.#taken);
    this.#map = map;
    setInterval(() => this.#grow(), 10_000);
  }

  /** As it is now; what comes after is told on `office`. */
  async load() {
    try {
      const now = hub.time;
      const { alarms } = await hub.call('sos.list', {});
      this.#asOf = now - MARGIN;
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
    }
    this.#draw();
  }

  /** There is no link any more, and none will come. The cards stay as they are. */
  end() {
    this.#isOver = true;
    this.#draw();
  }

  async #wake() {
    await this.#siren.wake();
    if (this.#siren.isMute) tell(phrase('control.sos.mute'));
  }

  #draw() {
    const later = (/** @type {Alarm} */ { state }) => Number(state !== 'open');
    const all = [...this.#open.values()].sort((a, b) => later(a) - later(b) || b.at - a.at);
    const ringing = all.filter(({ state }) => state === 'open');
    const isRinging = ringing.length > 0 && !this.#isOver;
    this.#siren.set(isRinging);
    document.title = isRinging ? `${say('control.sos')} · ${this.#title}` : this.#title;
    for (const id of this.#drawn.keys()) {
      if (this.#open.has(id)) continue;
      this.#drawn.delete(id);
      this.#map.remove(`alarm:${id}`);
    }
    const sound = isRinging && this.#siren.isMute ? [this.#sound] : [];
    const isAtSound = document.activeElement === this.#sound;
    refill(this.#ringing, [...sound, ...ringing.map((alarm) => this.#card(alarm))]);
    // Who has turned the sound on by the keyboard is at the first alarm; at none of its buttons, which a key held down would press.
    if (isAtSound && !this.#sound.isConnected) this.#ringing.querySelector('h2')?.focus();
    refill(this.#taken, all.filter(({ state }) => state !== 'open').map((alarm) => this.#card(alarm)));
  }

  /** Time goes on. */
  #grow() {
    for (const { alarm, age } of this.#drawn.values()) age.replaceChildren(ago(alarm.at));
  }

  /**
   * The one that is there, unless it has to say something else: an alarm that rings once more, or whose sender has moved, says the same.
   * @param {Alarm} alarm
   */
  #card(alarm) {
    const { sos, position } = alarm;
    const known = this.#drawn.get(sos);
    if (known?.alarm === alarm) return known.card;
    const pin = `alarm:${sos}`;
    if (position) this.#map.marker(pin, { lat: position.lat, lon: position.lon, label: say('control.sos.place'), kind: 'alarm' });
    else this.#map.remove(pin);
    const shown = JSON.stringify({ ...alarm, rings: 0, presses: 0, position: Boolean(position) });
    if (known?.shown === shown) {
      known.alarm = alarm;
      return known.card;
    }
    const made = this.#make(alarm);
    this.#drawn.set(sos, { alarm, shown, ...made });
    return made.card;
  }

  /** @param {Alarm} alarm */
  #make(alarm) {
    const { sos, state, role, subject, at, text, position, acknowledged } = alarm;
    const age = element('span', {}, ago(at));
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
      this.#keyed(`head:${sos}`, element('h2', { tabIndex: -1 }, element('span', { className: 'word' }, phrase('control.sos')), ' ', who)),
      element('p', {}, time(at), ' · ', age, ...bits.flatMap((bit) => [' · ', /** @type {Node | string} */ (bit)])),
      text ? element('blockquote', {}, text) : '',
      alarm.cancelled ? element('p', {}, phrase('control.sos.cancelled', { time: time(alarm.cancelled) })) : '',
      acknowledged ? element('p', {}, taken, ` ${acknowledged.note ?? ''}`) : '',
      element(
        'div', { className: 'acts' },
        isOpen ? this.#keyed(`ack:${sos}`, button(phrase('control.sos.take'), () => this.#take(sos), 'take')) : '',
        isOpen ? '' : this.#keyed(`close:${sos}`, button(phrase('control.sos.close'), () => this.#close(alarm))),
        position ? this.#keyed(`look:${sos}`, button(phrase('control.look'), () => this.#look(sos))) : '',
      ),
    );
    card.setAttribute('role', isOpen ? 'alert' : 'region');
    return { card, age };
  }

  /**
   * Where its sender is now.
   * @param {string} sos
   */
  #look(sos) {
    const position = this.#open.get(sos)?.position;
    if (position) this.#map.look(position, 16);
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
    // Touched twice, or while there is no link.
    if (hub.pending.some(({ cmd, fields }) => cmd === 'sos.acknowledge' && fields.sos === sos)) return;
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
