// A client of a Kerbside hub. It carries out what connection.js, outbox.js and feeds.js decide: socket, clock, storage and
// the app's handlers are here, decisions are there. ../behaviour.md has the rules that are named in brackets.

import { Connection } from './connection.js';
import { LIMITS, LONGEST_TIMER, OF_CONNECTION, claimsOf, isQuestion } from './decisions.js';
import { Vehicles, isFeed } from './feeds.js';
import { Outbox } from './outbox.js';
import { memoryStorage } from './storage.js';
import { Subscription, Teller, isResumed } from './subscription.js';
import { webSocket } from './transport.js';

export { indexedStore, localStore, memoryStorage } from './storage.js';

/**
 * @typedef {import('./messages').Commands} Commands
 * @typedef {import('./messages').Replies} Replies
 * @typedef {import('./messages').OwnMessages} OwnMessages
 * @typedef {import('./messages').HubError} HubError
 * @typedef {import('./outbox.js').Entry} Entry
 * @typedef {import('./outbox.js').Outcome} Outcome
 * @typedef {import('./connection.js').Timer | 'outbox'} Timer
 *
 * @typedef {object} Clock
 * @property {() => number} now Unix ms
 * @property {(ms: number, call: () => void) => any} set
 * @property {(timer: any) => void} clear
 *
 * @typedef {object} Options
 * @property {string} url `wss://<host>/v1/connect`
 * @property {(refused?: string) => string | null | Promise<string | null>} token asked whenever one is needed, one time after
 *   the other; `refused` is the one that the hub took no more. Null: there is none, log in first
 * @property {import('./storage.js').Storage} [storage] where commands wait; in memory if left out
 * @property {boolean} [remembers] the app keeps what it knows, so after its restart it wants only what it missed [R5]
 * @property {import('./transport.js').Transport} [transport]
 * @property {Clock} [clock]
 * @property {() => number} [random]
 *
 * What the client itself tells, besides the messages of one's own channel.
 * @typedef {object} Told
 * @property {{ state: import('./connection.js').State, reason: string, wait: number }} state
 * @property {{ channel: string }} gap what is known of the channel is to be forgotten
 * @property {{ cmd: string, key?: string, fields: object, ok?: any, error?: HubError }} outcome of a command
 * @property {HubError} refused a position, or a channel to resume
 * @property {{ changed: string[] }} vehicles that have changed in `vehicles`, or gone
 * @property {unknown} fault thrown by a handler or the storage, or a message that nobody understands
 */

/** What a command was refused with: `code`, `detail`, `retry` as the hub said it, or one of the client's own [O9]. */
export class Refused extends Error {
  /** @param {string} cmd @param {{ code: string, detail: string, title: string, retry: boolean, retry_after_ms?: number }} error */
  constructor(cmd, error) {
    super(`${cmd}: ${error.code}: ${error.detail}`);
    this.name = 'Refused';
    this.error = error;
    this.code = error.code;
  }
}

/** @type {Clock} */
const SYSTEM_CLOCK = {
  now: () => Date.now(),
  set: (ms, call) => setTimeout(call, ms),
  clear: (timer) => clearTimeout(timer),
};

/** Its own channel carries them, and they are answered by the app itself [A1]. */
const OFFERS = ['offer.made', 'seat.requested'];

export class Kerbside {
  /** All vehicles that any feed shows: a Map by id. */
  vehicles = new Vehicles();
  /** `role:subject`, once the hub has said so; the own channel, unless the role has none. */
  who = '';
  #options;
  #clock;
  #storage;
  #open;
  #connection;
  #outbox;
  #teller = new Teller();
  /** @type {Map<number, import('./transport.js').Link>} */
  #links = new Map();
  /** @type {Map<Timer, any>} */
  #timers = new Map();
  /** @type {Map<string, Subscription>} */
  #subscriptions = new Map();
  /**
   * channel → the last `seq` that was applied, and those of late.
   * @type {Map<string, string>}
   */
  #places = new Map();
  /** @type {Map<string, Set<string>>} */
  #recent = new Map();
  /** @type {Map<Entry, (outcome: Outcome) => void>} */
  #waiting = new Map();
  /** @type {Record<string, unknown> | undefined} */
  #fix;
  #id = 0;
  #hello = 0;
  #acts = 0;
  #isRunning = false;
  /** @type {Promise<unknown> | undefined} while the storage is read for the first time */
  #loading;
  #isLoaded = false;
  /**
   * Writes, one after the other.
   * @type {Promise<unknown>}
   */
  #writing = Promise.resolve();

