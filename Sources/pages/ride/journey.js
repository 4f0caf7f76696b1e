// What the hub has told this passenger: the ride or booking under way, how the one before ended, and what is reserved. Pure.

/**
 * A ride in a taxi, or seats in a minibus. `stage`: `searching`, `coming`, `aboard`.
 * @typedef {object} Under
 * @property {'ride' | 'seats'} kind
 * @property {string} id
 * @property {'searching' | 'coming' | 'aboard'} stage
 * @property {number} [passengers]
 * @property {string} [zone] where it is searched
 * @property {string} [reason] of the search
 * @property {number} [round] of the search
 * @property {number} [until] when the search ends
 * @property {string} [vehicle]
 * @property {any} [card] who comes
 * @property {any} [fare]
 * @property {string[]} [needs]
 * @property {number} [notified] 500: it is near; 20: it is here
 * @property {Eta} [eta]
 * @property {number} [distance] metres
 * @property {{ since: number, until: number }} [lost] its driver
 * @property {string | null} [route] another one than before
 *
 * @typedef {{ at: number, early?: number, late?: number }} Eta
 *
 * How it ended. `how`: `ended`, `failed`, `cancelled`, `declined`, `gone` (nobody knows).
 * @typedef {{ kind: 'ride' | 'seats', id: string, how: string, why?: string, by?: string, text?: string, stage?: string,
 *   receipt?: string, reservation?: string }} Over
 *
 * @typedef {object} Journey
 * @property {boolean} isKnown a snapshot has come
 * @property {Under} [now]
 * @property {Over} [over]
 * @property {any[]} reservations
 */

/** @returns {Journey} */
export const unknown = () => ({ isKnown: false, reservations: [] });

/** @param {number | null | undefined} seconds @param {number} time @returns {Eta | undefined} */
const etaOf = (seconds, time) => (typeof seconds === 'number' ? { at: time + seconds * 1000 } : undefined);

const STAGES = {
  searching: 'searching',
  offered: 'searching',
  pending: 'searching',
  accepted: 'coming',
  confirmed: 'coming',
  aboard: 'aboard',
};

/**
 * All that is true now. What was under way and is no more has ended while nobody told.
 * @param {Journey} before @param {any} data of the snapshot @param {number} time of it
 * @returns {Journey}
 */
export function fromSnapshot(before, data, time) {
  const one = data.ride ?? data.booking;
  const kind = data.ride ? 'ride' : 'seats';
  const reservations = data.reservations ?? [];
  if (!one) {
    const gone = before.now ? { kind: before.now.kind, id: before.now.id, how: 'gone' } : before.over;
    return { isKnown: true, reservations, over: gone };
  }
  /** @type {Under} */
  const now = {
    kind,
    id: one.ride ?? one.booking,
    stage: /** @type {any} */ (STAGES)[one.state],
    passengers: one.passengers,
    zone: one.zone,
    until: one.until,
    vehicle: one.taxi ?? one.vehicle,
    card: one.card,
    fare: one.fare,
    needs: one.needs,
    notified: one.notified ?? 0,
    eta: etaOf(one.eta_s, time),
    lost: one.driver_lost,
    reason: one.until && one.state === 'searching' && kind === 'ride' ? 'waiting' : undefined,
  };
  return { isKnown: true, reservations, now };
}

/**
 * The reservation as an event tells it.
 * @param {any[]} known @param {string} what @param {any} data
 */
function reserved(known, what, data) {
  const others = known.filter((one) => one.reservation !== data.reservation);
  if (what === 'cancelled' || what === 'failed') return others;
  const before = known.find((one) => one.reservation === data.reservation);
  if (what === 'made') return [...others, data].sort((a, b) => a.at - b.at);
  if (!before) return known;
  const state = what === 'searching' || what === 'assigned' ? what : before.state;
  return [...others, { ...before, state, ...(data.ride ? { ride: data.ride } : {}) }].sort((a, b) => a.at - b.at);
}

/**
 * One step of the ride or booking.
 * @param {Journey} journey @param {'ride' | 'seats'} kind @param {string} what @param {any} data @param {number} time
 * @returns {Journey}
 */
