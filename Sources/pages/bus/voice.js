// A request for a stop rings, and is read aloud. Each can be switched off on the device.

import { language } from '../assets/language.js';
import { Sound, TOUCHES } from '../assets/sound.js';

/**
 * Two tones, as of a bus's own bell.
 * @type {import('../assets/sound.js').Note[]}
 */
const BELL = [[988, 0], [740, 0.35]];
const OFF = 'off';

export class Voice {
  #sound = new Sound();
  #changed;

  /** @param {() => void} changed */
  constructor(changed) {
    this.#changed = changed;
    for (const touch of TOUCHES) addEventListener(touch, () => this.#wake());
  }

  #wake() {
    if (!this.isReady) this.#sound.unlock().then(this.#changed);
  }

  get isReady() {
    return this.#sound.isReady;
  }

  /** @param {'ring' | 'voice'} kind */
  isOn(kind) {
    return localStorage.getItem(`kerbside.bus.${kind}`) !== OFF;
  }

  /** @param {'ring' | 'voice'} kind */
  toggle(kind) {
    if (this.isOn(kind)) localStorage.setItem(`kerbside.bus.${kind}`, OFF);
    else localStorage.removeItem(`kerbside.bus.${kind}`);
    if (!this.isOn('voice')) globalThis.speechSynthesis?.cancel();
  }

  ring() {
    if (this.isOn('ring')) this.#sound.play(BELL, { loudness: 0.6, length: 1.1 });
  }

  /** @param {string} text in the page's language */
  speak(text) {
    if (!this.isOn('voice') || !globalThis.speechSynthesis) return;
    speechSynthesis.speak(Object.assign(new SpeechSynthesisUtterance(text), { lang: language }));
  }
}
