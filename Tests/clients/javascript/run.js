// An app for the scenarios, on the JavaScript client: told what to do by lines of JSON on the input, tells on the output what it
// sees. Tests/clients/app.py has the other end. {"n": 1, "do": …} is answered by {"done": 1, …}; what is seen is {"saw": kind, …}.

import { createInterface } from 'node:readline';
import { Kerbside, memoryStorage, nodeLink, nodeSocket } from '../../../Sources/clients/javascript/node.js';

const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** A clock that goes on only when it is told to. */
class Clock {
  #timers = new Map();
  #last = 0;

  constructor(start) {
    this.time = start;
  }

  now() {
    return this.time;
  }

  set(ms, call) {
    this.#timers.set(++this.#last, { at: this.time + ms, call });
    return this.#last;
  }

  clear(timer) {
    this.#timers.delete(timer);
  }

  /** Put forward or back by somebody; timers go by another. */
  put(ms) {
    this.time += ms;
    for (const timer of this.#timers.values()) timer.at += ms;
  }

  /** Up to the next timer within so many ms, which is called, or to their end: what is left of them, and whether it is over. */
  advance(ms) {
    const end = this.time + ms;
    let next;
    for (const [timer, { at }] of this.#timers) {
      if (at <= end && (next === undefined || at < this.#timers.get(next).at)) next = timer;
    }
    if (next === undefined) {
      this.time = end;
      return { left: 0, over: true };
    }
    const { at, call } = this.#timers.get(next);
    this.#timers.delete(next);
    this.time = Math.max(this.time, at);
    call();
    return { left: end - this.time, over: false };
  }
}

/** Of a seed, or always the same. */
function chance(seed, always) {
  if (always !== undefined) return () => always;
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** As IndexedDB: everything is answered by a promise. */
function later(storage) {
  return Object.fromEntries(Object.entries(storage).map(([name, call]) => [name, async (...values) => call(...values)]));
}

class App {
  static stores = new Map();
  sockets = { opening: 0, open: 0 };
  isDead = false;
  subscriptions = new Map();
  links = new Set();

  constructor(name, { url, tokens, random, seed = 1, clock, store = name, remembers = false, handles = [], promises = false, way }) {
    this.name = name;
    this.tokens = tokens;
    this.clock = clock === 'real' ? undefined : new Clock(clock);
    this.way = this.clock && way !== 'either' ? nodeSocket : nodeLink();
    if (!App.stores.has(store)) App.stores.set(store, new Map());
    const storage = memoryStorage(App.stores.get(store));
    this.client = new Kerbside({
      url,
      token: (refused) => this.#token(refused),
      storage: promises ? later(storage) : storage,
      remembers,
      clock: this.clock,
      random: chance(seed, random),
      transport: (address, told) => this.#open(address, told),
    });
    this.client.on('state', ({ state, reason, wait }) => this.#saw('state', { state, reason, wait }));
    this.client.on('gap', ({ channel }) => this.#saw('gap', { channel }));
    this.client.on('refused', ({ code }) => this.#saw('refused', { code }));
    this.client.on('fault', (error) => this.#saw('fault', { text: String(error) }));
    this.client.on('outcome', ({ cmd, key, ok, error }) => this.#saw('outcome', { cmd, key, ok, error: error?.code }));
    for (const type of handles) this.client.on(type, () => {});
    this.client.on('*', (data, message) => message?.ch && this.#event(message));
  }

  #saw(kind, what) {
    if (!this.isDead) tell({ app: this.name, saw: kind, ...what });
  }

  #event({ ch, type, seq, data }) {
    this.#saw(seq === undefined ? 'told' : 'event', { ch, type, seq, data });
  }

  #token(refused) {
    this.#saw('token', { refused: refused ?? null });
    const token = this.tokens.length > 1 ? this.tokens.shift() : this.tokens[0];
    if (token === 'away') throw new Error('the login service is away');
    return token;
  }

  /** Counts the sockets, so that the server knows when all has come. */
  #open(url, told) {
    let phase = 'opening';
    const enter = (next) => {
      if (phase) this.sockets[phase] -= 1;
      phase = next;
      if (phase) this.sockets[phase] += 1;
    };
    this.sockets.opening += 1;
    const counts = { sent: 0, heard: 0 };
    const link = this.way(url, {
      ...told,
      // As in a browser, which keeps pings to itself; the server of the scenarios sends them only to know that all has come.
      heard: () => {
        counts.heard += 1;
        if (!this.clock) told.heard();
      },
      opened: () => {
        enter('open');
        told.opened();
      },
      closed: (code, reason) => {
        enter('');
        this.links.delete(ours);
        told.closed(code, reason);
      },
    });
    const ours = {
      counts,
      send: (text) => {
        counts.sent += 1;
        link.send(text);
      },
      close: (code) => {
        enter('');
        this.links.delete(ours);
        link.close(code);
      },
    };
    this.links.add(ours);
    return ours;
  }

  /** Of the links that there are: messages that were given to them, and pings that they told. */
  #counts() {
    const all = [...this.links].map(({ counts }) => counts);
    const sum = (kind) => all.reduce((total, one) => total + one[kind], 0);
    return { sent: sum('sent'), heard: sum('heard') };
  }

  do(what) {
    const { client } = this;
    switch (what.do) {
      case 'start':
        return client.start();
      case 'stop':
        return client.stop();
      case 'wake':
        return client.wake();
      case 'tokens':
        this.tokens = what.tokens;
        return undefined;
      case 'call':
        client.call(what.cmd, what.fields ?? {}, what.key ? { key: what.key } : {}).then(
          (ok) => what.as && this.#saw('answer', { as: what.as, ok }),
          (error) => what.as && this.#saw('answer', { as: what.as, error: error.code }),
        );
        return undefined;
      case 'position':
        return client.position(what.fix);
      case 'subscribe':
      case 'watch': {
        const one = what.do === 'watch' ? client.watch(what.fields) : client.subscribe(what.channel, what.fields);
        if (this.subscriptions.get(one.channel) === one) return undefined;
        this.subscriptions.set(one.channel, one);
        one.on('refused', ({ code }) => this.#saw('denied', { channel: one.channel, code }));
        one.on('*', (data, message) => message?.ch && this.#event(message));
        return undefined;
      }
      case 'leave':
        this.subscriptions.get(what.channel).close();
        return void this.subscriptions.delete(what.channel);
      case 'time':
        return this.clock.advance(what.ms);
      case 'clock':
        return this.clock.put(what.ms);
      case 'look':
        return {
          sockets: this.sockets, ...this.#counts(), state: client.state, time: client.time, pending: client.pending,
          vehicles: [...client.vehicles.values()],
        };
      case 'die':
        // As when the system ends an app: nothing is said, nothing more is done.
        this.isDead = true;
        for (const link of this.links) link.close(1001);
        return undefined;
      default:
        throw new Error(`nobody knows how to ${what.do}`);
    }
  }
}

const apps = new Map();

async function obey(line) {
  const { n, app = 'app', ...what } = JSON.parse(line);
  if (what.do === 'new') apps.set(app, new App(app, what));
  const answer = what.do === 'new' ? undefined : await apps.get(app).do(what);
  // What was begun by it is done, as far as it waits for nothing from outside.
  await new Promise((done) => setImmediate(done));
  tell({ done: n, ...answer });
}

let last = Promise.resolve();
createInterface({ input: process.stdin })
  .on('line', (line) => {
    last = last.then(() => obey(line)).catch((error) => tell({ failed: error.stack }));
  })
  .on('close', () => process.exit(0));
