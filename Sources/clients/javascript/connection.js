// The one connection: its four states, when it is opened, renewed, given up. It decides and returns actions; the client
// carries them out. No socket, no clock, no storage here. Rules in brackets are those of ../behaviour.md.

import { LIMITS, LONGEST_TIMER, adviceOf, claimsOf, longestWait, renewalOf, waitOf } from './decisions.js';

/**
 * `closed`: nobody wants it, or it may not come back by itself. `connecting`: a token, a socket or the reply to hello is
 * awaited. `live`: greeted. `waiting`: until the next attempt.
 * @typedef {'closed' | 'connecting' | 'live' | 'waiting'} State
 *
 * @typedef {'retry' | 'opening' | 'hello' | 'quiet' | 'pong' | 'renew' | 'token'} Timer
 *
 * What is to be done. A link is a number: that of a socket, never given twice.
 * @typedef {{ do: 'state', state: State, reason: string, wait: number }
 *   | { do: 'open', link: number }
 *   | { do: 'close', link: number, code: number }
 *   | { do: 'hello', link: number, token: string }
 *   | { do: 'renew', link: number, token: string }
 *   | { do: 'ping', link: number }
 *   | { do: 'lost' }
 *   | { do: 'token', refused: string | undefined }
 *   | { do: 'timer', timer: Timer, ms: number | undefined }} Action `ms` undefined: stopped
 */

export class Connection {
  /** @type {State} */
  state = 'closed';
  /** The link in use, and the last number. */
  link = 0;
  #last = 0;
  /** Whether the link's hello was answered. */
  isGreeted = false;
  #greetedAt = 0;
  #heardAt = 0;
  #quiet = 30_000;
  /** @type {string | undefined} */
  token;
  #isAsking = false;
  #isPinged = false;
  /** @type {string | undefined} the token that the link goes by, that which is to take its place, and the one that the hub has refused */
  #said;
  /** @type {string | undefined} */
  #offered;
  /** @type {string | undefined} */
  #refused;
  /** The hub's clock less ours. */
  offset = 0;
  /** @type {import('./decisions.js').Advice} */
  #advice = { rule: 'now' };
  #failures = 0;
  #hellos = 0;
  #tokenFailures = 0;
  /** @type {Action[]} */
  #actions = [];
  #random;

  /** @param {() => number} random */
  constructor(random) {
    this.#random = random;
  }

  /** What has been decided since this was asked last. */
  take() {
    const actions = this.#actions;
    this.#actions = [];
    return actions;
  }

  /** @param {number} now */
  start(now) {
    if (this.state !== 'closed') return;
    this.#failures = 0;
    this.#connect(now);
  }

  stop(reason = 'stopped') {
    if (this.state === 'closed') return;
    this.#drop(1000);
    this.#timers('retry', 'token');
    this.#enter('closed', reason);
  }

