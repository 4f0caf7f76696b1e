// The seats that are taken: what the hub has confirmed, and what the driver's thumb wants.

/** Taps that follow one another so quickly are one change. */
const TOGETHER = 500;

export class Seats {
  #hub;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {number | undefined} */
  #tapped;

  /** @param {import('../assets/kerbside/kerbside.js').Kerbside} hub */
  constructor(hub) {
    this.#hub = hub;
    // What was tapped at the last moment is kept, too.
    addEventListener('pagehide', () => this.#send());
  }

  /**
   * What waits to be confirmed, if anything does.
   * @returns {number | undefined}
   */
  get wish() {
    const sent = this.#hub.pending.filter((one) => one.cmd === 'seats.set').at(-1);
    return this.#tapped ?? /** @type {any} */ (sent?.fields)?.taken;
  }

  /** @param {number} by @param {{ taken: number, total: number }} seats */
  step(by, { taken, total }) {
    this.#tapped = Math.min(total, Math.max(0, (this.wish ?? taken) + by));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(), TOGETHER);
  }

  #send() {
    clearTimeout(this.#timer);
    if (this.#tapped === undefined) return;
    this.#hub.call('seats.set', { taken: this.#tapped });
    this.#tapped = undefined;
  }
}
