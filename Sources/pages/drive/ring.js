// What calls the driver: a sound, and the phone's vibration.

import { Sound } from '../assets/sound.js';

const CHOICE = 'kerbside.drive.sound';
/**
 * Two tones, again and again.
 * @type {import('../assets/sound.js').Note[]}
 */
const TONES = [[880, 0], [1320, 0.22], [880, 0.44], [1320, 0.66]];
const EVERY = 1800;

export class Ring {
  #sound = new Sound();
  /** @type {number | undefined} */
  #timer;
  isOn = localStorage.getItem(CHOICE) !== 'off';

  /**
   * To be called at each touch and key.
   * @returns {Promise<void>}
   */
  async unlock() {
    if (this.isOn) await this.#sound.unlock();
  }

  get isReady() {
    return this.#sound.isReady;
  }

  /** @param {boolean} isOn */
  choose(isOn) {
    this.isOn = isOn;
    localStorage.setItem(CHOICE, isOn ? 'on' : 'off');
    if (isOn) this.unlock().then(() => this.#play());
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
    this.#play();
  }

  #play() {
    if (this.isOn) this.#sound.play(TONES, { loudness: 0.5, length: 0.2 });
  }
}