  /**
   * The network may be back: don't sit out a wait that nobody asked for [B4].
   * @param {number} now
   */
  wake(now) {
    if (this.state === 'waiting' && this.#advice.rule === 'now') this.#connect(now);
    else if (this.isGreeted) this.#ping();
  }

  /**
   * A socket is open.
   * @param {number} link
   * @param {number} now
   */
  opened(link, now) {
    if (link !== this.link) return;
    this.#hellos = 0;
    this.#heardAt = now;
    this.#hello();
  }

  /**
   * Something came, if only a ping of the hub.
   * @param {number} link
   * @param {number} now
   */
  heard(link, now) {
    if (link !== this.link) return;
    this.#heardAt = now;
    if (this.#isPinged) this.#timer('pong');
    this.#isPinged = false;
  }

  /** @param {{ heartbeat_s: number, time: number }} reply @param {number} now */
  greeted(reply, now) {
    this.isGreeted = true;
    this.#greetedAt = now;
    this.#tokenFailures = 0;
    this.#refused = undefined;
    this.offset = reply.time - now;
    this.#quiet = reply.heartbeat_s * 1000 + LIMITS.quietMargin;
    this.#timer('opening');
    this.#timer('hello');
    this.#timer('quiet', this.#quiet);
    // A newer one may have come while this hello was under way.
    if (this.token !== this.#said) this.#timer('renew', 0);
    else this.#renewLater(now);
    this.#enter('live', '');
  }

  /**
   * The link goes by the new token from now on, or by the old one as long as that counts [T3].
   * @param {{ ok: { time: number } } | { error: { retry: boolean } }} reply
   * @param {number} now
   */
  answered(reply, now) {
    const offered = this.#offered;
    this.#offered = undefined;
    if ('ok' in reply) {
      this.#said = offered;
      this.#tokenFailures = 0;
      this.offset = reply.ok.time - now;
      return this.#renewLater(now);
    }
    if (!reply.error.retry) {
      this.#refused = offered;
      this.token = this.#said;
    }
    return this.#timer('token', longestWait(++this.#tokenFailures + 1));
  }

  /**
   * Hello was refused. What the hub means to be final it says by closing [S4].
   * @param {{ retry: boolean, retry_after_ms?: number, code: string }} error
   */
  refused(error) {
    if (error.code === 'bad_message') {
      this.#drop(1000);
      this.#enter('closed', 'bad_message');
    } else if (error.retry) {
      const wait = error.retry_after_ms ?? waitOf({ rule: 'now' }, ++this.#hellos, this.#random);
      this.#timer('opening', wait + LIMITS.opening);
      this.#timer('hello', wait);
    }
  }

  /**
   * A link has ended, by whomever.
   * @param {number} link
   * @param {number} code
   * @param {string} reason
   * @param {number} now
   */
  lost(link, code, reason, now) {
    if (link !== this.link) return undefined;
    const advice = adviceOf(code, reason);
    if (this.isGreeted && now - this.#greetedAt >= LIMITS.stable) this.#failures = 0;
    this.link = 0;
    this.#drop(1000);
    if (advice.rule === 'stop') return this.#enter('closed', `${code} ${reason}`.trim());
    if (advice.rule === 'token') {
      this.#refused = this.#said;
      if (this.token === this.#said) this.token = undefined;
    }
    this.#advice = advice;
    const wait = waitOf(advice, this.#failures++, this.#random);
    this.#enter('waiting', `${code} ${reason}`.trim(), wait);
    return this.#timer('retry', wait);
  }

  /**
   * The app's answer: a token, or null if there is none to be had [T1].
   * @param {string | null} token
   */
  gotToken(token) {
    this.#isAsking = false;
    if (this.state === 'closed') return;
    if (token === null || token === this.#refused || (this.isGreeted && token === this.#said)) {
      if (this.link || this.state === 'waiting') return this.tokenFailed();
      this.#enter('closed', 'no token');
      return;
    }
    this.token = token;
    this.#tokenFailures = 0;
    if (this.isGreeted) this.#renew();
    else if (this.state === 'connecting' && !this.link) this.#open();
  }

  /** The app could not get a token: it is asked again [T4]. */
  tokenFailed() {
    this.#isAsking = false;
    // Without a link nothing can go on; with one that is not greeted yet, or between two, there is time enough.
    if (this.state === 'closed' || this.state === 'waiting' || (this.link && !this.isGreeted)) return;
    const wait = waitOf({ rule: 'now' }, ++this.#tokenFailures + 1, this.#random);
    if (!this.isGreeted) this.#enter('waiting', 'no token yet', wait);
    this.#timer('token', wait);
  }

  /** @param {Timer} timer @param {number} now */
  fired(timer, now) {
    switch (timer) {
      case 'retry':
        return this.#connect(now);
      case 'hello':
        return this.#hello();
      case 'renew':
      case 'token':
        return this.isGreeted ? this.#renew() : this.#connect(now);
      case 'quiet': {
        const left = this.#heardAt + this.#quiet - now;
        // More than the whole: the device's clock was put back.
        const isQuiet = left <= 0 || left > this.#quiet;
        this.#timer('quiet', isQuiet ? this.#quiet : left);
        return isQuiet ? this.#ping() : undefined;
      }
      default: {
        // Neither an answer to a ping nor to hello: the link is dead, whatever the system says [P2, S3].
        const link = this.link;
        this.#actions.push({ do: 'close', link, code: 1000 });
        return this.lost(link, 1006, timer === 'pong' ? 'no answer to a ping' : 'no answer to hello', now);
      }
    }
  }

  /** @param {number} now */
  #connect(now) {
    this.#timers('retry', 'token');
    this.#enter('connecting', '');
    const { exp } = claimsOf(this.token ?? '');
    if (this.token === undefined || (exp !== undefined && exp * 1000 <= now + this.offset)) this.#ask();
    else this.#open();
  }

  #open() {
    this.#enter('connecting', '');
    this.link = ++this.#last;
    this.#actions.push({ do: 'open', link: this.link });
    this.#timer('opening', LIMITS.opening);
  }

  #hello() {
    if (!this.link || this.token === undefined) return;
    this.#timer('opening', LIMITS.opening);
    this.#said = this.token;
    this.#actions.push({ do: 'hello', link: this.link, token: this.token });
  }

  /** @param {number} now */
  #renewLater(now) {
    const renewal = renewalOf(this.#said ?? '', now + this.offset);
    if (renewal === undefined) return;
    // A random part, as tokens of one moment end at one moment.
    const left = Math.max(0, renewal - now - this.offset);
    this.#timer('renew', Math.min(LONGEST_TIMER, Math.floor(left * (1 - this.#random() / 10))));
  }

  /** On the living connection [T3]. */
  #renew() {
    if (this.token === undefined || this.token === this.#said) return this.#ask();
    if (this.#offered !== undefined) return undefined;
    this.#offered = this.token;
    return void this.#actions.push({ do: 'renew', link: this.link, token: this.token });
  }

  #ask() {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#actions.push({ do: 'token', refused: this.#refused });
  }

  #ping() {
    this.#isPinged = true;
    this.#actions.push({ do: 'ping', link: this.link });
    this.#timer('pong', LIMITS.pong);
  }

  /**
   * Leaves the link, if there is one.
   * @param {number} code
   */
  #drop(code) {
    if (this.link) this.#actions.push({ do: 'close', link: this.link, code });
    this.link = 0;
    this.isGreeted = this.#isPinged = false;
    this.#offered = undefined;
    this.#timers('opening', 'hello', 'quiet', 'pong', 'renew', 'token');
    this.#actions.push({ do: 'lost' });
  }

  /** @param {State} state @param {string} reason */
  #enter(state, reason, wait = 0) {
    if (state === this.state && state !== 'waiting') return;
    this.state = state;
    this.#actions.push({ do: 'state', state, reason, wait });
  }

  /** @param {Timer} timer @param {number} [ms] stopped without it */
  #timer(timer, ms) {
    this.#actions.push({ do: 'timer', timer, ms });
  }

  /** @param {Timer[]} timers all stopped */
  #timers(...timers) {
    for (const timer of timers) this.#timer(timer);
  }
}
