// What a driver sees: on or off duty, the queue, a ride, its end, and what there is to read. Each view is made of the state alone.

import { clock, money, phrase, say } from '../assets/language.js';
import { dotted, element } from '../assets/page.js';
import { distance } from '../assets/places.js';
import { needName } from './offer.js';
import { bearing, eighth } from './place.js';
import { far, left, minutes, why } from './words.js';

/** @typedef {import('./state.js').State} State @typedef {import('./state.js').Job} Job @typedef {import('./state.js').Place} Place */

/**
 * What else decides what is seen.
 * @typedef {object} Around
 * @property {number} now by the hub's clock
 * @property {Place | undefined} here
 * @property {number | undefined} heading
 * @property {string} fault why the device has no position
 * @property {string} byHand where the driver has set it, by name; nothing: the device says it
 * @property {boolean} isGoing on duty: the position is looked for
 * @property {boolean} isSlow and that takes long
 * @property {boolean} isLive
 * @property {number | undefined} lost since when there is no link: what is shown may not be true any more
 * @property {(cmd: string, id?: string) => boolean} waits whether a command has no answer yet
 * @property {(zone: string) => string} zoneName
 */

const SVG = 'http://www.w3.org/2000/svg';
/** Nearer than that the passenger may well be aboard, whatever the satellites say. */
const NEAR = 150;

/**
 * Does something: `act` and `value` say what.
 * @param {string} act @param {string} word @param {{ value?: string, className?: string, disabled?: boolean }} [more]
 */
export function button(act, word, more = {}) {
  const made = element('button', { type: 'button', className: '', ...more }, phrase(word));
  made.dataset.act = act;
  return made;
}

/** @param {string} id @param {string} className @param {...(Node | string)} content */
export const section = (id, className, ...content) => element('section', { id, className }, ...content);

/** @type {Record<string, string>} of what a command is about, while it waits */
export const WAITS = {
  'driver.available': 'drive.waits.on', 'driver.unavailable': 'drive.waits.off', 'offer.accept': 'drive.waits.accept',
  'offer.decline': 'drive.waits.decline', 'seat.accept': 'drive.waits.accept', 'seat.decline': 'drive.waits.decline',
  'ride.aboard': 'drive.waits.aboard', 'seat.aboard': 'drive.waits.aboard', 'ride.end': 'drive.waits.end', 'seat.end': 'drive.waits.end',
  'ride.cancel': 'drive.waits.give', 'seat.cancel': 'drive.waits.give', 'ride.noshow': 'drive.waits.noshow', 'seats.set': 'drive.waits.seats',
  'route.set': 'drive.waits.route',
  'trip.rate': 'drive.waits.rate', sos: 'drive.waits.sos', 'sos.cancel': 'drive.waits.sos',
};

/** @param {State} state @param {Around} around */
export function notes({ notes: list }, { zoneName }) {
  const cards = list.map(({ number, tone, word, values = {}, zone, text, error }) => {
    const { until, ...others } = values;
    const said = { ...others, ...(until ? { until: clock(Number(until)) } : {}), ...(zone ? { zone: zoneName(zone) } : {}) };
    const ok = button('note.close', 'drive.ok', { value: String(number), className: 'second' });
    const isStale = ['not_available', 'not_found'].includes(error?.code);
    return element(
      'li',
      { className: `card note ${tone}` },
      element('p', { className: 'word' }, phrase(word, said)),
      ...(text ? [element('p', { className: 'text' }, text)] : []),
      ...(error ? [element('p', {}, ...why(error))] : []),
      element('div', { className: 'answers' }, ...(isStale ? [button('reload', 'drive.reload', { className: 'second' })] : []), ok),
    );
  });
  return element('ul', { id: 'notes', ariaLive: 'polite' }, ...cards);
}

/**
 * The big switch.
 * @param {State} state @param {Around} around
 */
