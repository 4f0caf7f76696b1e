// What is kept on the device: acts until they have ended, and the places of channels. Writes go one after the other.

/** @typedef {import('./outbox.js').Entry} Entry */

export class Device {
  #storage;
  #remembers;
  #fault;
  /** @type {Promise<unknown>} */
  #writing = Promise.resolve();

  /** @param {import('./storage.js').Storage} storage @param {boolean} remembers places @param {(error: unknown) => void} fault */
  constructor(storage, remembers, fault) {
    this.#storage = storage;
    this.#remembers = remembers;
    this.#fault = fault;
  }

  /** Acts in their order, and channel → place. */
  async load() {
    /** @type {Pick<Entry, 'name' | 'cmd' | 'fields' | 'at' | 'until'>[]} */
    const acts = [];
    /** @type {Map<string, string>} */
    const places = new Map();
    try {
      for (const [name, text] of (await this.#storage.all()).sort(([a], [b]) => (a < b ? -1 : 1))) {
        if (name.startsWith('seq:') && this.#remembers) places.set(name.slice(4), text);
        if (name.startsWith('act:')) this.#read(name, text, acts);
      }
    } catch (error) {
      this.#fault(error);
    }
    return { acts, places };
  }

  /** @param {string} name @param {string} text @param {object[]} acts */
  #read(name, text, acts) {
    try {
      acts.push({ ...JSON.parse(text), name, isKept: true });
    } catch (error) {
      // One that can't be read is no reason to lose the others.
      this.#write(() => this.#storage.remove(name));
      this.#fault(error);
    }
  }

  /**
   * Calls `then` when the act is kept, or can't be: then it is sent as long as the app lives [O3].
   * @param {Entry} entry
   * @param {() => void} then
   */
  keep(entry, then) {
    const { cmd, fields, key, at, until, who } = entry;
    try {
      const writing = this.#storage.put(entry.name, JSON.stringify({ cmd, fields, key, at, until, who }));
      if (writing) return void writing.catch(this.#fault).then(then);
    } catch (error) {
      this.#fault(error);
    }
    return then();
  }

  /**
   * The act has ended.
   * @param {Entry} entry
   */
  forget(entry) {
    this.#write(() => this.#storage.remove(entry.name));
  }

  /**
   * Applied up to here, when the handlers' answers are kept [R5].
   * @param {string} channel
   * @param {string} seq
   * @param {unknown[]} answers
   */
  place(channel, seq, answers) {
    if (!this.#remembers) return;
    const applied = Promise.allSettled(answers);
    this.#write(async () => {
      for (const one of await applied) if (one.status === 'rejected') this.#fault(one.reason);
      await this.#storage.put(`seq:${channel}`, seq);
    });
  }

  /** @param {string} channel */
  leave(channel) {
    if (this.#remembers) this.#write(() => this.#storage.remove(`seq:${channel}`));
  }

  /** @param {() => unknown} what */
  #write(what) {
    this.#writing = this.#writing.then(what).catch(this.#fault);
  }
}
