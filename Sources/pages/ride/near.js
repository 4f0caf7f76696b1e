// Who is near: taxis that are free; minibuses that will pass here and then go there, with seats and routes, to ask one of them.

import { money, phrase } from '../assets/language.js';
import { element } from '../assets/page.js';
import { distance } from '../assets/places.js';
import { named } from './where.js';
import { put, way } from './words.js';

const TAXIS = { radius: 1500, filter: { kind: ['taxi'], state: ['available'] }, max_rate: 0.2 };
const MINIBUSES = { radius: 3000, filter: { kind: ['minibus'] }, max_rate: 0.5 };

/**
 * How many taxis are free, and where.
 * @param {import('./ride.js').App} app
 */
export function taxisNear({ draft, hub, ground }) {
  const box = element('p', { className: 'soft', role: 'status', id: 'taxis' });
  const { from } = draft;
  const feed = from && hub.watch(/** @type {any} */ ({ lat: from.lat, lon: from.lon, ...TAXIS }));
  let hasCome = false;
  function update() {
    if (!from) return;
    /** @type {any[]} */
    const all = [...hub.vehicles.values()];
    const near = all.filter((one) => one.kind === 'taxi' && one.state === 'available' && distance(one, from) < TAXIS.radius);
    ground.vehicles(near);
    if (hasCome) put(box, near.length ? phrase('ride.taxis', { count: near.length }) : phrase('ride.taxis.none'));
  }
  feed?.on('snapshot', () => {
    hasCome = true;
    update();
  });
  return {
    box,
    update,
    refresh() {},
    close() {
      feed?.close();
      ground.vehicles([]);
    },
  };
}

/** @param {import('./ride.js').App} app */
export function minibusList(app) {
  const { draft, hub, ground } = app;
  const list = element('ul', { id: 'minibuses' });
  const none = element('p', { className: 'soft', role: 'status' });
  const box = element('section', {}, element('h2', {}, phrase('ride.minibuses')), none, list);
  /** @type {import('../assets/kerbside/subscription.js').Subscription | undefined} */
  let feed;
  let hasCome = false;
  let shown = '';
  /**
   * The way that each has announced, by vehicle and route.
   * @type {Map<string, Promise<any>>}
   */
  const ways = new Map();

  /** @param {any} bus */
  function wayOf(bus) {
    const name = `${bus.id} ${bus.route}`;
    const known = ways.get(name);
    if (known) return known;
    const asked = hub.call('vehicle.get', { vehicle: bus.id }).then((told) => told.way, () => undefined);
    ways.set(name, asked);
    return asked;
  }

  /**
   * What the seats cost that are wished, by vehicle and route; asked once for each way of asking.
   * @type {Map<string, Promise<any>>}
   */
  const prices = new Map();

  /** @param {any} bus */
  function priceOf(bus) {
    const { from, to, passengers } = draft;
    if (!from || !to) return Promise.resolve(undefined);
    const question = {
      vehicle: bus.id, pickup: { lat: from.lat, lon: from.lon }, destination: { lat: to.lat, lon: to.lon }, passengers,
    };
    const name = JSON.stringify([question, bus.route]);
    const known = prices.get(name);
    if (known) return known;
    const asked = hub.call('fare.estimate', question).then((told) => told.fare, () => void prices.delete(name));
    prices.set(name, asked);
    return asked;
  }

  function near() {
    const { from } = draft;
    if (!from) return [];
    /** @type {any[]} */
    const all = [...hub.vehicles.values()];
    return all
      .filter((one) => one.kind === 'minibus' && one.state !== 'unavailable' && (one.seats ?? 0) >= draft.passengers)
      .map((one) => ({ ...one, metres: distance(one, from) }))
      .sort((a, b) => a.metres - b.metres)
      .slice(0, 10);
  }

  /** @param {any} bus */
  function row(bus) {
    const hasRoute = bus.route && !bus.route.startsWith('way:');
    const name = element('span', {}, hasRoute ? phrase('ride.minibus.route', { route: bus.route }) : phrase('ride.minibus.way'));
    wayOf(bus).then((told) => {
      if (!told) return;
      named(told.end, (place) => {
        const to = phrase('ride.minibus.to', { place });
        name.replaceChildren(...(hasRoute ? [phrase('ride.minibus.route', { route: bus.route }), ' · ', to] : [to]));
      });
    });
    const seats = phrase('ride.minibus.seats', { count: bus.seats ?? 0 });
    const far = phrase('ride.minibus.away', { way: way(bus.metres) });
    const button = element('button', { type: 'button', className: 'second', id: `book-${bus.id}` }, phrase('ride.minibus.ask'));
    button.addEventListener('click', () => {
      if (!draft.from || !draft.to) return app.go(draft.from ? 'to' : 'from');
      const { lat, lon } = draft.to;
      const pay = draft.payment === 'digital' ? { payment: 'digital' } : {};
      const pickup = { lat: draft.from.lat, lon: draft.from.lon };
      return app.ask('seat.book', { vehicle: bus.id, pickup, destination: { lat, lon }, passengers: draft.passengers, ...pay });
    });
    const price = element('b', { className: 'price' });
    priceOf(bus).then((fare) => {
      if (fare) price.replaceChildren(' · ', money(fare));
    });
    const text = element(
      'span',
      { className: 'grow' },
      element('b', {}, name),
      price,
      element('br'),
      element('span', { className: 'soft' }, seats, ' · ', far),
    );
    return element('li', { className: 'card row' }, text, button);
  }

  function update() {
    if (!draft.from) return none.replaceChildren(phrase('ride.minibus.from'));
    const found = near();
    ground.vehicles(found);
    const state = JSON.stringify(found.map((one) => [one.id, one.seats, one.route, Math.round(one.metres / 100)]));
    if (state === shown) return undefined;
    shown = state;
    const focused = document.activeElement?.id;
    list.replaceChildren(...found.map(row));
    if (focused?.startsWith('book-')) document.getElementById(focused)?.focus();
    return none.replaceChildren(found.length || !hasCome ? '' : phrase(draft.to ? 'ride.minibus.none' : 'ride.minibus.none.near'));
  }

  function come() {
    hasCome = true;
    shown = '';
    update();
  }

  function refresh() {
    shown = '';
    const { from, to } = draft;
    if (from) {
      const circle = { lat: from.lat, lon: from.lon, ...MINIBUSES };
      const destination = to ? { destination: { lat: to.lat, lon: to.lon } } : {};
      const watched = hub.watch(/** @type {any} */ ({ ...circle, ...destination }));
      // The same feed is answered again, unless the hub has refused it: it is listened to once.
      if (watched !== feed) watched.on('snapshot', come);
      feed = watched;
    }
    update();
  }
  refresh();
  return {
    box,
    update,
    refresh,
    close() {
      feed?.close();
      ground.vehicles([]);
    },
  };
}
