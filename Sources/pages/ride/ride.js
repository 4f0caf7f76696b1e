// The page of passengers: a taxi now or later, or seats in a minibus; until the trip is rated.

import { keep, tellWhenClosed } from '../assets/closed.js';
import { localStore } from '../assets/kerbside/kerbside.js';
import { phrase, say } from '../assets/language.js';
import { byId, connect, element, linkState } from '../assets/page.js';
import { signedIn } from '../assets/sign-in.js';
import { alarm, toldOf } from './alarm.js';
import { Ground } from './ground.js';
import { apply, soundOf, unknown } from './journey.js';
import { Kept } from './kept.js';
import { newDraft, orderView } from './order.js';
import { overView } from './over.js';
import { drawMenu } from './menu.js';
import { plannedView, tripView, tripsView } from './trips.js';
import { sendingView, waitView } from './wait.js';
import { nameBy, whereView } from './where.js';
import { textOf } from './words.js';

/**
 * What is on the screen. `update` draws what changes while it is there.
 * @typedef {{ title: Node | string, nodes: (Node | string)[], update: () => void, close: () => void,
 *   paid?: (trip: string) => void }} View
 */

const ASKS = ['ride.request', 'seat.request', 'seat.book'];

export class App {
  kept;
  hub;
  ground = new Ground();
  journey = unknown();
  draft = newDraft(Date.now());
  /**
   * Why the last wish was refused.
   * @type {any}
   */
  problem;
  /**
   * Where the device believes to be, if that must be confirmed.
   * @type {import('./kept.js').Place & { accuracy: number } | undefined}
   */
  unsure;
  /**
   * When the link was lost, device's time.
   * @type {number | undefined}
   */
  lostAt;
  /** @type {View | undefined} */
  #view;
  #key = '';
  /** A person went somewhere: what is new gets the focus. */
  #isGoing = true;

