// Something that tells: handlers by type. And a channel that is followed, which comes back by itself.

/** @typedef {(data: any, message: any) => unknown} Handler */

export class Teller {
  /** @type {Map<string, Set<Handler>>} */
  #handlers = new Map();
  /**
   * Who is told what a handler throws.
   * @type {(error: unknown) => void}
   */
  onFault = () => {};

  /**
   * @param {string} type of an event or a state; `*` for all
   * @param {Handler} handler may answer with a promise: the event counts as applied when that is kept
   * @returns {() => void} ends it
   */
  on(type, handler) {
    const handlers = this.#handlers.get(type) ?? new Set();
    this.#handlers.set(type, handlers.add(handler));
    return () => void handlers.delete(handler);
  }

  /** @param {string} type */
  hears(type) {
    return Boolean(this.#handlers.get(type)?.size);
  }

  /**
   * What its handlers have answered; undefined instead if one has thrown.
   * @param {string} type
   * @param {unknown} data
   * @param {unknown} message
   */
  tell(type, data, message) {
    let isDone = true;
    const answers = [];
    for (const handler of [...(this.#handlers.get(type) ?? []), ...(this.#handlers.get('*') ?? [])]) {
      try {
        answers.push(handler(data, message));
      } catch (error) {
        isDone = false;
        if (type === 'fault') console.error('kerbside:', error);
        else this.onFault(error);
      }
    }
    return isDone ? answers : undefined;
  }
}

/**
 * Channels with a history: they go on where they were [U2].
 * @param {string} channel
 */
export const isResumed = (channel) => /^(topic:|line:|events:|catalog$|office$)/.test(channel);

/**
 * `live`: the hub has answered on this connection. `pending`: it will be asked. `refused`, `closed`: it is over.
 * @typedef {'pending' | 'live' | 'refused' | 'closed'} SubscriptionState
 */

export class Subscription extends Teller {
  /** @type {SubscriptionState} */
  state = 'pending';
  #leave;
  #ask;

  /**
   * @param {string} channel
   * @param {Record<string, unknown>} fields of the command
   * @param {(one: Subscription) => void} ask
   * @param {(one: Subscription) => void} leave
   */
  constructor(channel, fields, ask, leave) {
    super();
    this.channel = channel;
    this.fields = fields;
    this.#ask = ask;
    this.#leave = leave;
  }

  /**
   * Other fields from now on: a circle that moves, another filter.
   * @param {Record<string, unknown>} fields
   */
  change(fields) {
    if (this.state === 'refused' || this.state === 'closed') return;
    this.fields = { ...this.fields, ...fields };
    this.#ask(this);
  }

  /** Not followed any more. */
  close() {
    if (this.state !== 'closed') this.#leave(this);
    this.state = 'closed';
  }
}
