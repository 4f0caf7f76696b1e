// A driver, a bus: where and how it is, who it is, its day, and what the office can do about it.

import { delay } from '../assets/buses.js';
import { money, phrase } from '../assets/language.js';
import { element, explained, read } from '../assets/page.js';
import { REASON, ago, ask, askFirst, button, facts, hub, refill, time, way } from './desk.js';

/**
 * @typedef {import('./room.js').Room} Room
 * @typedef {import('./room.js').View} View
 * @typedef {import('../assets/kerbside/messages').Replies} Replies
 */

/** What is told of a driver is asked again after so long, ms. */
const OFTEN = 5000;

/**
 * One act on a driver, with a reason.
 * @param {string} act @param {string} driver @param {(values: Record<string, string>) => Promise<any>} send
 * @param {import('./desk.js').Field[]} [fields]
 */
function about(act, driver, send, fields = [REASON]) {
  const [title, text] = [phrase(`control.act.${act}`), phrase(`control.act.${act}.ask`, { driver })];
  askFirst({ title, text, verb: title, fields, send, done: phrase(`control.act.${act}.done`) });
}

/** @param {string} driver */
export const takeOut = (driver) => about('remove', driver, ({ reason }) => hub.call('office.remove', { driver, reason }));

/** @param {string} driver @param {number} [rank] */
export function putBack(driver, rank) {
  const act = rank === undefined ? 'put' : 'first';
  about(act, driver, ({ reason }) => hub.call('office.put', { driver, reason, ...(rank === undefined ? {} : { rank }) }));
}

/**
 * How long a block lasts, ms.
 * @type {[string, number][]}
 */
const TERMS = [['hour', 3_600_000], ['day', 86_400_000], ['week', 604_800_000], ['always', 0]];

/** @param {'driver' | 'passenger'} role @param {string} subject */
export function block(role, subject) {
  const terms = TERMS.map(([name]) => /** @type {[string, Node | string]} */ ([name, phrase(`control.term.${name}`)]));
  const fields = [REASON, { name: 'term', label: phrase('control.term'), type: 'select', options: terms, value: 'day' }];
  aboutWhom('block', role, subject, ({ reason, term }) => {
    const ms = TERMS.find(([name]) => name === term)?.[1] ?? 0;
    return hub.call('office.block', { role, subject, reason, ...(ms ? { until: Math.round(hub.time + ms) } : {}) });
  }, fields);
}

/**
 * A driver or a passenger: of whom other things are said.
 * @param {'block' | 'unblock'} act
 * @param {'driver' | 'passenger'} role
 * @param {string} subject
 * @param {(values: Record<string, string>) => Promise<any>} send
 * @param {import('./desk.js').Field[]} fields
 */
function aboutWhom(act, role, subject, send, fields) {
  if (role === 'driver') return about(act, subject, send, fields);
  const [title, text] = [phrase(`control.act.${act}.passenger`), phrase(`control.act.${act}.passenger.ask`, { subject })];
  return askFirst({ title, text, verb: title, fields, send, done: phrase(`control.act.${act}.done`) });
}

/** @param {'driver' | 'passenger'} role @param {string} subject */
export function unblock(role, subject) {
  aboutWhom('unblock', role, subject, () => hub.call('office.unblock', { role, subject }), []);
}

/** @param {string} driver whose phone was stolen */
function signOut(driver) {
  const whose = { role: /** @type {'driver'} */ ('driver'), subject: driver, revoke: true };
  about('session', driver, ({ reason }) => hub.call('office.session_end', { ...whose, reason }));
}

/** @param {Replies['office.driver']} one */
function acts(one) {
  const { driver, state, kind, blocked } = one;
  const waits = one.rank !== undefined;
  return [
    state === 'available' && !one.ride ? button(phrase('control.act.remove'), () => takeOut(driver)) : '',
    state === 'unavailable' && kind === 'taxi' && !blocked ? button(phrase('control.act.put'), () => putBack(driver)) : '',
    waits && Number(one.rank) > 1 ? button(phrase('control.act.first'), () => putBack(driver, 1)) : '',
    blocked
      ? button(phrase('control.act.unblock'), () => unblock('driver', driver))
      : button(phrase('control.act.block'), () => block('driver', driver), 'second grave'),
    button(phrase('control.act.session'), () => signOut(driver), 'second grave'),
  ].filter((made) => made instanceof Node);
}

/** @param {Room} room @param {Replies['office.driver']} one */
function standing({ queues }, one) {
  const { zone, rank, size, ride, offer, away, blocked, position } = one;
  const place = element('span');
  if (zone !== undefined) {
    const link = way(`#zone/${encodeURIComponent(zone)}`, queues.name(zone));
    place.append(link, ' ', phrase('control.rank', { rank: rank ?? 0, size: size ?? 0 }));
  }
  const long = blocked?.until ? phrase('control.until', { time: time(blocked.until) }) : '';
  return facts(
    [phrase('control.state'), element('strong', {}, phrase(`control.driver.${one.state}`))],
    [phrase('control.kind'), phrase(`control.kind.${one.kind}`)],
    [phrase('control.queue'), zone !== undefined && place],
    [phrase('control.since'), one.since !== undefined && time(one.since)],
    [phrase('control.ride'), ride && way(`#ride/${encodeURIComponent(ride)}`, ride)],
    [phrase('control.asked'), offer && way(`#ride/${encodeURIComponent(offer)}`, offer)],
    [phrase('control.seats'), one.seats],
    [phrase('control.connection'), phrase(one.connected ? 'control.connected' : 'control.gone')],
    [phrase('control.away'), away && element('span', {}, phrase(`control.away.${away.why}`), ' ', ago(away.since))],
    [phrase('control.position'), position && ago(position.at)],
    [phrase('control.blocked'), blocked && element('span', { className: 'alarm' }, blocked.reason, ' ', long, ` (${blocked.by})`)],
  );
}

