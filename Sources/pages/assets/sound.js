// Tones without a file. Browsers let a page sound only after somebody has touched it, or pressed a key.

/** @typedef {[number, number]} Note Hz, and when it begins, s */

export class Sound {
  /** @type {AudioContext | undefined} */
  #audio;

  get isReady() {
    return this.#audio?.state === 'running';
  }

  /** To be called when somebody touches the page. */
  async unlock() {
    this.#audio ??= new AudioContext();
    if (!this.isReady) await this.#audio.resume().catch(() => {});
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