export function duty(state, { isGoing, waits, fault, byHand }) {
  const isOn = state.duty !== 'unavailable';
  const changes = isGoing ? 'drive.duty.looking' : waits('driver.available') || waits('driver.unavailable') ? 'drive.duty.asking' : '';
  const made = element(
    'button',
    { type: 'button', className: 'duty', disabled: Boolean(changes) },
    element('span', { className: 'grow' }, phrase(isOn ? 'drive.duty.on' : 'drive.duty.off')),
    element('span', { className: 'track', ariaHidden: 'true' }),
  );
  made.dataset.act = 'duty';
  made.setAttribute('role', 'switch');
  made.setAttribute('aria-checked', String(isOn));
  const said = changes ? phrase(changes) : fault && !byHand ? '' : phrase(isOn ? 'drive.duty.leave' : 'drive.duty.join');
  return section('duty', '', made, element('p', { className: 'soft', role: 'status' }, said));
}

/**
 * Why there is no position, and the way out; or that it is the driver's own word.
 * @param {Around} around
 */
export function place({ fault, byHand, isSlow }) {
  if (byHand) {
    return [section(
      'place',
      'card',
      element('p', { className: 'name' }, phrase('drive.hand.set', { place: byHand })),
      element('p', { className: 'soft' }, phrase('drive.hand.still')),
      element('div', { className: 'answers' }, button('hand', 'drive.hand.change', { className: 'second' })),
    )];
  }
  if (!fault && !isSlow) return [];
  const why = fault ? [element('p', { className: 'alarm' }, phrase(fault === 'denied' ? 'drive.place.denied' : 'drive.place.unavailable'))] : [];
  return [section('place', '', ...why, button('hand', 'drive.hand', { className: 'second wide' }))];
}

/**
 * Where one stands in the queue.
 * @param {State} state @param {Around} around
 */
export function queue({ duty: on, zone, rank, size, seats }, { zoneName, lost }) {
  const known = lost === undefined ? [] : [element('p', { className: 'soft' }, phrase('drive.known', { time: clock(lost) }))];
  if (on === 'unavailable') return section('queue', 'hero', element('p', { className: 'big' }, phrase('drive.off')), ...known);
  if (seats) return section('queue', 'hero on', element('p', { className: 'big' }, phrase('drive.online')), ...known);
  const place = rank === undefined ? phrase('drive.queue.wait') : phrase('drive.queue.rank', { rank });
  const of = size === undefined ? '' : phrase('drive.queue.size', { count: size });
  return section(
    'queue',
    'hero on',
    element('p', { className: 'soft' }, zone ? zoneName(zone) : ''),
    element('p', { className: 'big' }, place),
    element('p', { className: 'soft' }, of),
    ...known,
  );
}

/**
 * Where it is worth waiting.
 * @param {State} state @param {Around} around
 */
export function advice({ advice: told, seats, duty: on }, { zoneName, waits }) {
  if (seats || on !== 'available') return [];
  const more = button('advice', 'drive.advice', { className: 'second wide', disabled: waits('advice.get') });
  if (!told) return [section('advice', '', more)];
  const { here, zones, isUnasked } = told;
  /** @param {any} one */
  const row = ({ zone, distance_m: metres, wait_s: wait, expected, waiting }) => {
    const about = dotted(...(metres === undefined ? [] : [far(metres)]), phrase('drive.advice.expected', { count: Math.round(expected) }),
      phrase('drive.advice.waiting', { count: waiting }));
    return element(
      'li',
      { className: 'card row' },
      element('span', { className: 'grow' }, element('strong', {}, zoneName(zone)), element('br'), element('span', { className: 'soft' }, ...about)),
      element('span', { className: 'time' }, wait === undefined ? '–' : minutes(wait)),
    );
  };
  const rows = zones.map(row);
  const stay = here?.wait_s === undefined ? phrase('drive.advice.here.unknown') : phrase('drive.advice.here', { time: minutes(here.wait_s) });
  return [section(
    'advice',
    isUnasked ? 'unasked' : '',
    element('h2', {}, phrase(isUnasked ? 'drive.advice.unasked' : 'drive.advice.title')),
    element('p', { className: 'soft' }, stay),
    rows.length ? element('ul', {}, ...rows) : element('p', {}, phrase('drive.advice.none')),
    element('div', { className: 'answers' }, more, button('advice.close', 'drive.close', { className: 'second wide' })),
  )];
}

