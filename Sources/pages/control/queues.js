// Who waits where. What the hub says of a queue is asked again when an event says that it has changed.

/**
 * @typedef {import('../assets/kerbside/messages').Replies['office.queue']} Queue
 * @typedef {{ zone: string, name: string, area_m2: number }} Zone
 */

/** So many queues at once, and so often: far within what an operator may ask. */
const [AT_ONCE, PAUSE] = [20, 400];

export class Queues {
  /** @type {Zone[]} */
  zones = [];
  /** @type {Map<string, Queue>} by zone */
  queues = new Map();
  /** @type {import('../assets/map.js').Zone[]} */
  outlines = [];
  /**
   * Where those who wait stood at last.
   * @type {Map<string, { lat: number, lon: number }>}
   */
  places = new Map();
  /** @type {Set<string>} */
  #due = new Set();
  #isAsking = false;
  #hub;
  #changed;

  /** @param {import('../assets/kerbside/kerbside.js').Kerbside} hub @param {(zones: string[]) => void} changed */
  constructor(hub, changed) {
    this.#hub = hub;
    this.#changed = changed;
  }

  /** @param {Zone[]} zones */
  know(zones) {
    this.zones = [...zones].sort((a, b) => a.zone.localeCompare(b.zone, undefined, { numeric: true }));
    this.ask(this.zones.map(({ zone }) => zone));
  }

  /** @param {string} id */
  name(id) {
    return this.zones.find(({ zone }) => zone === id)?.name ?? id;
  }

  get waiting() {
    return [...this.queues.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** @param {string[]} zones */
  ask(zones) {
    for (const zone of zones) this.#due.add(zone);
    if (!this.#isAsking) this.#go();
  }

  async #go() {
    this.#isAsking = true;
    while (this.#due.size && this.#hub.state === 'live') {
      const now = [...this.#due].slice(0, AT_ONCE);
      for (const zone of now) this.#due.delete(zone);
      await Promise.all(now.map((zone) => this.#one(zone)));
      this.#changed(now);
      await new Promise((done) => setTimeout(done, PAUSE));
    }
    this.#isAsking = false;
  }

  /** @param {string} zone */
  async #one(zone) {
    try {
      const queue = await this.#hub.call('office.queue', { zone });
      this.queues.set(zone, queue);
      const places = queue.drivers.flatMap(({ position }) => position ?? []);
      const mean = (/** @type {'lat' | 'lon'} */ axis) => places.reduce((sum, one) => sum + one[axis], 0) / places.length;
      if (places.length) this.places.set(zone, { lat: mean('lat'), lon: mean('lon') });
    } catch {
      // Asked again when it changes, or when the link is back.
    }
  }
}
