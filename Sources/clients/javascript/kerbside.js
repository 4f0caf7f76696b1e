// A client of a Kerbside hub. It carries out what connection.js and outbox.js decide: sockets, clock and the app's calls are here,
// decisions are there; channels.js has what is read. ../behaviour.md has the rules that are named in brackets.

import { Channels } from './channels.js';
import { Connection } from './connection.js';
import { LIMITS, LONGEST_TIMER, OF_CONNECTION, isQuestion, ownOf } from './decisions.js';
import { Device } from './device.js';
import { Refused, SYSTEM_CLOCK } from './options.js';
import { Outbox, newKey } from './outbox.js';
import { memoryStorage } from './storage.js';
import { browserLink } from './stream.js';
import { Teller } from './subscription.js';

export { Refused } from './options.js';
export { indexedStore, localStore, memoryStorage } from './storage.js';

/**
 * @typedef {import('./messages').Commands} Commands
 * @typedef {import('./messages').Replies} Replies
 * @typedef {import('./messages').OwnMessages & import('./options.js').Told} Told
 * @typedef {import('./outbox.js').Entry} Entry
 * @typedef {import('./outbox.js').Outcome} Outcome
 * @typedef {import('./connection.js').Timer | 'outbox'} Timer
 */

export class Kerbside {
  #options;
  #clock;
  #device;
  #connection;
  #outbox;
  #channels;
  #teller = new Teller();
  /** @type {Map<number, import('./transport.js').Link>} */
  #links = new Map();
  /** @type {Map<Timer, any>} */
  #timers = new Map();
  /** @type {Map<Entry, (outcome: Outcome) => void>} */
  #waiting = new Map();
  /** @type {Record<string, unknown> | undefined} */
  #fix;
  #id = 0;
  #hello = 0;
  #acts = 0;
  #isWanted = false;
  #isRunning = false;
  /** @type {Promise<void> | undefined} the device is read, once */
  #loading;