/**
 * Which way, seen from the wheel; north is up while nobody knows how the car stands.
 * @param {number} degrees
 */
function arrow(degrees) {
  const made = document.createElementNS(SVG, 'svg');
  made.setAttribute('viewBox', '-50 -50 100 100');
  made.setAttribute('class', 'arrow');
  made.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', 'M0 -44 L32 38 L0 20 L-32 38 Z');
  path.setAttribute('transform', `rotate(${degrees})`);
  made.append(path);
  return made;
}

/**
 * How far and which way a place is.
 * @param {Place} place @param {Around} around
 */
export function way(place, { here, heading }) {
  if (!here) return element('p', { className: 'soft' }, phrase('drive.way.unknown'));
  const degrees = bearing(here, place);
  const turned = Math.round((degrees - (heading ?? 0)) / 5) * 5;
  return element(
    'div',
    { className: 'way' },
    arrow(turned),
    element('p', {}, element('span', { className: 'big' }, far(distance(here, place))), element('span', { className: 'soft' },
      phrase(DIRECTIONS[eighth(degrees)]))),
  );
}

const DIRECTIONS = ['drive.north', 'drive.northeast', 'drive.east', 'drive.southeast', 'drive.south', 'drive.southwest', 'drive.west', 'drive.northwest'];

/**
 * Opens the driver's own navigation.
 * @param {Place} place @param {string} [className]
 */
export const navigate = ({ lat, lon }, className = 'button wide') =>
  element('a', { className, href: `geo:${lat},${lon}?q=${lat},${lon}` }, phrase('drive.navigate'));

/**
 * Who it is, and what is to be known of them.
 * @param {Job} job
 */
export function people({ passengers, contact, needs = [], payment }) {
  const known = dotted(
    phrase('drive.people', { count: passengers }),
    ...needs.map(needName),
    ...(payment ? [phrase(payment === 'cash' ? 'drive.cash' : 'drive.digital')] : []),
  );
  const call = contact && element('a', { className: 'call', href: `tel:${contact.number.replace(/[^+\d]/g, '')}` }, phrase('drive.call'));
  const name = contact ? [element('p', { className: 'name' }, contact.name)] : [];
  return element('div', { className: 'people' }, element('div', { className: 'grow' }, ...name, element('p', {}, ...known)), ...(call ? [call] : []));
}

/**
 * Whether the car is as near as it must be for passengers to get in.
 * @param {Job} job @param {Place | undefined} here
 */
export const isNear = (job, here) => job.isThere || (here !== undefined && distance(here, job.pickup) < NEAR);

/**
 * The ride.
 * @param {Job} job @param {Around} around
 */
export function ride(job, around) {
  const { isAboard, isThere, pickup, destination } = job;
  const title = isAboard ? 'drive.ride.aboard' : isThere ? 'drive.ride.there' : 'drive.ride.pickup';
  const place = isAboard ? destination : pickup;
  const told = isThere && !isAboard ? [element('p', { className: 'soft there' }, phrase('drive.ride.told'))] : [];
  const no = isAboard && !destination ? [element('p', { className: 'soft' }, phrase('drive.ride.nowhere'))] : [];
  return section(
    'ride',
    'card',
    element('h2', { ariaLive: 'polite' }, phrase(title)),
    ...told,
    ...no,
    ...(place && (isAboard || !isThere) ? [way(place, around)] : []),
    ...(place ? [navigate(place)] : []),
    people(job),
    ...(isAboard ? [] : [others(job, around)]),
  );
}

/**
 * What else may become of it.
 * @param {Job} job @param {Around} around
 */
function others({ id, isThere, missedFrom = 0 }, { now, waits }) {
  const wait = missedFrom - now;
  const isBusy = waits('ride.', id);
  const noshow = isThere ? [button('ride.noshow', 'drive.noshow', { value: id, className: 'second', disabled: isBusy || wait > 0 })] : [];
  const when = isThere && wait > 0 ? [element('p', { className: 'soft' }, phrase('drive.noshow.wait', { time: left(Math.ceil(wait / 1000)) }))] : [];
  const give = button('ride.cancel', 'drive.give', { value: id, className: 'second', disabled: isBusy });
  return element('div', { className: 'others' }, ...when, element('div', { className: 'answers' }, ...noshow, give));
}

