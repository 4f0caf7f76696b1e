// What calls the driver: a sound without a file, and the phone's vibration. And the screen that stays awake.

const CHOICE = 'kerbside.drive.sound';
/** Hz and s: two tones, again and again. */
const TONES = [[880, 0], [1320, 0.22], [880, 0.44], [1320, 0.66]];
const EVERY = 1800;

export class Ring {
  /** @type {AudioContext | undefined} */
  #audio;
  /** @type {number | undefined} */
  #timer;
  isOn = localStorage.getItem(CHOICE) !== 'off';

  /**
   * Browsers let a page sound only after a touch or a key: call it at each.
   * @returns {Promise<void>}
   */
  async unlock() {
    if (!this.isOn) return;
    this.#audio ??= new AudioContext();
    if (this.#audio.state !== 'running') await this.#audio.resume().catch(() => {});
  }

  get isReady() {
    return this.#audio?.state === 'running';
  }

  /** @param {boolean} isOn */
  choose(isOn) {
    this.isOn = isOn;
    localStorage.setItem(CHOICE, isOn ? 'on' : 'off');
    if (isOn) this.unlock().then(() => this.#sound());
  }

  /**
   * Rings until it is told to stop.
   * @param {boolean} isWanted
   */
  want(isWanted) {
    if (isWanted === (this.#timer !== undefined)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (isWanted) {
      this.#timer = setInterval(() => this.#call(), EVERY);
      this.#call();
    } else {
      navigator.vibrate?.(0);
    }
  }

  #call() {
    navigator.vibrate?.([400, 150, 400]);
    this.#sound();
  }

  #sound() {
    const audio = this.#audio;
    if (!this.isOn || audio?.state !== 'running') return;
    for (const [pitch, after] of TONES) {
      const [tone, volume, at] = [audio.createOscillator(), audio.createGain(), audio.currentTime + after];
      tone.frequency.value = pitch;
      volume.gain.setValueAtTime(0, at);
      volume.gain.linearRampToValueAtTime(0.5, at + 0.02);
      volume.gain.exponentialRampToValueAtTime(0.001, at + 0.2);
      tone.connect(volume).connect(audio.destination);
      tone.start(at);
      tone.stop(at + 0.21);
    }
  }
}

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