  /** @param {Options} options */
  constructor(options) {
    const random = options.random ?? Math.random;
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#storage = options.storage ?? memoryStorage();
    this.#open = options.transport ?? webSocket;
    this.#connection = new Connection(random);
    this.#outbox = new Outbox(random);
    this.#teller.onFault = (error) => this.#fault(error);
  }

  get state() {
    return this.#connection.state;
  }

  /** The hub's time, Unix ms. */
  get time() {
    return this.#clock.now() + this.#connection.offset;
  }

  /** Commands that wait for the link or for their reply. */
  get pending() {
    return this.#outbox.entries.filter((entry) => entry.isKept).map(({ cmd, fields, key }) => ({ cmd, fields, key }));
  }

  /** Connects, and comes back until `stop`. */
  async start() {
    await this.#load();
    this.#connection.start(this.#clock.now());
    this.#run();
  }

  /** Says goodbye. Commands that wait stay in the storage, and are sent after the next `start`. */
  stop() {
    this.#connection.stop();
    this.#run();
  }

  /** The network or the app's window is back: tries at once, or looks whether the link lives [B4]. */
  wake() {
    this.#connection.wake(this.#clock.now());
    this.#run();
  }

  /**
   * Tells of an event or a state of one's own channel by its type, or of what the client itself has to say.
   * @template {keyof (OwnMessages & Told)} T
   * @param {T} type
   * @param {(data: (OwnMessages & Told)[T], message: any) => unknown} handler
   * @returns {() => void} ends it
   */
  on(type, handler) {
    return this.#teller.on(type, handler);
  }

  /**
   * Sends a command, at once or when there is a link. What changes something is kept and takes effect once. Rejects with `Refused`.
   * @template {keyof Commands} C
   * @param {C} cmd
   * @param {Commands[C]} fields
   * @param {{ key?: string }} [options] `key`: of an act that the app itself has kept
   * @returns {Promise<Replies[C]>}
   */
  call(cmd, fields, options = {}) {
    const now = this.#clock.now();
    if (OF_CONNECTION.includes(cmd)) throw new TypeError(`${cmd} is sent by the client itself`);
    const isAct = !isQuestion(cmd);
    if (isAct && this.#outbox.isFull) {
      return Promise.reject(
        new Refused(cmd, { code: 'outbox_full', title: 'Too much waits', detail: `${LIMITS.outbox} commands wait for a link.`, retry: true }),
      );
    }
    const key = isAct ? options.key ?? newKey() : undefined;
    const name = `act:${String(now).padStart(15, '0')}-${String(++this.#acts).padStart(9, '0')}-${key}`;
    const until = now + (isAct ? LIMITS.outboxAge : LIMITS.questionAge);
    const entry = this.#outbox.add({ name, cmd, fields: { ...fields }, key, at: now, until, isKept: isAct, isStored: !isAct });
    entry.who = this.who || this.#whoOf(this.#connection.token) || undefined;
    /** @type {Promise<any>} */
    const promise = new Promise((resolve, reject) => {
      this.#waiting.set(entry, (outcome) => ('ok' in outcome ? resolve(outcome.ok) : reject(new Refused(cmd, outcome.error))));
    });
    // Who doesn't look at it is told by `outcome`.
    promise.catch(() => {});
    if (isAct) this.#keep(entry);
    this.#pump();
    return promise;
  }

