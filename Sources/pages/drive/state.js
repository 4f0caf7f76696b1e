// What a driver knows, as one value: a snapshot replaces it, each event and each answer changes it. Nothing here draws or asks.

/** @typedef {{ lat: number, lon: number }} Place */

/**
 * A request that waits for the driver's answer.
 * @typedef {object} Offer
 * @property {string} id of the ride or the booking
 * @property {'ride' | 'seat'} kind
 * @property {number} passengers
 * @property {number} until Unix ms, by the hub's clock
 * @property {number} lasts ms, in all
 * @property {string} [zone]
 * @property {string[]} [needs]
 * @property {{ amount: number, currency: string }} [fare]
 * @property {string} [payment]
 * @property {number} [distance] metres to the pickup
 * @property {number} [detour]
 * @property {number} [length]
 * @property {boolean} [isSilent]
 *
 * A ride or a booking that is the driver's.
 * @typedef {object} Job
 * @property {string} id
 * @property {'ride' | 'seat'} kind
 * @property {boolean} isAboard
 * @property {boolean} isThere the hub has seen the car at the pickup
 * @property {Place} pickup
 * @property {Place} [destination]
 * @property {number} passengers
 * @property {string[]} [needs]
 * @property {{ name: string, number: string }} [contact]
 * @property {string} [payment]
 * @property {number} [missedFrom] until then nobody counts as not come, by the hub's clock
 *
 * What stays on the screen until it was read.
 * @typedef {object} Note
 * @property {number} number
 * @property {'good' | 'bad' | 'plain'} tone
 * @property {string} word its message
 * @property {Record<string, string | number>} [values]
 * @property {string} [zone] whose name belongs into it
 * @property {string} [text] what the office has written
 * @property {any} [error]
 *
 * @typedef {object} Ended
 * @property {string} id
 * @property {boolean} hasReceipt
 * @property {{ amount: number, currency: string }} [fare]
 * @property {{ method: string, state: string }} [payment]
 * @property {any} [trip] its receipt
 * @property {number} [stars] that were given
 *
 * @typedef {object} State
 * @property {boolean} isKnown
 * @property {'unavailable' | 'available' | 'busy'} duty
 * @property {string} [zone]
 * @property {number} [rank]
 * @property {number} [size]
 * @property {{ capacity: number, taken: number }} [seats] of a minibus
 * @property {string} [route] of a minibus
 * @property {Offer} [offer]
 * @property {Job[]} jobs a taxi has one at most
 * @property {{ booking: string, what: string }[]} stops of a minibus, in the order that the hub proposes
 * @property {Note[]} notes
 * @property {Ended} [ended]
 * @property {any} [advice] where it is worth waiting
 */

/** @returns {State} */
export const nothing = () => ({ isKnown: false, duty: 'unavailable', jobs: [], stops: [], notes: [] });

let number = 0;
/** More nobody reads. */
const MOST_NOTES = 5;

/** @param {State} state @param {Note['tone']} tone @param {string} word @param {Partial<Note>} [more] @returns {State} */
export function noted(state, tone, word, more = {}) {
  // The same again is said once.
  const others = state.notes.filter((one) => one.word !== word || one.text !== more.text || more.error);
  return { ...state, notes: [...others, { number: ++number, tone, word, ...more }].slice(-MOST_NOTES) };
}

/** @param {any} data @returns {Offer} */
function offerOf(data) {
  const { ride, booking, passengers, zone, needs, fare, payment } = data;
  return {
    id: ride ?? booking, kind: ride ? 'ride' : 'seat', passengers, zone, needs, fare, payment, until: data.expires_at, lasts: data.expires_in_ms,
    distance: data.distance_m, detour: data.detour_m, length: data.length_m, isSilent: data.silent,
  };
}