function step(journey, kind, what, data, time) {
  const id = data.ride ?? data.booking;
  const { now } = journey;
  if (['ended', 'failed', 'cancelled', 'declined'].includes(what)) {
    if (now && now.id !== id) return journey;
    const why = data.code ?? data.reason;
    /** @type {Over} */
    const over = { kind, id, how: what, why, by: data.by, text: data.text, stage: now?.stage, receipt: data.receipt };
    return { ...journey, now: undefined, over };
  }
  /** @type {Under} */
  const known = now && now.id === id ? now : { kind, id, stage: 'searching' };
  const { passengers = known.passengers, fare = known.fare } = data;
  const base = { ...known, passengers, fare };
  /** @param {Partial<Under>} more @returns {Journey} */
  const become = (more) => ({ ...journey, over: undefined, now: { ...base, ...more } });
  switch (what) {
    case 'searching':
    case 'pending':
      return become({
        stage: 'searching', reason: data.reason ?? 'asked', round: data.round, zone: data.zone, until: data.until,
        vehicle: data.vehicle, card: undefined, eta: undefined, lost: undefined, notified: 0, distance: undefined,
      });
    case 'accepted':
    case 'confirmed':
      return become({
        stage: 'coming', vehicle: data.taxi ?? data.vehicle, card: data.card, eta: etaOf(data.eta_s, time), notified: 0,
        lost: undefined,
      });
    case 'eta':
      if (now?.id !== id) return journey;
      return become({
        eta: { at: time + data.eta_s * 1000, early: time + data.early_s * 1000, late: time + data.late_s * 1000 },
        distance: data.distance_m,
      });
    case 'near':
      return become({ notified: 500, distance: data.distance_m });
    case 'arrived':
      return become({ notified: 20, distance: data.distance_m });
    case 'driver_lost':
      return become({ lost: { since: data.since, until: data.until } });
    case 'driver_back':
      return become({ lost: undefined });
    case 'aboard':
      return become({ stage: 'aboard', lost: undefined });
    default:
      return journey;
  }
}

/**
 * What has happened.
 * @param {Journey} journey @param {string} type of the event or state @param {any} data @param {number} time of it
 * @returns {Journey}
 */
export function apply(journey, type, data, time) {
  if (type === 'snapshot') return fromSnapshot(journey, data, time);
  if (type === 'route.changed') {
    const { now } = journey;
    return now && now.id === data.booking ? { ...journey, now: { ...now, route: data.route } } : journey;
  }
  const [family, what] = type.split('.');
  if (family === 'ride') return step(journey, 'ride', what, data, time);
  if (family === 'seat') return step(journey, 'seats', what, data, time);
  if (family !== 'reservation') return journey;
  const next = { ...journey, reservations: reserved(journey.reservations, what, data) };
  if (what !== 'failed' || next.now) return next;
  return { ...next, over: { kind: 'ride', id: data.ride ?? '', how: 'failed', why: data.code, reservation: data.reservation } };
}

/**
 * Minutes until then, never less than one while it is not here.
 * @param {number} at @param {number} now
 */
export const minutesTo = (at, now) => Math.max(1, Math.ceil((at - now) / 60_000));

/**
 * What is worth a sound: `near`, `here`, `change`; nothing: none.
 * @param {string} type @param {any} data
 */
export function soundOf(type, data) {
  if (data?.silent) return undefined;
  if (type === 'ride.arrived' || type === 'seat.arrived') return 'here';
  if (type === 'ride.near' || type === 'seat.near' || type === 'ride.accepted' || type === 'seat.confirmed') return 'near';
  const isAgain = type === 'ride.searching' && ['driver_cancelled', 'operator', 'driver_lost'].includes(data.reason);
  const isChange = /^(ride|seat)\.(failed|driver_lost|declined|driver_back)$|^reservation\.(reminder|failed|assigned)$/.test(type);
  if (isAgain || isChange || (/^(ride|seat)\.cancelled$/.test(type) && data.by !== 'passenger')) return 'change';
  return undefined;
}