  /**
   * Where the device is. Only the latest counts: without a link it waits for one, and the next replaces it.
   * @param {Commands['position']} fix
   */
  position(fix) {
    this.#fix = { cmd: 'position', ...fix };
    this.#sendFix();
  }

  /**
   * Follows a channel: `topic:…`, `line:…`, `zone:…`, `vehicle:…`, `events:…`, `city`, `catalog`, `office`. What comes of a feed of
   * vehicles is in `vehicles`.
   * @param {string} channel
   * @param {Omit<Commands['subscribe'], 'channel'>} [fields]
   */
  subscribe(channel, fields = {}) {
    return this.#follow(channel, { channel, ...fields });
  }

  /**
   * Follows the vehicles around a place; `change` moves the circle.
   * @param {Commands['watch']} fields
   */
  watch(fields) {
    return this.#follow('near', { ...fields });
  }

  // What the app's calls begin

  /** @param {string} channel @param {Record<string, unknown>} fields */
  #follow(channel, fields) {
    const known = this.#subscriptions.get(channel);
    if (known) {
      known.change(fields);
      return known;
    }
    const one = new Subscription(channel, fields, (one) => this.#ask(one), (one) => this.#leave(one));
    one.onFault = (error) => this.#fault(error);
    this.#subscriptions.set(channel, one);
    this.#ask(one);
    return one;
  }