/**
 * The one next step, where a thumb is.
 * @param {State} state @param {Around} around
 */
export function step({ jobs: [job], seats }, { here, waits }) {
  if (!job || seats) return [];
  const { id, isAboard } = job;
  const disabled = waits('ride.', id);
  if (isAboard) return [button('ride.end', 'drive.end', { value: id, className: 'step', disabled })];
  const className = isNear(job, here) ? 'step go' : 'step second';
  return [button('ride.aboard', 'drive.aboard', { value: id, className, disabled })];
}

/** @type {Record<string, string>} */
const PARTS = {
  flag_fall: 'drive.fare.flag', distance: 'drive.fare.distance', time: 'drive.fare.time', slab: 'drive.fare.slab', minimum: 'drive.fare.minimum',
  night: 'drive.fare.night', passengers: 'drive.fare.passengers', booking: 'drive.fare.booking', toll: 'drive.fare.toll',
};
/** @type {Record<string, string>} */
const PAID = {
  'cash paid': 'drive.paid.cash', 'digital pending': 'drive.paid.pending', 'digital paid': 'drive.paid.digital', 'digital failed': 'drive.paid.failed',
  'cash pending': 'drive.paid.open', 'digital refunded': 'drive.paid.refunded', 'cash refunded': 'drive.paid.refunded', 'cash failed': 'drive.paid.failed',
};

/**
 * What a ride has brought.
 * @param {State} state @param {Around} around
 */
export function ended({ ended: one }, { waits }) {
  if (!one) return [];
  const { id, fare, payment, trip, hasReceipt, stars } = one;
  const parts = (trip?.fare?.parts ?? []).map((/** @type {any} */ part) => element('li', { className: 'part' },
    element('span', { className: 'grow' }, phrase(PARTS[part.name] ?? 'drive.fare.other')),
    element('span', {}, money({ amount: part.amount, currency: trip.fare.currency }))));
  const about = trip ? dotted(...(trip.distance_m === undefined ? [] : [far(trip.distance_m)]), minutes(trip.duration_s),
    phrase('drive.receipt', { number: trip.receipt })) : [];
  return [section(
    'ended',
    'card',
    element('h2', {}, phrase('drive.ended')),
    fare ? element('p', { className: 'big' }, money(fare)) : element('p', {}, phrase(hasReceipt ? 'drive.fare.none' : 'drive.fare.notrip')),
    ...(payment ? [element('p', { className: 'paid' }, phrase(PAID[`${payment.method} ${payment.state}`] ?? 'drive.paid.open'))] : []),
    ...(parts.length ? [element('ul', { className: 'parts' }, ...parts)] : []),
    ...(about.length ? [element('p', { className: 'soft' }, ...about)] : []),
    ...(hasReceipt ? [rating(id, stars, waits('trip.rate'))] : []),
    button('ended.close', 'drive.done', { className: 'wide' }),
  )];
}

/** @param {string} id @param {number | undefined} given @param {boolean} isSent */
function rating(id, given, isSent) {
  if (given) return element('p', { className: 'soft' }, phrase('drive.rated', { count: given }));
  const stars = [1, 2, 3, 4, 5].map((count) => {
    const star = element('button', { type: 'button', className: 'star', value: `${id} ${count}`, disabled: isSent, ariaLabel: say('drive.stars', { count }) },
      '★');
    star.dataset.act = 'rate';
    return star;
  });
  const group = element('div', { className: 'stars' }, ...stars);
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', say('drive.rate'));
  return element('div', {}, element('p', { className: 'soft' }, phrase('drive.rate')), group);
}

/** @param {{ isOn: boolean, isReady: boolean }} ring @param {boolean} isWanted */
export function sound({ isOn, isReady }, isWanted) {
  const made = button('sound', isOn ? 'drive.sound.on' : 'drive.sound.off', { className: 'second' });
  made.setAttribute('aria-pressed', String(isOn));
  const hint = isOn && !isReady && isWanted ? [element('p', { className: 'hint', role: 'status' }, phrase('drive.sound.touch'))] : [];
  return section('sound', '', ...hint, made);
}