/** @param {any} data @returns {Job} */
function jobOf(data) {
  const { ride, booking, pickup, destination, passengers, needs, contact, payment } = data;
  return {
    id: ride ?? booking, kind: ride ? 'ride' : 'seat', isAboard: data.state === 'aboard', isThere: data.notified === 20,
    pickup, destination, passengers, needs, contact, payment,
  };
}

/** @param {State} state @param {string} id @param {Partial<Job>} more @returns {State} */
const changed = (state, id, more) => ({ ...state, jobs: state.jobs.map((job) => (job.id === id ? { ...job, ...more } : job)) });

/** @param {State} state @param {string} id @returns {State} */
const without = (state, id) => ({
  ...state,
  jobs: state.jobs.filter((job) => job.id !== id),
  stops: state.stops.filter((stop) => stop.booking !== id),
});

/** @param {State} state @param {string} id @returns {State} */
const answered = (state, id) => (state.offer?.id === id ? { ...state, offer: undefined } : state);

/** @param {State} state @param {string} id @param {Partial<Ended>} more @returns {State} */
const endedAs = (state, id, more) => (state.ended?.id === id ? { ...state, ended: { ...state.ended, ...more } } : state);

/** @param {State} state @param {any} data @returns {State} */
function assigned(state, data) {
  const job = jobOf(data);
  if (state.jobs.some((one) => one.id === job.id)) return answered(state, job.id);
  const duty = job.kind === 'ride' ? 'busy' : state.duty;
  return { ...answered(state, job.id), duty, jobs: [...state.jobs, job], ended: undefined, advice: undefined };
}

/**
 * In a queue, or in none: as replies of several commands, and events, say it.
 * @param {State} state @param {any} data @returns {State}
 */
function queued(state, data) {
  const isOn = (data.state ?? 'available') === 'available';
  const { zone, rank, size } = isOn ? data : { zone: undefined, rank: undefined, size: undefined };
  const seats = data.capacity === undefined ? state.seats : { capacity: data.capacity, taken: data.capacity - data.seats };
  return { ...state, duty: isOn ? 'available' : 'unavailable', zone, rank, size, seats, advice: isOn ? state.advice : undefined };
}

/** @param {State} state @param {any} data @returns {State} */
function snapshot(state, data) {
  const jobs = [...(data.ride ? [data.ride] : []), ...(data.bookings ?? [])].map(jobOf);
  const offer = data.offer ?? data.request;
  /** @type {State} */
  const fresh = {
    ...state, isKnown: true, duty: data.state, zone: data.zone, rank: data.rank, size: data.size, jobs,
    seats: data.capacity === undefined ? undefined : { capacity: data.capacity, taken: data.taken },
    route: data.route ?? undefined,
    offer: offer && { ...offerOf(offer), isSilent: offer.silent },
    stops: state.stops.filter((stop) => jobs.some((job) => job.id === stop.booking)),
  };
  const isGone = state.jobs.some((job) => !jobs.some((one) => one.id === job.id));
  return isGone ? noted(fresh, 'bad', 'drive.note.gone') : fresh;
}

/**
 * Why a driver is in no queue any more; what one has done oneself is not said.
 * @type {Record<string, string>}
 */
const LEFT = {
  outside_zones: 'drive.note.outside', connection_lost: 'drive.note.away', stale: 'drive.note.stale',
  undelivered: 'drive.note.unseen', operator: 'drive.note.removed',
};
/**
 * What became of an offer that stands no more.
 * @type {Record<string, string>}
 */
const WITHDRAWN = {
  expired: 'drive.note.expired', no_answer: 'drive.note.expired', undelivered: 'drive.note.undelivered',
  cancelled: 'drive.note.withdrawn', full: 'drive.note.full', offline: 'drive.note.withdrawn',
};
/**
 * Who has ended a ride, or for what.
 * @type {Record<string, string>}
 */
const CANCELLED = { passenger: 'drive.note.cancelled', operator: 'drive.note.office', driver: '' };