/**
 * Its records, what is thought of it, and its last trips: of these what is not kept is left out.
 * @param {string} driver
 */
async function papers(driver) {
  const [record, counts, stars, trips] = await Promise.all([
    hub.call('drivers.get', { driver }).catch(() => undefined),
    hub.call('reliability.of', { role: 'driver', subject: driver }).catch(() => undefined),
    hub.call('ratings.get', { role: 'driver', subject: driver }).catch(() => undefined),
    hub.call('trips.list', { role: 'driver', subject: driver, limit: 50 }).catch(() => ({ trips: [] })),
  ]);
  const car = record && await hub.call('vehicles.get', { vehicle: record.vehicle ?? driver }).catch(() => undefined);
  const today = trips.trips.filter(({ ended_at: at }) => new Date(at).toDateString() === new Date(hub.time).toDateString());
  const mean = Math.round((stars?.mean ?? 0) * 10) / 10;
  const who = facts(
    [phrase('control.name'), record?.name],
    [phrase('control.phone'), record?.phone && element('a', { href: `tel:${record.phone}` }, record.phone)],
    [phrase('control.company'), record?.company],
    [phrase('control.plate'), car?.plate],
    [phrase('control.model'), car && [car.model, car.colour].filter(Boolean).join(', ')],
    [phrase('control.licence'), record?.licence_until],
    [phrase('control.medical'), record?.medical_until],
    [phrase('control.stars'), Boolean(stars?.count) && phrase('control.stars.of', { mean, count: stars?.count ?? 0 })],
    [phrase('control.given_back'), counts?.give_backs],
    [phrase('control.paused'), counts?.paused_until && time(counts.paused_until)],
  );
  const day = element('ul', {}, ...today.map((trip) => element(
    'li', { className: 'card row' }, element('span', { className: 'soft' }, time(trip.ended_at)),
    element('span', { className: 'grow' }, trip.trip, ' ', phrase('control.minutes', { count: Math.round(trip.duration_s / 60) })),
    trip.fare ? money(trip.fare) : '',
  )));
  return [who, element('h3', {}, phrase('control.day', { count: today.length })), day];
}

/** @param {Room} room @param {string} driver @returns {View} */
export function driverView(room, driver) {
  const [state, does, more] = [element('div'), element('div', { className: 'acts' }), element('div')];
  let shown = '';
  const draw = async () => {
    try {
      const one = await hub.call('office.driver', { driver });
      refill(state, [standing(room, one)]);
      const key = JSON.stringify([one.state, one.rank === 1, Boolean(one.blocked), one.ride]);
      if (key !== shown) refill(does, acts(one));
      shown = key;
      const place = hub.vehicles.get(driver) ?? one.position;
      if (place && !looked) room.map.look(place);
      looked ||= Boolean(place);
    } catch (error) {
      if (!state.childElementCount) state.replaceChildren(element('p', { className: 'alarm' }, explained(error)));
    }
  };
  let looked = false;
  const day = () => papers(driver).then((made) => more.replaceChildren(...made));
  room.map.mark(driver);
  draw();
  day();
  const timer = setInterval(draw, OFTEN);
  return {
    area: element(
      'div', {}, way('#zones', phrase('back')), element('h2', {}, phrase('control.driver.of', { driver })), state, does, more,
    ),
    update(news) {
      if (!news.has(`driver:${driver}`) && !news.has('link') && !news.has('audit')) return;
      draw();
      if (news.has('requests')) day();
    },
    close() {
      clearInterval(timer);
      room.map.mark();
    },
  };
}

/** @param {Room} room @param {string} bus @returns {View} */
export function busView(room, bus) {
  const [state, does] = [element('div'), element('div', { className: 'acts' })];
  const draw = async () => {
    const seen = hub.vehicles.get(bus);
    const record = await read(`/v1/buses/${encodeURIComponent(bus)}`).catch(() => undefined);
    const line = seen?.route ?? record?.line;
    const { buses } = line ? await ask(`/v1/lines/${encodeURIComponent(line)}/buses`).catch(() => ({ buses: [] })) : { buses: [] };
    const tour = buses.find((/** @type {any} */ one) => one.bus === bus);
    refill(state, [facts(
      [phrase('control.line'), line], [phrase('control.plate'), record?.plate],
      [phrase('control.seats'), tour ? `${tour.seats.free}/${tour.seats.total}` : seen?.seats],
      [phrase('control.next'), tour?.next_stop?.stop],
      [phrase('control.delay'), tour?.delay_s !== undefined && delay(tour.delay_s)],
      [phrase('control.position'), seen && ago(seen.at)],
    )]);
    const end = () => about('tour', bus, () => hub.call('tour.end', { tour: tour.tour }), []);
    refill(does, tour ? [button(phrase('control.act.tour'), end, 'second grave')] : []);
  };
  room.map.mark(bus);
  const seen = hub.vehicles.get(bus);
  if (seen) room.map.look(seen);
  draw();
  const timer = setInterval(draw, OFTEN);
  return {
    area: element('div', {}, way('#rides', phrase('back')), element('h2', {}, phrase('bus', { bus })), state, does),
    close() {
      clearInterval(timer);
      room.map.mark();
    },
  };
}
