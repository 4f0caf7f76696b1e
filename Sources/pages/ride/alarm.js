// What is said, sounded and shaken when it happens by itself.

import { Sound, TOUCHES } from '../assets/sound.js';

/**
 * By the event's type.
 * @type {Record<string, string>}
 */
const TOLD = {
  'ride.accepted': 'ride.told.accepted',
  'seat.confirmed': 'ride.told.confirmed',
  'ride.near': 'ride.told.near',
  'seat.near': 'ride.told.near',
  'ride.arrived': 'ride.told.here',
  'seat.arrived': 'ride.told.here',
  'ride.aboard': 'ride.told.aboard',
  'seat.aboard': 'ride.told.aboard',
  'ride.ended': 'ride.told.ended',
  'seat.ended': 'ride.told.ended',
  'ride.failed': 'ride.told.failed',
  'seat.failed': 'ride.told.failed',
  'ride.driver_lost': 'ride.told.lost',
  'seat.driver_lost': 'ride.told.lost',
  'ride.driver_back': 'ride.told.back',
  'seat.driver_back': 'ride.told.back',
  'ride.cancelled': 'ride.told.cancelled',
  'seat.cancelled': 'ride.told.cancelled',
  'seat.declined': 'ride.told.declined',
  'reservation.reminder': 'ride.told.reminder',
  'reservation.failed': 'ride.told.planned.failed',
  'route.changed': 'ride.route.changed',
  'reservation.waiting': 'ride.told.planned.waiting',
};

/**
 * Why it is searched once more.
 * @type {Record<string, string>}
 */
const AGAIN = { driver_cancelled: 'ride.search.given', driver_lost: 'ride.search.lost', operator: 'ride.search.operator' };

/**
 * The text for it, if there is one.
 * @param {string} type @param {any} data
 */
export const toldOf = (type, data) => (type === 'ride.searching' ? AGAIN[data.reason] : TOLD[type]);

const sound = new Sound();
for (const kind of TOUCHES) addEventListener(kind, () => sound.unlock(), { passive: true });

/** @type {Record<string, import('../assets/sound.js').Note[]>} */
const TUNES = {
  near: [[660, 0], [880, 0.18]],
  here: [[660, 0], [880, 0.18], [1100, 0.36], [880, 0.8], [1100, 0.98]],
  change: [[520, 0], [415, 0.22]],
};
/**
 * ms: on, off, on …
 * @type {Record<string, number[]>}
 */
const SHAKES = { near: [150, 100, 150], here: [400, 150, 400, 150, 400], change: [200] };

/** @param {string} what `near`, `here`, `change` */
export function alarm(what) {
  navigator.vibrate?.(SHAKES[what]);
  sound.play(TUNES[what], { loudness: 0.3, length: 0.16 });
}