/** @param {State} state @param {any} data @returns {State} */
function withdrawn(state, data) {
  const id = data.ride ?? data.booking;
  if (state.offer?.id !== id) return state;
  return noted(answered(state, id), 'bad', WITHDRAWN[data.reason] ?? 'drive.note.withdrawn');
}

/** @param {State} state @param {any} data @returns {State} */
function cancelled(state, data) {
  const id = data.ride ?? data.booking;
  const job = state.jobs.find((one) => one.id === id);
  const isOff = data.state === 'unavailable';
  let next = without(state, id);
  // Its own answer may have come before: that does not say whether one is still on duty.
  if (isOff) next = noted(queued(next, data), 'bad', 'drive.note.off');
  else if (job && data.ride) next = queued(next, { state: 'available' });
  if (!job) return next;
  const lost = job.isAboard ? 'drive.note.lost.aboard' : 'drive.note.lost';
  const word = data.reason === 'driver_lost' ? lost : CANCELLED[data.by];
  return word ? noted(next, 'bad', word, { text: data.text }) : next;
}

/** @type {Record<string, (state: State, data: any) => State>} */
const EVENTS = {
  snapshot,
  'queue.joined': (state, data) => queued({ ...state, jobs: [] }, data),
  'queue.rank': (state, data) => (state.duty === 'available' ? { ...state, zone: data.zone, rank: data.rank, size: data.size } : state),
  'queue.left': (state, data) => {
    if (data.reason === 'moved') return state;
    const next = queued({ ...state, offer: undefined }, { state: 'unavailable' });
    return LEFT[data.reason] ? noted(next, 'bad', LEFT[data.reason], { text: data.text }) : next;
  },
  'offer.made': (state, data) => ({ ...state, offer: offerOf(data) }),
  'seat.requested': (state, data) => ({ ...state, offer: offerOf(data) }),
  'offer.withdrawn': withdrawn,
  'seat.withdrawn': withdrawn,
  'ride.assigned': assigned,
  'seat.assigned': assigned,
  'ride.confirm_aboard': (state, data) => changed(state, data.ride, { isThere: true }),
  'seat.confirm_aboard': (state, data) => changed(state, data.booking, { isThere: true }),
  'ride.pickup_moved': (state, data) => moved(state, data.ride, data.position),
  'seat.pickup_moved': (state, data) => moved(state, data.booking, data.position),
  'ride.cancelled': cancelled,
  'seat.cancelled': cancelled,
  'seats.changed': (state, data) => ({ ...state, seats: { capacity: data.capacity, taken: data.taken } }),
  'seat.stops': (state, data) => ({ ...state, stops: data.stops }),
  notice: (state, data) => noted(state, 'plain', 'drive.note.notice', { text: data.text }),
  'advice.wait': (state, data) => ({ ...state, advice: { isUnasked: true, zones: [data], here: { wait_s: data.here_s } } }),
  'reliability.warned': (state, data) => noted(state, 'bad', 'drive.note.warned', { values: { count: data.total } }),
  'reliability.paused': (state, data) => noted(state, 'bad', 'drive.note.paused', { values: { until: data.until } }),
  'payment.changed': (state, data) =>
    endedAs(state, data.trip, { payment: data.payment }),
};

/** @param {State} state @param {string} id @param {Place | undefined} pickup @returns {State} */
function moved(state, id, pickup) {
  return pickup ? noted(changed(state, id, { pickup }), 'plain', 'drive.note.moved') : state;
}

/** The types of messages that change it. */
export const TOLD = Object.keys(EVENTS);

/** @param {State} state @param {string} type @param {any} data @returns {State} */
export const told = (state, type, data) => EVENTS[type]?.(state, data) ?? state;

/**
 * Why a driver whose ride has ended is off duty.
 * @type {Record<string, string>}
 */
const OFF = { outside_zones: 'drive.note.outside', blocked: 'drive.note.blocked', rate_limited: 'drive.note.often' };

