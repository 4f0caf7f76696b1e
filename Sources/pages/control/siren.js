// The sound of an alarm: two tones, again and again. Browsers let a page sound only after somebody has touched it.

/** One turn of both tones, s. */
const TURN = 1.2;

export class Siren {
  /** @type {AudioContext | undefined} */
  #context;
  #isOn = false;
  #timer = 0;
  #changed;

  /** @param {() => void} changed it can be heard now, or not any more */
  constructor(changed) {
    this.#changed = changed;
    for (const touch of ['pointerdown', 'keydown']) addEventListener(touch, () => this.wake(), { once: true });
  }

  /** Whether it would not be heard. */
  get isMute() {
    return this.#context?.state !== 'running';
  }

  async wake() {
    this.#context ??= new AudioContext();
    await this.#context.resume();
    if (this.#isOn) this.#changed();
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
    const context = this.#context;
    if (context?.state !== 'running') return;
    const volume = context.createGain();
    volume.gain.value = 0.25;
    volume.connect(context.destination);
    [960, 720].forEach((tone, index) => {
      const voice = context.createOscillator();
      voice.frequency.value = tone;
      voice.connect(volume);
      voice.start(context.currentTime + (index * TURN) / 3);
      voice.stop(context.currentTime + ((index + 1) * TURN) / 3);
    });
  }
}
