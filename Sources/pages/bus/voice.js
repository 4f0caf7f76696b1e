// A request for a stop rings, and is read aloud. Each can be switched off on the device.

import { language } from '../assets/language.js';

/** Two tones, as of a bus's own bell: Hz, and when, s. */
const BELL = [[988, 0], [740, 0.35]];
const OFF = 'off';

export class Voice {
  /**
   * There is one after the first touch of the page: before that browsers make no sound.
   * @type {AudioContext | undefined}
   */
  #audio;
  #changed;

  /** @param {() => void} changed */
  constructor(changed) {
    this.#changed = changed;
    for (const touch of ['pointerdown', 'keydown']) addEventListener(touch, () => this.#wake());
  }

  #wake() {
    if (this.isReady) return;
    this.#audio ??= new AudioContext();
    this.#audio.resume().then(this.#changed, () => {});
  }

  get isReady() {
    return this.#audio?.state === 'running';
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
    const audio = this.#audio;
    if (!audio || !this.isReady || !this.isOn('ring')) return;
    for (const [frequency, after] of BELL) {
      const tone = audio.createOscillator();
      const loudness = audio.createGain();
      const begin = audio.currentTime + after;
      tone.frequency.value = frequency;
      loudness.gain.setValueAtTime(0.0001, begin);
      loudness.gain.exponentialRampToValueAtTime(0.6, begin + 0.02);
      loudness.gain.exponentialRampToValueAtTime(0.0001, begin + 1.1);
      tone.connect(loudness).connect(audio.destination);
      tone.start(begin);
      tone.stop(begin + 1.2);
    }
  }

  /** @param {string} text in the page's language */
  speak(text) {
    if (!this.isOn('voice') || !globalThis.speechSynthesis) return;
    speechSynthesis.speak(Object.assign(new SpeechSynthesisUtterance(text), { lang: language }));
  }
}
