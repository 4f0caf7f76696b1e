// Tones without a file. Browsers let a page sound only after somebody has touched it, or pressed a key.

/** @typedef {[number, number]} Note Hz, and when it begins, s */

/** What may let a page sound: that of a finger counts for browsers when it ends, that of a mouse when it begins. */
export const TOUCHES = ['pointerdown', 'pointerup', 'keydown'];
/** A browser that lets the page not sound may never answer, ms. */
const PATIENCE = 1000;

export class Sound {
  /** @type {AudioContext | undefined} */
  #audio;
  #changed;

  /** @param {() => void} [changed] it is ready now, or not any more */
  constructor(changed = () => {}) {
    this.#changed = changed;
  }

  get isReady() {
    return this.#audio?.state === 'running';
  }

  /** To be called when somebody touches the page. */
  async unlock() {
    try {
      this.#audio ??= this.#open();
      if (this.isReady) return;
      await Promise.race([this.#audio.resume(), new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
    } catch {
      // Here is no sound to be had: it is not ready.
    }
  }

  #open() {
    const audio = new AudioContext();
    audio.addEventListener('statechange', this.#changed);
    return audio;
  }

  /**
   * Nothing, unless it is ready.
   * @param {Note[]} notes @param {{ loudness: number, length: number }} form `loudness`: 0 to 1; `length` of each, s
   */
  play(notes, { loudness, length }) {
    const audio = this.#audio;
    if (!audio || !this.isReady) return;
    for (const [pitch, after] of notes) {
      const [tone, volume, begin] = [audio.createOscillator(), audio.createGain(), audio.currentTime + after];
      tone.frequency.value = pitch;
      // Without a click at either end.
      volume.gain.setValueAtTime(0.0001, begin);
      volume.gain.exponentialRampToValueAtTime(loudness, begin + 0.02);
      volume.gain.exponentialRampToValueAtTime(0.0001, begin + length);
      tone.connect(volume).connect(audio.destination);
      tone.start(begin);
      tone.stop(begin + length);
    }
  }
}