/**
 * Free again after a ride, in a queue or off duty, as the answer says.
 * @param {State} state @param {any} ok @returns {State}
 */
function freed(state, ok) {
  const next = queued(without(state, ok.ride), ok);
  return ok.state === 'unavailable' ? noted(next, 'bad', OFF[ok.reason] ?? 'drive.note.off') : next;
}

/** @param {State} state @param {string} id @param {any} ok @returns {State} */
function over(state, id, ok) {
  const ended = { id, hasReceipt: Boolean(ok.receipt), fare: ok.fare, payment: ok.payment };
  return { ...(ok.ride ? freed(state, ok) : without(state, id)), ended };
}

/** @param {State} state @param {any} ok @returns {State} */
function missed(state, ok) {
  const word = ok.state === 'unavailable' ? 'drive.note.noshow.off' : 'drive.note.noshow';
  return noted(freed(state, ok), 'good', word);
}

/**
 * What a command has done.
 * @type {Record<string, (state: State, ok: any, fields: any) => State>}
 */
const DONE = {
  'driver.available': (state, ok) => queued(state, ok),
  'driver.unavailable': (state) => queued({ ...state, offer: undefined }, { state: 'unavailable' }),
  'offer.accept': assigned,
  'seat.accept': assigned,
  'offer.decline': (state, ok) => answered(state, ok.ride),
  'seat.decline': (state, ok) => answered(state, ok.booking),
  'ride.aboard': (state, ok) => changed(state, ok.ride, { isAboard: true }),
  'seat.aboard': (state, ok) => changed(state, ok.booking, { isAboard: true }),
  'ride.end': (state, ok) => over(state, ok.ride, ok),
  'seat.end': (state, ok) => over(state, ok.booking, ok),
  'ride.noshow': missed,
  'ride.cancel': (state, ok) => noted(cancelled(state, { ...ok, by: 'driver', state: '' }), 'plain', 'drive.note.given'),
  'seat.cancel': (state, ok) => noted(without(state, ok.booking), 'plain', 'drive.note.given'),
  'seats.set': (state, ok) => (state.seats ? { ...state, seats: { ...state.seats, taken: state.seats.capacity - ok.seats } } : state),
  'route.set': (state, ok) => ({ ...state, route: ok.route ?? undefined }),
  'trip.rate': (state, ok) => endedAs(state, ok.trip, { stars: ok.stars }),
  'receipt.get': (state, ok) => endedAs(state, ok.trip, { trip: ok }),
  'vehicle.get': (state, ok) => ({ ...queued(state, ok), route: ok.route ?? undefined }),
  'advice.get': (state, ok) => ({ ...state, advice: ok }),
};

/** @param {State} state @param {string} cmd @param {any} ok @param {any} fields @returns {State} */
export const done = (state, cmd, ok, fields) => DONE[cmd]?.(state, ok, fields) ?? state;

/**
 * What a command was refused with.
 * @param {State} state @param {string} cmd @param {any} error @param {any} fields @param {number} now
 * @returns {State}
 */
export function refused(state, cmd, error, fields, now) {
  // Somebody else's, of this device.
  if (error.code === 'not_yours') return state;
  const id = fields.ride ?? fields.booking;
  if (cmd === 'ride.noshow' && error.retry_after_ms) return changed(state, id, { missedFrom: now + error.retry_after_ms });
  if (cmd === 'offer.decline' || cmd === 'seat.decline') return answered(state, id);
  if (cmd === 'offer.accept' || cmd === 'seat.accept') {
    const word = error.code === 'offer_taken' ? 'drive.note.taken' : error.code === 'offer_expired' ? 'drive.note.late' : 'drive.note.refused';
    return noted(answered(state, id), 'bad', word, word === 'drive.note.refused' ? { error } : {});
  }
  return noted(state, 'bad', 'drive.note.refused', { error });
}
