// Rides, bookings of seats and stops on request, as the city's events tell of them. Pure.

/**
 * @typedef {'looking' | 'offered' | 'asked' | 'lost'} Seeking
 * @typedef {Seeking | 'accepted' | 'near' | 'arrived' | 'aboard' | 'ended' | 'cancelled' | 'noshow' | 'failed'} State
 * @typedef {object} Request
 * @property {'ride' | 'seat' | 'stop'} kind
 * @property {string} id
 * @property {State} state
 * @property {string} [zone]
 * @property {string} [line]
 * @property {string} [driver] who comes, or is asked
 * @property {number} began
 * @property {number} changed
 * @property {[number, string, string?][]} story times and events, and whom they concern
 */

/** @type {Record<string, State>} */
const STATES = {
  'ride.requested': 'looking', 'ride.searching': 'looking', 'ride.accepted': 'accepted', 'ride.near': 'near',
  'ride.arrived': 'arrived', 'ride.aboard': 'aboard', 'ride.ended': 'ended', 'ride.cancelled': 'cancelled', 'ride.noshow': 'noshow', 'ride.failed': 'failed',
  'ride.driver_lost': 'lost', 'ride.driver_back': 'accepted',
  'offer.made': 'offered', 'offer.declined': 'looking', 'offer.expired': 'looking', 'offer.undelivered': 'looking',
  'offer.withdrawn': 'looking',
  'seat.requested': 'asked', 'seat.asked': 'asked', 'seat.searching': 'asked', 'seat.confirmed': 'accepted',
  'seat.declined': 'failed', 'seat.near': 'near', 'seat.arrived': 'arrived', 'seat.aboard': 'aboard', 'seat.ended': 'ended',
  'seat.cancelled': 'cancelled', 'seat.driver_lost': 'lost', 'seat.driver_back': 'accepted',
  'stop.requested': 'asked', 'stop.unanswered': 'asked', 'stop.reopened': 'asked', 'stop.accepted': 'accepted',
  'stop.declined': 'failed', 'stop.expired': 'failed', 'stop.near': 'near', 'stop.arrived': 'arrived', 'stop.completed': 'ended',
  'stop.noshow': 'noshow', 'stop.cancelled': 'cancelled',
};
/** @type {State[]} nothing comes after them */
export const OVER = ['ended', 'cancelled', 'noshow', 'failed'];
/**
 * How they are listed, what needs somebody first.
 * @type {[string, State[]][]}
 */
export const GROUPS = [
  ['looking', ['lost', 'looking', 'offered', 'asked']],
  ['coming', ['accepted', 'near', 'arrived']],
  ['aboard', ['aboard']],
  ['over', OVER],
];
/** So many that are over are kept. */
const KEPT = 200;

/**
 * The request after an event; nothing: the event is about something else.
 * @param {Request | undefined} before @param {string} type @param {any} data @param {number} at
 * @returns {Request | undefined}
 */
export function after(before, type, data, at) {
  const state = STATES[type];
  const id = data.ride ?? data.booking ?? data.request;
  if (!state || !id) return undefined;
  const kind = data.ride ? 'ride' : data.booking ? 'seat' : 'stop';
  const isOver = before && OVER.includes(before.state);
  // What is said of an offer when the ride is somebody's is late.
  const isLate = isOver || (type.startsWith('offer.') && type !== 'offer.made' && before?.state !== 'offered');
  const isTaken = state === 'accepted' || state === 'offered' || (kind !== 'ride' && data.driver);
  return {
    kind, id,
    state: isLate ? /** @type {Request} */ (before ?? { state }).state : state,
    zone: data.zone ?? before?.zone,
    line: data.line ?? before?.line,
    driver: isTaken && !isLate ? data.driver : state === 'looking' && !isLate ? undefined : before?.driver ?? data.driver,
    began: before?.began ?? at,
    changed: at,
    story: [...(before?.story ?? []), [at, type, data.driver ?? data.tour]],
  };
}

export class Requests extends Map {
  /** @param {string} type @param {any} data @param {number} at @returns {string | undefined} the id of what has changed */
  apply(type, data, at) {
    const id = data.ride ?? data.booking ?? data.request;
    const now = after(this.get(id), type, data, at);
    if (!now) return undefined;
    this.set(id, now);
    if (this.size > 2 * KEPT) this.#forget();
    return id;
  }

  /** @param {string} group @returns {Request[]} the latest first */
  of(group) {
    const states = GROUPS.find(([name]) => name === group)?.[1] ?? [];
    return [...this.values()].filter((one) => states.includes(one.state)).sort((a, b) => b.changed - a.changed);
  }

  #forget() {
    for (const one of this.of('over').slice(KEPT)) this.delete(one.id);
  }
}
