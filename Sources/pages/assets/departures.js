// What leaves a stop next: buses that are on their way, by what their lines tell, and runs of the timetable, which are asked for.

import { followLine } from './buses.js';
import { read, readAs } from './page.js';

/** A position that is older tells no more where the bus is. As in GTFS-Realtime. */
const FRESH = 90_000;
/** The timetable moves on: it is asked for anew after so long, and when something has changed, but not more often than that. */
const [ASK_AFTER, ASK_AT_MOST] = [600_000, 10_000];
/** A run of which nothing was heard stays for so long after its time. */
const STAYS = 60_000;
/** Where there is no link, in a network that lets no WebSocket through, it is read: so long after the link was lost, and so often. */
const [READ_AFTER, READ_EVERY] = [8_000, 20_000];

/**
 * @typedef {object} Departure
 * @property {string} line
 * @property {string} to
 * @property {number} at
 * @property {string} zone of its time
 * @property {'live' | 'estimate' | 'timetable'} by `estimate`: there is a bus, but where it is now nobody knows
 * @property {any} [bus]
 * @property {number} [age] of its position, ms
 */

/** One line at a stop. */
class LineAtStop {
  /** @type {import('./buses.js').Line | undefined} */
  line;
  /** @type {any[]} */
  #runs = [];
  #tours = '';
  #asked = -Infinity;
  #isWanted = true;
  #isAsking = false;
  /** Whether the timetable's runs have been read. */
  isKnown = false;
  #hub;
  #stop;

  /** @param {import('./kerbside/kerbside.js').Kerbside} hub @param {string} stop */
  constructor(hub, stop) {
    this.#hub = hub;
    this.#stop = stop;
  }

  /**
   * @param {string} id
   * @param {() => void} changed
   */
  async follow(id, changed) {
    this.line = await followLine(this.#hub, id, () => {
      const tours = [...(this.line?.buses.values() ?? [])].map((bus) => `${bus.tour} ${bus.trip}`).sort().join();
      if (tours !== this.#tours) this.#isWanted = true;
      this.#tours = tours;
      changed();
    });
    return this;
  }

  /** Asks for the timetable's runs, if it is time. Answers whether there is something new. */
  async refresh() {
    const now = this.#hub.time;
    const isDue = this.#isWanted || now - this.#asked > ASK_AFTER || this.#runs.some((run) => run.eta.at < now - STAYS);
    if (!this.line || !isDue || this.#isAsking || this.#hub.state !== 'live' || now - this.#asked < ASK_AT_MOST) return false;
    this.#isAsking = true;
    this.#asked = now;
    this.#isWanted = false;
    try {
      const { arrivals } = await this.#hub.call('line.eta', { line: this.line.id, stop: this.#stop });
      this.#runs = arrivals.filter((run) => run.scheduled);
      this.isKnown = true;
    } catch {
      this.#isWanted = true;
    } finally {
      this.#isAsking = false;
    }
    return true;
  }

  /** What the link would have told, as it is now. */
  async readInstead() {
    const { line } = this;
    if (!line) return;
    const path = `/v1/lines/${encodeURIComponent(line.id)}`;
    const [{ buses }, { arrivals }] = await Promise.all([
      readAs(`${path}/buses`),
      readAs(`${path}/stops/${encodeURIComponent(this.#stop)}/eta`),
    ]);
    // The link has come back meanwhile, and knows better.
    if (this.#hub.state === 'live') return;
    line.buses.clear();
    for (const bus of buses) line.buses.set(bus.tour, bus);
    this.#runs = arrivals.filter((/** @type {any} */ run) => run.scheduled);
    this.isKnown = true;
  }

  /** Whether its last stop is here, so that nobody gets on. */
  #endsHere(/** @type {any} */ pattern) {
    return pattern?.stops.findIndex((/** @type {any} */ one) => one.stop === this.#stop) === pattern?.stops.length - 1;
  }

  /** @returns {Departure[]} */
  departures() {
    const { line } = this;
    if (!line) return [];
    const now = this.#hub.time;
    /** @type {Map<string, any>} */
    const patterns = new Map(line.route.patterns.map((/** @type {any} */ one) => [one.id, one]));
    /** @param {any} pattern @param {string} [headsign] */
    const to = (pattern, headsign) => headsign || pattern?.headsign || line.stop(pattern?.stops.at(-1)?.stop ?? '');
    /** @type {Departure[]} */
    const found = [];
    for (const bus of line.buses.values()) {
      const pattern = patterns.get(bus.pattern);
      const age = bus.position ? now - bus.position.at : Infinity;
      const by = age <= FRESH && this.#hub.state === 'live' ? 'live' : 'estimate';
      for (const eta of bus.etas ?? []) {
        if (eta.stop !== this.#stop || eta.index === (pattern?.stops.length ?? 0) - 1 || eta.at < now - STAYS) continue;
        found.push({ line: line.name, to: to(pattern), at: eta.at, zone: line.zone, by, bus, age });
      }
    }
    const driven = new Set([...line.buses.values()].filter((bus) => bus.etas?.length).map((bus) => bus.trip));
    for (const { trip, pattern: id, headsign, eta } of this.#runs) {
      const pattern = patterns.get(id);
      // The same run of tomorrow is another one.
      const isDriven = trip !== undefined && driven.has(trip) && eta.at < now + 43_200_000;
      if (isDriven || eta.at < now - STAYS || this.#endsHere(pattern)) continue;
      found.push({ line: line.name, to: to(pattern, headsign), at: eta.at, zone: line.zone, by: 'timetable' });
    }
    return found;
  }
}

/**
 * Follows a stop. `departures` tells what is known, by time; `refresh` is to be called every few seconds.
 * @param {import('./kerbside/kerbside.js').Kerbside} hub
 * @param {string} id
 * @param {() => void} changed
 */
export async function followStop(hub, id, changed) {
  const { stop, time_zone: zone } = await read(`/v1/stops/${encodeURIComponent(id)}`);
  const lines = await Promise.all(stop.lines.map((/** @type {string} */ line) => new LineAtStop(hub, id).follow(line, changed)));
  /** @type {{ live: number, asked: number, read?: number }} */
  const link = { live: hub.time, asked: -Infinity };
  return {
    /**
     * When it was read, where there is no link; the hub's time.
     * @returns {number | undefined}
     */
    get readAt() {
      return hub.state === 'live' ? undefined : link.read;
    },
    /** @type {string} */
    name: stop.name,
    /** @type {string} */
    zone,
    /** Whether there is nothing if nothing is told. */
    isKnown: () => lines.every((one) => one.isKnown),
    departures: () => lines.flatMap((one) => one.departures()).sort((a, b) => a.at - b.at),
    async refresh() {
      const now = hub.time;
      if (hub.state === 'live') {
        Object.assign(link, { live: now, read: undefined });
      } else if (now - link.live > READ_AFTER && now - link.asked > READ_EVERY) {
        link.asked = now;
        const done = await Promise.all(lines.map((one) => one.readInstead())).catch(() => undefined);
        // If it is live again meanwhile, nobody asks for this any more.
        if (done) link.read = now;
        return changed();
      }
      const news = await Promise.all(lines.map((one) => one.refresh()));
      if (news.includes(true)) changed();
    },
  };
}
