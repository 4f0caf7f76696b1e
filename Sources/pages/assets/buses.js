// A line with its buses, as the hub tells of them, and how what is known of a bus is said.

import { phrase } from './language.js';
import { read } from './page.js';

/** @typedef {Awaited<ReturnType<typeof followLine>>} Line */

/**
 * @param {import('./kerbside/kerbside.js').Kerbside} hub
 * @param {string} id
 * @param {() => void} changed
 */
export async function followLine(hub, id, changed) {
  const { route, stops, services, time_zone: zone } = await read(`/v1/routes/${encodeURIComponent(id)}`);
  const names = new Map(stops.map((/** @type {any} */ stop) => [stop.id, stop.name]));
  /**
   * By tour.
   * @type {Map<string, any>}
   */
  const buses = new Map();
  const channel = hub.subscribe(`line:${id}`);
  channel.on('snapshot', (data) => {
    buses.clear();
    for (const bus of data.buses) buses.set(bus.tour, bus);
    changed();
  });
  channel.on('bus', (bus) => {
    if (bus.state === 'running') buses.set(bus.tour, bus);
    else buses.delete(bus.tour);
    changed();
  });
  return {
    id,
    /** @type {any} */
    route,
    /** @type {any} on which days its trips run */
    services,
    /** @type {{ id: string, name: string, lat: number, lon: number }[]} */
    stops,
    /** @type {string} */
    name: route.name || id,
    /** @type {string} */
    zone,
    buses,
    channel,
    /** @param {string} stop @returns {string} its name */
    stop: (stop) => names.get(stop) ?? stop,
  };
}

/** @type {[number, string][]} */
const SEATS = [[0.5, 'many'], [0.25, 'some'], [0.001, 'few'], [0, 'none']];

/** @param {{ free: number, total: number }} [seats] */
export function seatBand(seats) {
  if (!seats?.total) return 'unknown';
  const share = seats.free / seats.total;
  return SEATS.find(([least]) => share >= least)?.[1] ?? 'none';
}

/**
 * How old a position is.
 * @param {number} ms
 */
export function seen(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 90) return phrase('seen.seconds', { count: seconds });
  return phrase('seen.minutes', { count: Math.round(seconds / 60) });
}

/** @param {number} [seconds] behind the timetable */
export function delay(seconds = 0) {
  const minutes = Math.round(seconds / 60);
  if (Math.abs(minutes) < 2) return phrase('delay.none');
  return phrase(minutes > 0 ? 'delay.late' : 'delay.early', { count: Math.abs(minutes) });
}
