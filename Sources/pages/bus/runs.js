// The runs of a line by its timetable: which can be begun now, which comes next, and when one is due at a stop. Pure.

const HOUR = 3_600_000;
/** A run can be begun so long before its time. */
export const AHEAD = HOUR;
/** The hub takes a run of the timetable by itself if it is no further away. */
const NEAR = 2 * HOUR;
/** A run whose time is over for longer is behind in the list. */
const LATE = 10 * 60_000;
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/**
 * @typedef {object} Run
 * @property {string} trip
 * @property {any} pattern
 * @property {number} at its departure, Unix ms
 * @property {number} from what its profile counts from, Unix ms
 * @property {number[]} profile arrival and departure at each stop, s
 */

/**
 * The zone's clock, as if it were that of UTC.
 * @param {number} at @param {string} zone
 */
const shown = (at, zone) => Date.parse(`${new Date(at).toLocaleString('sv-SE', { timeZone: zone }).replace(' ', 'T')}Z`);

/** @param {number} at @param {string} zone @param {number} days later @returns {string} the date there, 2026-11-20 */
const dateOf = (at, zone, days) => new Date(shown(at, zone) + days * 24 * HOUR).toISOString().slice(0, 10);

/**
 * What the times of a day count from: twelve hours before its noon, as in GTFS, so that a change of the clocks moves none.
 * @param {string} date @param {string} zone
 */
export function startOf(date, zone) {
  const noon = Date.parse(`${date}T12:00:00Z`);
  return noon - (shown(noon, zone) - noon) - 12 * HOUR;
}

/** @param {any} service @param {string} date */
function runsOn(service, date) {
  if (!service || service.removed?.includes(date)) return false;
  if (service.added?.includes(date)) return true;
  const day = DAYS[new Date(`${date}T12:00:00Z`).getUTCDay()];
  return date >= service.from && date <= service.until && service.weekdays.includes(day);
}

/** @param {any} trip @returns {number[]} when it starts, s */
function starts(trip) {
  if (!trip.frequencies?.length) return [trip.start];
  return trip.frequencies.flatMap((/** @type {any} */ { start, end, headway }) =>
    Array.from({ length: Math.max(0, Math.ceil((end - start) / headway)) }, (_, index) => start + index * headway),
  );
}

/**
 * The runs between two moments, by time.
 * @param {{ route: any, services: any, zone: string }} line
 * @param {number} from @param {number} to
 * @returns {Run[]}
 */
export function runsBetween({ route, services, zone }, from, to) {
  /** @type {Run[]} */
  const found = [];
  for (let days = -1; dateOf(from, zone, days) <= dateOf(to, zone, 0); days += 1) {
    const date = dateOf(from, zone, days);
    const begin = startOf(date, zone);
    for (const trip of route.trips ?? []) {
      if (!runsOn(services[trip.service], date)) continue;
      const profile = route.profiles[trip.profile];
      for (const start of starts(trip)) {
        const at = begin + (start + (profile[1] ?? 0)) * 1000;
        if (at < from || at > to) continue;
        found.push({ trip: trip.id, pattern: route.patterns[trip.pattern], at, from: begin + start * 1000, profile });
      }
    }
  }
  return found.sort((a, b) => a.at - b.at);
}

/**
 * Those that a driver chooses from, and the one that is next.
 * @param {{ route: any, services: any, zone: string }} line
 * @param {number} now
 * @param {Set<string>} driven trips that other buses drive
 * @param {{ stop?: string, trip?: string }} [ended] where the tour before has ended
 */
export function choiceOf(line, now, driven, ended) {
  const all = runsBetween(line, now - NEAR, now + 24 * HOUR);
  const recent = all.filter((run) => run.at >= now - HOUR / 2 && run.at <= now + AHEAD);
  const open = (recent.length ? recent : all.filter((run) => run.at <= now + AHEAD)).slice(-8);
  const free = open.filter((run) => !driven.has(run.trip) && run.trip !== ended?.trip);
  const due = free.filter((run) => run.at >= now - LATE);
  const fromHere = due.find((run) => ended?.stop !== undefined && run.pattern.stops[0]?.stop === ended.stop);
  return { open, next: fromHere ?? due[0] ?? free.at(-1), later: all.find((run) => run.at > now + AHEAD) };
}

/**
 * When a trip is due at a stop of it, by the run that is nearest to now.
 * @param {{ route: any, services: any, zone: string }} line
 * @param {string} trip @param {number} index of the stop @param {number} now
 * @returns {number | undefined} Unix ms
 */
export function dueAt(line, trip, index, now) {
  const runs = runsBetween(line, now - 12 * HOUR, now + 12 * HOUR).filter((run) => run.trip === trip);
  const [run] = runs.sort((a, b) => Math.abs(a.at - now) - Math.abs(b.at - now));
  const seconds = run?.profile[index ? 2 * index : 1];
  return run && seconds !== undefined ? run.from + seconds * 1000 : undefined;
}