  /** @param {import('./options.js').Options} options */
  constructor(options) {
    const random = options.random ?? Math.random;
    /** @param {unknown} error */
    const fault = (error) => this.#fault(error);
    this.#options = { ...options, transport: options.transport ?? browserLink() };
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#device = new Device(options.storage ?? memoryStorage(), options.remembers ?? false, fault);
    this.#connection = new Connection(random);
    this.#outbox = new Outbox(random);
    this.#teller.onFault = fault;
    this.#channels = new Channels({
      teller: this.#teller,
      device: this.#device,
      isGreeted: () => this.#connection.isGreeted,
      ask: (cmd, fields, then) => this.#add({ cmd, fields, until: Infinity, isBound: true }, then),
      seen: (ride) => this.#add({ cmd: 'offer.seen', fields: { ride }, until: this.#clock.now() + LIMITS.seenAge }),
      time: () => this.time,
      fault,
    });
  }

  get state() {
    return this.#connection.state;
  }

  /** `role:subject`, once it is known: the own channel, unless the role has none. */
  get who() {
    return this.#channels.own;
  }

  /** All vehicles that any feed shows: a Map by id. */
  get vehicles() {
    return this.#channels.vehicles;
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
    this.#isWanted = true;
    await (this.#loading ??= this.#load());
    if (this.#isWanted) this.#connection.start(this.#clock.now());
    this.#run();
  }

  /** Says goodbye. Commands that wait stay on the device, and are sent after the next `start` [S2]. */
  stop() {
    this.#isWanted = false;
    this.#connection.stop();
    this.#run();
  }

  /** The network or the app's window is back: tries at once, or looks whether the link lives [B4]. */
  wake() {
    this.#connection.wake(this.#clock.now());
    this.#run();
  }

  /**
   * Tells of an event or a state of one's own channel by its type, or of what the client itself has to say. What it returns ends it.
   * @template {keyof Told} T
   * @param {T} type
   * @param {(data: Told[T], message: any) => unknown} handler
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
    if (OF_CONNECTION.includes(cmd)) throw new TypeError(`${cmd} is sent by the client itself`);
    const isAct = !isQuestion(cmd);
    if (isAct && this.#outbox.isFull) {
      const detail = `${LIMITS.outbox} commands wait for a link.`;
      return Promise.reject(new Refused(cmd, { code: 'outbox_full', title: 'Too much waits', detail, retry: true }));
    }
    const now = this.#clock.now();
    const key = isAct ? options.key ?? newKey() : undefined;
    const name = `act:${String(now).padStart(15, '0')}-${String(++this.#acts).padStart(9, '0')}-${key}`;
    const until = now + (isAct ? LIMITS.outboxAge : LIMITS.questionAge);
    const who = isAct ? this.who || ownOf(this.#connection.token) || undefined : undefined;
    /** @type {Promise<any>} */
    const promise = new Promise((resolve, reject) => {
      this.#add({ name, cmd, fields: { ...fields }, key, until, who, isKept: isAct, isStored: !isAct }, (outcome) => {
        if ('ok' in outcome) resolve(outcome.ok);
        else reject(new Refused(cmd, outcome.error));
      });
    });
    // Who doesn't look at it is told by `outcome`.
    promise.catch(() => {});
    return promise;
  }

  /**
   * Where the device is. Only the latest counts: without a link it waits for one, and the next replaces it [A2].
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
    return this.#channels.follow(channel, { channel, ...fields });
  }

  /** @param {Commands['watch']} fields the vehicles around a place are followed; `change` moves the circle */
  watch(fields) {
    return this.#channels.follow('near', { ...fields });
  }

  // Commands

  /** @param {Partial<Entry> & Pick<Entry, 'cmd' | 'fields' | 'until'>} fields @param {(outcome: Outcome) => void} [then] */
  #add(fields, then) {
    const entry = this.#outbox.add({ name: '', at: this.#clock.now(), ...fields });
    if (then) this.#waiting.set(entry, then);
    if (entry.isStored) return this.#pump();
    this.#device.keep(entry, () => {
      entry.isStored = true;
      this.#pump();
    });
  }

  /** Sends what is due, and looks again when the next is. */
  #pump() {
    if (this.#isRunning) return;
    const now = this.#clock.now();
    this.#end(this.#outbox.expire(now));
    if (this.#connection.isGreeted) {
      for (const entry of this.#outbox.ready(now)) {
        const { cmd, fields, key } = entry;
        this.#outbox.sent(entry, ++this.#id, now);
        this.#send({ id: this.#id, cmd, ...fields, ...(key === undefined ? {} : { key }) });
      }
    }
    this.#timer('outbox', this.#outbox.waitFrom(now));
  }

  /** @param {[Entry, Outcome][]} ended */
  #end(ended) {
    for (const [entry, outcome] of ended) {
      const { cmd, fields, key } = entry;
      if (entry.isKept) this.#device.forget(entry);
      this.#waiting.get(entry)?.(outcome);
      this.#waiting.delete(entry);
      if (key !== undefined) this.#teller.tell('outcome', { cmd, fields, key, ...outcome }, undefined);
    }
  }

  #sendFix() {
    if (!this.#fix || !this.#connection.isGreeted) return;
    this.#send(this.#fix);
    this.#fix = undefined;
  }

  async #load() {
    const { acts, places } = await this.#device.load();
    // What was done since the app's start comes behind.
    const later = this.#outbox.entries;
    const names = new Set(later.map((entry) => entry.name));
    this.#outbox.entries = [];
    for (const act of acts) if (!names.has(act.name)) this.#outbox.add(act);
    this.#outbox.entries.push(...later);
    this.#channels.restore(places);
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
        return this.#open(action.link);
      case 'close': {
        const link = this.#links.get(action.link);
        this.#links.delete(action.link);
        return link?.close(action.code);
      }
      case 'hello':
        return this.#sayHello(action.token);
      case 'renew':
        return this.#send({ id: (this.#hello = ++this.#id), cmd: 'hello', token: action.token });
      case 'ping':
        // Its reply is the pong: it leaves what nobody follows [P2].
        return this.#send({ id: ++this.#id, cmd: 'unsubscribe', channel: 'topic:ping' });
      case 'lost':
        this.#channels.lost();
        return this.#end(this.#outbox.lost());
      case 'token':
        return void this.#token(action.refused);
      case 'timer':
        return this.#timer(action.timer, action.ms);
      case 'state':
        return void this.#teller.tell('state', { state: action.state, reason: action.reason, wait: action.wait }, undefined);
    }
  }

  /** @param {number} number */
  #open(number) {
    /** @param {(now: number) => void} what */
    const then = (what) => {
      if (!this.#links.has(number)) return;
      what(this.#clock.now());
      this.#run();
    };
    try {
      const link = this.#options.transport(this.#options.url, {
        opened: () => then((now) => this.#connection.opened(number, now)),
        heard: () => then((now) => this.#connection.heard(number, now)),
        message: (text) => then(() => this.#message(number, text)),
        closed: (code, reason) =>
          then((now) => {
            this.#links.delete(number);
            this.#connection.lost(number, code, reason, now);
          }),
      });
      this.#links.set(number, link);
    } catch (error) {
      this.#fault(error);
      this.#connection.lost(number, 1006, 'no socket', this.#clock.now());
    }
  }

  /** @param {string | undefined} refused */
  async #token(refused) {
    try {
      this.#connection.gotToken((await this.#options.token(refused)) ?? null);
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
    const call = () => {
      this.#timers.delete(timer);
      if (timer !== 'outbox') this.#connection.fired(timer, this.#clock.now());
      this.#run();
    };
    this.#timers.set(timer, this.#clock.set(Math.min(ms, LONGEST_TIMER), call));
  }

  /** @param {object} message */
  #send(message) {
    try {
      this.#links.get(this.#connection.link)?.send(JSON.stringify(message));
    } catch (error) {
      // It is sent again when no reply comes.
      this.#fault(error);
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
      message = Object(JSON.parse(text));
    } catch (error) {
      this.#fault(error);
      return;
    }
    if ('id' in message) this.#reply(message);
    else if ('error' in message) this.#teller.tell('refused', message.error, message);
    else if (typeof message.ch === 'string') this.#channels.push(message);
  }

  /** @param {any} message */
  #reply(message) {
    const now = this.#clock.now();
    if (message.id !== this.#hello) {
      const ended = this.#outbox.reply(message.id, message, now);
      if (ended) this.#end([ended]);
    } else if (this.#connection.isGreeted) {
      this.#connection.answered(message, now);
    } else if ('ok' in message) {
      this.#greeted(message.ok, now);
    } else if (message.error.code === 'bad_message' && this.#channels.forget()) {
      this.#sayHello(this.#connection.token ?? '');
    } else {
      this.#connection.refused(message.error);
    }
  }

  /** @param {string} token */
  #sayHello(token) {
    this.#channels.own = ownOf(token) || this.who;
    const resume = this.#channels.resume();
    this.#send({ id: (this.#hello = ++this.#id), cmd: 'hello', token, ...(resume ? { resume } : {}) });
  }

  /** @param {Replies['hello']} reply @param {number} now */
  #greeted(reply, now) {
    this.#channels.own = `${reply.role}:${reply.subject}`;
    this.#end(this.#outbox.belongTo(this.who));
    this.#connection.greeted(reply, now);
    // Before the acts, which may go by it.
    this.#sendFix();
    this.#channels.greeted(reply);
  }

  /** @param {unknown} error */
  #fault(error) {
    if (this.#teller.hears('fault')) queueMicrotask(() => this.#teller.tell('fault', error, undefined));
    else console.error('kerbside:', error);
  }
}