  /** @param {string} who */
  constructor(who) {
    this.kept = new Kept(who);
    nameBy(() => this.kept.favourites);
    this.hub = connect(localStore('kerbside.ride:'), (state) => this.#linkWords(state), 'passenger');
    const { asked } = this.kept;
    const isOpen = asked && !asked.id && !asked.isDone;
    if (isOpen && ASKS.includes(asked.cmd)) this.refill(asked.cmd === 'ride.request' ? 'now' : 'seats');
  }

  start() {
    const { hub } = this;
    hub.on(/** @type {any} */ ('*'), (/** @type {any} */ data, /** @type {any} */ message) => this.#hears(data, message));
    hub.on('outcome', (outcome) => this.#answered(outcome));
    hub.on('vehicles', () => this.draw());
    hub.on('state', ({ state }) => {
      if (state === 'live') this.lostAt = undefined;
      else if (this.journey.isKnown) this.lostAt ??= Date.now();
      // Sent or waiting: that is said in other words.
      if (this.#key.startsWith('sending')) this.#key = '';
      this.draw();
    });
    addEventListener('hashchange', () => {
      this.#isGoing = true;
      this.#key = '';
      this.draw();
    });
    this.ground.open(() => this.draft.from ?? this.kept.asked?.from).then(() => this.draw());
    setInterval(() => this.draw(), 5000);
    this.draw();
    tellWhenClosed(hub);
  }

  /** @param {string} state */
  #linkWords(state) {
    return state === 'live' || state === 'connecting' ? linkState(state) : phrase(`ride.link.${state}`);
  }

  // What people do

  /** @param {string} hash of a view */
  go(hash) {
    if (location.hash.slice(1) !== hash) location.hash = hash;
    else this.rebuild();
  }

  /**
   * Asks for a taxi, a reservation or seats; it waits on the device while there is no link.
   * @param {string} cmd @param {any} fields
   */
  ask(cmd, fields) {
    const { from, to, payment } = this.draft;
    this.problem = undefined;
    this.journey = { ...this.journey, over: undefined };
    this.kept.ended = undefined;
    this.kept.asked = { cmd, from, to, passengers: fields.passengers, needs: fields.needs, payment, at: Date.now() };
    this.act(cmd, fields);
    if (cmd === 'reservation.make') this.go('planned');
    else this.go('');
  }

  /** @param {any} cmd @param {any} fields */
  act(cmd, fields) {
    this.problem = undefined;
    this.hub.call(cmd, fields).catch(() => {});
    this.draw();
  }

  /**
   * What was asked for before is in the form again.
   * @param {'now' | 'later' | 'seats'} mode
   */
  refill(mode) {
    const { asked } = this.kept;
    if (asked) {
      const { from, to, passengers, needs = [], payment = 'cash' } = asked;
      Object.assign(this.draft, { from, to, passengers, needs: new Set(needs), payment });
    }
    this.draft.mode = mode;
  }

  /**
   * The fields of the last request for a taxi.
   * @returns {any}
   */
  repeat() {
    const { asked } = this.kept;
    if (!asked?.from) return undefined;
    const { from, to, passengers, needs, payment } = asked;
    return {
      lat: from.lat, lon: from.lon, passengers, ...(to ? { destination: { lat: to.lat, lon: to.lon } } : {}),
      ...(needs?.length ? { needs } : {}), ...(payment === 'digital' ? { payment } : {}),
    };
  }

  /** It was looked at. */
  done() {
    this.journey = { ...this.journey, over: undefined };
    this.kept.ended = undefined;
    this.#isGoing = true;
    this.go('');
  }

  /** What was asked for last is over, or was never begun. */
  #close() {
    const { asked } = this.kept;
    if (asked) this.kept.asked = { ...asked, isDone: true };
  }

  /**
   * What is known of what was asked for: on this device, or of a reservation.
   * @param {string} id @returns {import('./kept.js').Asked | undefined}
   */
  askedFor(id) {
    const { asked } = this.kept;
    if (asked?.id === id) return asked;
    const planned = this.journey.reservations.find((one) => one.ride === id);
    return planned && { ...planned, cmd: 'reservation.make', from: planned.pickup, to: planned.destination };
  }

  // What comes

  /** @param {any} data @param {any} message */
  #hears(data, message) {
    const type = message?.type;
    if (!type || message.ch !== this.hub.who) return;
    if (type === 'notice') return this.#notice(data.text);
    if (type === 'reliability.warned' || type === 'reliability.paused') {
      return this.#notice(say(type === 'reliability.paused' ? 'ride.paused' : 'ride.warned', { count: data.total }));
    }
    if (type === 'payment.changed') {
      this.#view?.paid?.(data.trip);
      return this.say(say('ride.told.payment'));
    }
    const before = this.journey;
    this.journey = apply(before, type, data, message.time);
    if (type === 'snapshot') this.#reconcile();
    const { over, now } = this.journey;
    // Of a ride of before there is nothing to be said.
    const isOurs = this.journey !== before || type.startsWith('reservation.');
    const isOwnWish = data?.by === 'passenger';
    if (over && over !== before.over) this.#ended(over);
    if (now && before.now?.id !== now.id) this.#begun(now);
    else if (now?.stage !== before.now?.stage || Boolean(now?.lost) !== Boolean(before.now?.lost)) this.problem = undefined;
    const told = toldOf(type, data);
    if (isOurs && told && !isOwnWish) {
      // What no view shows is shown above it.
      if (type === 'reservation.reminder' || type === 'reservation.waiting') this.#notice(say(told));
      else this.say(say(told));
      const sound = soundOf(type, data);
      if (sound) alarm(sound);
    }
    return this.draw();
  }

  /** @param {import('./journey.js').Under} now */
  #begun(now) {
    this.problem = undefined;
    const { asked } = this.kept;
    if (asked && !asked.id && !asked.isDone && ASKS.includes(asked.cmd)) this.kept.asked = { ...asked, id: now.id };
  }

