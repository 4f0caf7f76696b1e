// The sound of an alarm: two tones, again and again.

import { Sound, TOUCHES } from '../assets/sound.js';

/** One turn of both tones, s. */
const TURN = 1.2;
/** @type {import('../assets/sound.js').Note[]} */
const TONES = [[960, 0], [720, TURN / 3]];

export class Siren {
  #tones;
  #isOn = false;
  #timer = 0;

  /** @param {() => void} changed it can be heard now, or not any more */
  constructor(changed) {
    this.#tones = new Sound(changed);
    for (const touch of TOUCHES) addEventListener(touch, () => this.wake());
  }

  /** Whether it would not be heard. */
  get isMute() {
    return !this.#tones.isReady;
  }

  wake() {
    return this.#tones.unlock();
  }

  /** @param {boolean} isOn */
  set(isOn) {
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    clearInterval(this.#timer);
    if (!isOn) return;
    this.#sound();
    this.#timer = setInterval(() => this.#sound(), TURN * 1000);
  }

  #sound() {
    this.#tones.play(TONES, { loudness: 0.25, length: TURN / 3 });
  }
}
