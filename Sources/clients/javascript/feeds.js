// Feeds of vehicles, each by the rules of the contract, merged into one map. Pure. Rules in brackets are those of
// ../behaviour.md.

/**
 * @typedef {object} Vehicle
 * @property {string} id
 * @property {number} lat
 * @property {number} lon
 * @property {number | null} heading degrees from north
 * @property {'available' | 'busy' | 'unavailable'} state
 * @property {number | null} seats free ones
 * @property {number} at when the fix was taken, Unix ms
 * @property {'live' | 'stale'} freshness
 * @property {'taxi' | 'minibus' | 'bus'} kind
 * @property {string | null} route
 */

/** @param {string} channel */
export const isFeed = (channel) => /^(near$|city$|zone:|vehicle:)/.test(channel);

/** @param {any[]} row @returns {Vehicle} */
const whole = ([id, lat, lon, heading, state, seats, at, freshness, kind, route]) => ({
  id, lat, lon, heading, state, seats, at, freshness: freshness ?? 'live', kind: kind ?? 'taxi', route: route ?? null,
});

/** id → vehicle, of all feeds together: read it as a Map. */
export class Vehicles extends Map {
  /** @type {Map<string, Map<string, Vehicle>>} channel → id → vehicle */
  #feeds = new Map();

  /**
   * Applies a `snapshot` or `positions`. The ids that have changed or gone.
   * @param {{ ch: string, type: string, time: number, data: any[][], gone?: string[] }} message
   * @returns {string[]}
   */
  apply(message) {
    const known = this.#feeds.get(message.ch);
    const isSnapshot = message.type === 'snapshot';
    // Nothing can be made of changes to what is not known [F2].
    if (!isSnapshot && !known) return [];
    /** @type {Map<string, Vehicle>} */
    const feed = isSnapshot || !known ? new Map() : known;
    const changed = new Set(isSnapshot ? known?.keys() : []);
    this.#feeds.set(message.ch, feed);
    for (const id of message.gone ?? []) {
      feed.delete(id);
      changed.add(id);
    }
    for (const row of message.data) {
      const before = feed.get(row[0]);
      if (row.length > 5) feed.set(row[0], whole(row));
      else if (before) feed.set(row[0], { ...before, lat: row[1], lon: row[2], heading: row[3], at: message.time - row[4] });
      else continue;
      changed.add(row[0]);
    }
    return this.#merge(changed);
  }

  /** Those that show something. */
  get channels() {
    return [...this.#feeds.keys()];
  }

  /**
   * A feed is not followed any more.
   * @param {string} channel
   * @returns {string[]}
   */
  leave(channel) {
    const ids = this.#feeds.get(channel)?.keys() ?? [];
    this.#feeds.delete(channel);
    return this.#merge(ids);
  }

  /**
   * Of several feeds the newest row counts [F4].
   * @param {Iterable<string>} ids
   */
  #merge(ids) {
    const merged = [...ids];
    for (const id of merged) {
      /** @type {Vehicle | undefined} */
      let best;
      for (const feed of this.#feeds.values()) {
        const vehicle = feed.get(id);
        if (vehicle && (!best || vehicle.at >= best.at)) best = vehicle;
      }
      if (best) this.set(id, best);
      else this.delete(id);
    }
    return merged;
  }
}