  /** @param {import('./journey.js').Over} over */
  #ended(over) {
    this.problem = undefined;
    if (over.how === 'ended') this.kept.ended = over.id;
    // The next one begins elsewhere.
    if (over.how === 'ended' || over.how === 'gone') this.draft = newDraft(Date.now());
    this.#close();
    if (over.by === 'passenger') {
      // It was this person's own wish: the form again, as it was filled in.
      this.refill(over.kind === 'ride' ? 'now' : 'seats');
      this.journey = { ...this.journey, over: undefined };
      this.#isGoing = true;
      this.say(say('ride.told.taken'));
    }
  }

  /** What has ended while this page was not there. */
  #reconcile() {
    const { now, over } = this.journey;
    const { asked, ended } = this.kept;
    if (now || over) return;
    if (ended) this.journey = { ...this.journey, over: { kind: 'ride', id: ended, how: 'ended' } };
    else if (asked?.id && !asked.isDone && !this.#asks) {
      const { id } = asked;
      this.#close();
      this.hub.call('receipt.get', { trip: id }).then(
        () => {
          this.kept.ended = id;
          if (!this.journey.now) this.journey = { ...this.journey, over: { kind: 'ride', id, how: 'ended' } };
          this.draw();
        },
        () => {},
      );
    }
  }

  /** @param {any} outcome of a command */
  #answered({ cmd, ok, error }) {
    if (ok && ASKS.includes(cmd)) {
      const id = ok.ride ?? ok.booking;
      const { asked } = this.kept;
      if (asked && !asked.id) this.kept.asked = { ...asked, id };
      const { now, over } = this.journey;
      if (!now && over?.id !== id) {
        const type = cmd === 'ride.request' ? 'ride.searching' : 'seat.searching';
        this.journey = apply(
          this.journey,
          type,
          { ...ok, reason: cmd === 'ride.request' && ok.until ? 'waiting' : 'requested' },
          this.hub.time,
        );
      }
    }
    if (ok && cmd === 'reservation.make') {
      this.say(say('ride.told.planned'));
      this.journey = apply(this.journey, 'reservation.made', ok, this.hub.time);
    }
    // Nothing is there any more that could be taken back.
    const isNothing = error?.code === 'not_found' && cmd.endsWith('.cancel');
    if (error && !isNothing && cmd !== 'trip.rate' && !cmd.startsWith('push.')) {
      this.problem = { error };
      if (ASKS.includes(cmd)) this.#close();
      if (cmd === 'reservation.make') {
        this.refill('later');
        if (location.hash === '#planned') this.go('');
      } else if (ASKS.includes(cmd) && !this.draft.from) this.refill(cmd === 'ride.request' ? 'now' : 'seats');
      if (this.#key === 'order') this.#key = '';
    }
    this.draw();
  }

  /**
   * Aloud, once, where nobody looks.
   * @param {string} text
   */
  say(text) {
    byId('said').replaceChildren(text);
  }

  /** @param {string} text */
  #notice(text) {
    const close = element('button', { type: 'button', className: 'second small' }, phrase('ride.notice.close'));
    const box = element('div', { className: 'card notice', role: 'status' }, element('p', {}, text), close);
    close.addEventListener('click', () => {
      box.remove();
      byId('title')?.focus();
    });
    byId('main').before(box);
  }

  /** Whether something that was asked for has no answer yet. */
  get #asks() {
    return this.hub.pending.some((one) => ASKS.includes(one.cmd));
  }

  // What is shown

  /** The same view made anew. */
  rebuild() {
    this.#key = '';
    this.draw();
  }

  /** @returns {[string, () => View]} what is to be seen, and how it is made */
  #wanted() {
    const { journey, hub } = this;
    const { now, over, isKnown } = journey;
    const [name, id] = location.hash.slice(1).split('/');
    if (name === 'trips') return ['trips', () => tripsView(this)];
    if (name === 'trip' && id) return [`trip ${id}`, () => tripView(this, id)];
    if (name === 'planned') return ['planned', () => plannedView(this)];
    if (now) {
      const { id: ride, stage, notified, lost, vehicle } = now;
      const parts = [ride, stage, notified, Boolean(lost), vehicle, Boolean(this.askedFor(ride))];
      return [`now ${parts.join(' ')}`, () => waitView(this)];
    }
    if (this.#asks) return ['sending', () => sendingView(this)];
    if (over) return [`over ${over.id} ${over.how}`, () => overView(this)];
    if (!isKnown && hub.state === 'connecting') return ['loading', loadingView];
    if (name === 'from' || name === 'to') return [name, () => whereView(this, name)];
    return ['order', () => orderView(this)];
  }

  draw() {
    const [key, make] = this.#wanted();
    if (key !== this.#key) {
      const focused = document.activeElement;
      const hadFocus = focused !== null && byId('main').contains(focused);
      this.#view?.close();
      this.ground.release();
      this.#key = key;
      this.#view = make();
      document.body.dataset.view = key.split(' ')[0];
      byId('main').replaceChildren(...this.#view.nodes);
      // Who uses the keyboard is where they were, or at the top of what is new.
      const same = this.#isGoing || !focused?.id ? null : document.getElementById(focused.id);
      if (this.#isGoing || hadFocus) (same ?? byId('title'))?.focus();
      this.#isGoing = false;
    }
    this.#view?.update();
    document.title = `${textOf(this.#view?.title ?? '')} – Kerbside`;
    drawMenu(this.journey);
  }
}

/** @returns {View} */
function loadingView() {
  const title = phrase('ride.loading');
  return { title, nodes: [element('h1', { id: 'title', tabIndex: -1 }, title)], update() {}, close() {} };
}

const { role, sub } = signedIn('passenger');
if (role === 'passenger' && sub && !sub.startsWith('guest-')) new App(sub).start();
else {
  keep();
  byId('main').append(
    element('h1', { id: 'title', tabIndex: -1 }, phrase('ride.title')),
    element(
      'section',
      { className: 'card invite' },
      element('p', {}, phrase(role ? 'ride.invite.other' : 'ride.invite')),
      element('a', { href: '/line/' }, phrase('ride.invite.lines')),
    ),
  );
}
