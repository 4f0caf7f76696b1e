// A screen that stays on.

/** Keeps the screen on while it is wanted; the browser lets it go whenever the page is hidden. */
export class Awake {
  #isWanted = false;
  /** @type {any} */
  #lock;

  constructor() {
    document.addEventListener('visibilitychange', () => this.#take());
  }

  /** @param {boolean} isWanted */
  want(isWanted) {
    if (isWanted === this.#isWanted) return;
    this.#isWanted = isWanted;
    if (isWanted) {
      this.#take();
    } else {
      this.#lock?.release();
      this.#lock = undefined;
    }
  }

  async #take() {
    if (!this.#isWanted || document.visibilityState !== 'visible' || (this.#lock && !this.#lock.released)) return;
    // A battery that is low may be a reason to refuse: then the screen goes off as always.
    const lock = await /** @type {any} */ (navigator).wakeLock?.request('screen').catch(() => undefined);
    if (this.#isWanted) this.#lock = lock;
    else lock?.release();
  }
}