  /** @param {Subscription} one */
  #ask(one) {
    one.state = 'pending';
    if (!this.#connection.isGreeted) return;
    const place = this.#places.get(one.channel);
    const since = isResumed(one.channel) && place !== undefined ? { since: place } : {};
    const cmd = one.channel === 'near' ? 'watch' : 'subscribe';
    const entry = this.#outbox.add({
      name: '', cmd, fields: { ...one.fields, ...since }, at: this.#clock.now(), until: Infinity, isBound: true,
    });
    this.#waiting.set(entry, (outcome) => this.#answered(one, outcome, place));
    this.#pump();
  }

  /** @param {Subscription} one @param {Outcome} outcome @param {string | undefined} since where it stood when it was asked */
  #answered(one, outcome, since) {
    if (this.#subscriptions.get(one.channel) !== one || ('error' in outcome && outcome.error.code === 'left')) return;
    if ('ok' in outcome) {
      one.state = 'live';
      // Unless something has come already, which is later.
      if (outcome.ok.seq !== undefined && this.#places.get(one.channel) === since) this.#place(one.channel, outcome.ok.seq);
      one.tell('subscribed', outcome.ok, undefined);
    } else {
      one.state = 'refused';
      this.#subscriptions.delete(one.channel);
      this.#told(this.vehicles.leave(one.channel));
      one.tell('refused', outcome.error, undefined);
    }
  }

  /** @param {Subscription} one */
  #leave(one) {
    if (this.#subscriptions.get(one.channel) !== one) return;
    this.#subscriptions.delete(one.channel);
    this.#places.delete(one.channel);
    this.#write(() => this.#storage.remove(`seq:${one.channel}`));
    this.#told(this.vehicles.leave(one.channel));
    if (!this.#connection.isGreeted) return;
    const [cmd, fields] = one.channel === 'near' ? ['unwatch', {}] : ['unsubscribe', { channel: one.channel }];
    const entry = this.#outbox.add({ name: '', cmd, fields, at: this.#clock.now(), until: Infinity, isBound: true });
    // What was under way meanwhile is gone, too.
    this.#waiting.set(entry, () => {
      if (!this.#subscriptions.has(one.channel)) this.#told(this.vehicles.leave(one.channel));
    });
    this.#pump();
  }

  #sendFix() {
    if (!this.#fix || !this.#connection.isGreeted) return;
    this.#send(this.#fix);
    this.#fix = undefined;
  }

  // Storage

  #load() {
    if (this.#isLoaded) return undefined;
    this.#loading ??= (async () => {
      const kept = await this.#storage.all();
      this.#loaded(kept);
    })().catch((error) => {
      this.#isLoaded = true;
      this.#fault(error);
    });
    return this.#loading;
  }

  /** @param {[string, string][]} kept */
  #loaded(kept) {
    this.#isLoaded = true;
    const later = this.#outbox.entries;
    this.#outbox.entries = [];
    const names = new Set(later.map((entry) => entry.name));
    for (const [name, text] of kept.sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (name.startsWith('seq:') && this.#options.remembers) this.#places.set(name.slice(4), text);
      if (name.startsWith('act:') && !names.has(name)) this.#outbox.add({ ...JSON.parse(text), name, isKept: true });
    }
    this.#outbox.entries.push(...later);
  }

  /**
   * What is kept is written before it is sent [O3].
   * @param {Entry} entry
   */
  #keep(entry) {
    const { cmd, fields, key, at, until, who } = entry;
    const stored = () => {
      entry.isStored = true;
    };
    try {
      const writing = this.#storage.put(entry.name, JSON.stringify({ cmd, fields, key, at, until, who }));
      if (!writing) return stored();
      writing
        .catch((error) => this.#fault(error))
        .then(() => {
          stored();
          this.#pump();
        });
    } catch (error) {
      // It can't be kept, so it is sent as long as the app lives.
      stored();
      this.#fault(error);
    }
  }

  /**
   * After all that was written before.
   * @param {() => unknown} what
   */
  #write(what) {
    this.#writing = this.#writing.then(what).catch((error) => this.#fault(error));
  }

  // What was decided

  #run() {
    // A handler that calls `stop` comes here again: the loop below goes on with that.
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (let actions = this.#connection.take(); actions.length; actions = this.#connection.take()) {
      for (const action of actions) this.#do(action);
    }
    this.#isRunning = false;
    this.#pump();
  }

  /** @param {import('./connection.js').Action} action */
  #do(action) {
    switch (action.do) {
      case 'open':
        return this.#connect(action.link);
      case 'close': {
        const link = this.#links.get(action.link);
        this.#links.delete(action.link);
        return link?.close(action.code);
      }
      case 'hello':
        return this.#greet(action.token);
      case 'ping':
        // Its reply is the pong: it leaves what nobody follows [P2].
        return this.#send({ id: ++this.#id, cmd: 'unsubscribe', channel: 'topic:ping' });
      case 'lost':
        for (const one of this.#subscriptions.values()) one.state = 'pending';
        return this.#endAll(this.#outbox.lost());
      case 'token':
        return void this.#token(action.refused);
      case 'timer':
        return this.#timer(action.timer, action.ms);
      case 'state': {
        const { state, reason, wait } = action;
        return void this.#teller.tell('state', { state, reason, wait }, undefined);
      }
    }
  }

  /** @param {number} number */
  #connect(number) {
    const now = () => this.#clock.now();
    /** @param {() => void} what */
    const then = (what) => {
      if (!this.#links.has(number)) return;
      what();
      this.#run();
    };
    try {
      const link = this.#open(this.#options.url, {
        opened: () => then(() => this.#connection.opened(number, now())),
        heard: () => then(() => this.#connection.heard(number, now())),
        message: (text) => then(() => this.#message(number, text)),
        closed: (code, reason) =>
          then(() => {
            this.#links.delete(number);
            this.#connection.lost(number, code, reason, now());
          }),
      });
      this.#links.set(number, link);
    } catch (error) {
      this.#fault(error);
      this.#connection.lost(number, 1006, 'no socket', now());
    }
  }

  /** @param {string | undefined} refused */
  async #token(refused) {
    try {
      this.#connection.gotToken(await this.#options.token(refused));
    } catch (error) {
      this.#fault(error);
      this.#connection.tokenFailed();
    }
    this.#run();
  }

  /** @param {Timer} timer @param {number | undefined} ms */
  #timer(timer, ms) {
    if (this.#timers.has(timer)) this.#clock.clear(this.#timers.get(timer));
    this.#timers.delete(timer);
    if (ms === undefined) return;
    const set = this.#clock.set(Math.min(ms, LONGEST_TIMER), () => {
      this.#timers.delete(timer);
      if (timer !== 'outbox') this.#connection.fired(timer, this.#clock.now());
      this.#run();
    });
    this.#timers.set(timer, set);
  }

  /** @param {object} message */
  #send(message) {
    this.#links.get(this.#connection.link)?.send(JSON.stringify(message));
  }

  /** Sends what is due, and looks again when the next is. */
  #pump() {
    if (this.#isRunning) return;
    const now = this.#clock.now();
    this.#endAll(this.#outbox.expire(now));
    if (this.#connection.isGreeted) {
      for (const entry of this.#outbox.ready(now)) {
        const { cmd, fields, key } = entry;
        this.#outbox.sent(entry, ++this.#id, now);
        this.#send({ id: this.#id, cmd, ...fields, ...(key === undefined ? {} : { key }) });
      }
    }
    const next = this.#outbox.nextAt(now);
    this.#timer('outbox', next === undefined || next === Infinity ? undefined : Math.max(0, next - now));
  }

  // Hello

  /** @param {string | undefined} token */
  #whoOf(token) {
    const { role, sub } = claimsOf(token ?? '');
    return role && sub ? `${role}:${sub}` : '';
  }

  /** @param {string} token */
  #greet(token) {
    const own = this.#whoOf(token) || this.who;
    const followed = [...this.#subscriptions.keys()].filter(isResumed);
    const places = [own, ...followed].flatMap((channel) => {
      const place = this.#places.get(channel);
      return place === undefined ? [] : [[channel, place]];
    });
    const resume = Object.fromEntries(places.slice(0, LIMITS.resumed));
    this.#hello = ++this.#id;
    this.#send({ id: this.#hello, cmd: 'hello', token, ...(places.length ? { resume } : {}) });
  }

  /** @param {import('./messages').Replies['hello']} reply */
  #greeted(reply) {
    const own = `${reply.role}:${reply.subject}`;
    this.who = own;
    for (const [channel, seq] of Object.entries(reply.seq)) this.#place(channel, seq);
    this.#endAll(this.#outbox.belongTo(own));
    this.#connection.greeted(reply, this.#clock.now());
    this.#sendFix();
    // A taxi that came unasked is gone with its ride.
    for (const channel of this.vehicles.channels) {
      if (!this.#subscriptions.has(channel) && !reply.channels.includes(channel)) this.#told(this.vehicles.leave(channel));
    }
    for (const one of [...this.#subscriptions.values()]) {
      // What hello has resumed goes on; the others are asked for.
      if (isResumed(one.channel) && reply.channels.includes(one.channel)) one.state = 'live';
      else this.#ask(one);
    }
  }

  /** @param {HubError} error */
  #notGreeted(error) {
    if (error.code === 'bad_message' && this.#places.size) {
      // A place that the hub does not understand is no place: begin anew, and say so [R6].
      const channels = [...this.#places.keys()];
      this.#places.clear();
      for (const channel of channels) this.#gap(channel);
      this.#greet(this.#connection.token ?? '');
    } else {
      this.#connection.refused(error);
    }
  }

  // What comes

  /** @param {number} link @param {string} text */
  #message(link, text) {
    if (link !== this.#connection.link) return;
    this.#connection.heard(link, this.#clock.now());
    /** @type {any} */
    let message;
    try {
      message = JSON.parse(text);
    } catch (error) {
      this.#fault(error);
      return;
    }
    if (message === null || typeof message !== 'object') return;
    if ('id' in message) this.#reply(message);
    else if ('error' in message) this.#teller.tell('refused', message.error, message);
    else if (typeof message.ch === 'string') this.#push(message);
  }

  /** @param {any} message */
  #reply(message) {
    if (message.id !== this.#hello) {
      const ended = this.#outbox.reply(message.id, message, this.#clock.now());
      if (ended) this.#end(...ended);
    } else if ('ok' in message) {
      this.#greeted(message.ok);
    } else {
      this.#notGreeted(message.error);
    }
  }

  /** @param {[Entry, Outcome][]} ended */
  #endAll(ended) {
    for (const one of ended) this.#end(...one);
  }

  /** @param {Entry} entry @param {Outcome} outcome */
  #end(entry, outcome) {
    if (entry.isKept) this.#write(() => this.#storage.remove(entry.name));
    this.#waiting.get(entry)?.(outcome);
    this.#waiting.delete(entry);
    const { cmd, fields, key } = entry;
    if (key !== undefined) this.#teller.tell('outcome', { cmd, fields, key, ...outcome }, undefined);
  }

  /** @param {{ ch: string, type: string, seq?: string, time: number, data: any }} message */
  #push(message) {
    const { ch, type, seq, data } = message;
    if (isFeed(ch)) {
      // A passenger's own taxi comes unasked.
      if (this.#subscriptions.has(ch) || ch.startsWith('vehicle:')) this.#told(this.vehicles.apply(/** @type {any} */ (message)));
    }
    if (type === 'gap') return this.#gap(ch);
    const teller = ch === this.who ? this.#teller : this.#subscriptions.get(ch);
    if (!teller) return undefined;
    if (seq === undefined) return void teller.tell(type, data, message);
    const recent = this.#recent.get(ch) ?? new Set();
    this.#recent.set(ch, recent);
    // Each is applied once [R2].
    if (recent.has(seq)) return undefined;
    recent.add(seq);
    if (recent.size > LIMITS.recent) recent.delete(recent.values().next().value);
    const answers = teller.tell(type, data, message);
    if (teller === this.#teller && OFFERS.includes(type) && answers) this.#seen(type, data);
    return this.#place(ch, seq, answers);
  }

  /**
   * Applied up to here.
   * @param {string} channel
   * @param {string} seq
   * @param {unknown[]} [answers] of handlers, which are waited for
   */
  #place(channel, seq, answers = []) {
    this.#places.set(channel, seq);
    if (!this.#options.remembers) return;
    const applied = Promise.allSettled(answers);
    this.#write(async () => {
      for (const one of await applied) if (one.status === 'rejected') this.#fault(one.reason);
      await this.#storage.put(`seq:${channel}`, seq);
    });
  }

  /** @param {string} channel */
  #gap(channel) {
    this.#recent.delete(channel);
    if (channel !== this.who && !this.#subscriptions.has(channel)) return;
    const told = { channel };
    if (!this.#teller.hears('gap')) console.warn(`kerbside: what happened on ${channel} is not known; it begins anew`);
    this.#teller.tell('gap', told, undefined);
    this.#subscriptions.get(channel)?.tell('gap', told, undefined);
  }

  /**
   * An offer is on the screen: its clock starts [A1].
   * @param {string} type
   * @param {{ ride?: string, booking?: string, expires_at?: number }} offer
   */
  #seen(type, offer) {
    // Nobody has shown it, or it is over long ago.
    if (!this.#teller.hears(type) || (offer.expires_at ?? Infinity) <= this.time) return;
    const now = this.#clock.now();
    this.#outbox.add({ name: '', cmd: 'offer.seen', fields: { ride: offer.ride ?? offer.booking }, at: now, until: now + LIMITS.seenAge });
  }

  /** @param {string[]} changed */
  #told(changed) {
    if (changed.length) this.#teller.tell('vehicles', { changed }, undefined);
  }

  /** @param {unknown} error */
  #fault(error) {
    // What the handler of faults throws is nobody's.
    if (this.#teller.hears('fault')) queueMicrotask(() => this.#teller.tell('fault', error, undefined));
    else console.error('kerbside:', error);
  }
}

/** Of one person's commands no two have the same; nobody else's matter. */
function newKey() {
  const half = () => Math.random().toString(36).slice(2, 13);
  return globalThis.crypto?.randomUUID?.() ?? `${half()}-${half()}`;
}
