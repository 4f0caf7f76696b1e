// The channels that are read: the own one and those that are followed. Where each stands, what comes of it and to whom it is
// told, and how it comes back after a lost link.

import { LIMITS } from './decisions.js';
import { Vehicles, isFeed } from './feeds.js';
import { Subscription, isResumed } from './subscription.js';

/**
 * What the channels need of the client.
 * @typedef {object} Port
 * @property {import('./subscription.js').Teller} teller of the own channel, and of what the client itself has to say
 * @property {import('./device.js').Device} device
 * @property {() => boolean} isGreeted
 * @property {(cmd: string, fields: Record<string, unknown>, then: (outcome: import('./outbox.js').Outcome) => void) => void} ask on
 *   this connection
 * @property {(ride: string) => void} seen
 * @property {() => number} time of the hub
 * @property {(error: unknown) => void} fault
 */

/** Its own channel carries them, and they are answered by the app itself [A1]. */
const OFFERS = ['offer.made', 'seat.requested'];

export class Channels {
  vehicles = new Vehicles();
  /** `role:subject`, once it is known: the own channel, unless the role has none. */
  own = '';
  /** @type {Map<string, Subscription>} */
  #followed = new Map();
  /** @type {Map<string, string>} channel → the last `seq` that was applied */
  #places = new Map();
  /** @type {Map<string, Set<string>>} channel → those of late */
  #recent = new Map();
  #port;

  /** @param {Port} port */
  constructor(port) {
    this.#port = port;
  }

  /**
   * Those of before the app's start.
   * @param {Map<string, string>} places
   */
  restore(places) {
    for (const [channel, place] of places) if (!this.#places.has(channel)) this.#places.set(channel, place);
  }

  /**
   * What hello resumes, the own channel first [R1, R3].
   * @returns {Record<string, string> | undefined}
   */
  resume() {
    const places = [this.own, ...[...this.#followed.keys()].filter(isResumed)].flatMap((channel) => {
      const place = this.#places.get(channel);
      return place === undefined ? [] : [[channel, place]];
    });
    return places.length ? Object.fromEntries(places.slice(0, LIMITS.resumed)) : undefined;
  }

  /** The hub does not understand a place: begin anew [R6]. Whether there was one. */
  forget() {
    const channels = [...this.#places.keys()];
    this.#places.clear();
    for (const channel of channels) {
      this.#port.device.leave(channel);
      this.#gap(channel);
    }
    return channels.length > 0;
  }

  lost() {
    for (const one of this.#followed.values()) one.state = 'pending';
  }

  /** @param {import('./messages').Replies['hello']} reply */
  greeted(reply) {
    for (const [channel, seq] of Object.entries(reply.seq)) this.#place(channel, seq);
    // A taxi that came unasked is gone with its ride [F3].
    for (const channel of this.vehicles.channels) {
      if (!this.#followed.has(channel) && !reply.channels.includes(channel)) this.#changed(this.vehicles.leave(channel));
    }
    for (const one of [...this.#followed.values()]) {
      // What hello has resumed goes on; the others are asked for [U2, U3].
      if (isResumed(one.channel) && reply.channels.includes(one.channel)) one.state = 'live';
      else this.#ask(one);
    }
  }

  /** @param {string} channel @param {Record<string, unknown>} fields */
  follow(channel, fields) {
    const known = this.#followed.get(channel);
    if (known) {
      known.change(fields);
      return known;
    }
    const one = new Subscription(channel, fields, (asking) => this.#ask(asking), (leaving) => this.#leave(leaving));
    one.onFault = this.#port.fault;
    this.#followed.set(channel, one);
    this.#ask(one);
    return one;
  }

  /**
   * What came unasked.
   * @param {{ ch: string, type: string, seq?: string, time: number, data: any }} message
   */
  push(message) {
    const { ch, type, seq, data } = message;
    // A passenger's own taxi comes unasked.
    if (isFeed(ch) && (this.#followed.has(ch) || ch.startsWith('vehicle:'))) {
      this.#changed(this.vehicles.apply(/** @type {any} */ (message)));
    }
    if (type === 'gap') return this.#gap(ch);
    const isOwn = ch === this.own;
    const teller = isOwn ? this.#port.teller : this.#followed.get(ch);
    if (!teller) return undefined;
    if (seq === undefined) return void teller.tell(type, data, message);
    if (!this.#isNew(ch, seq)) return undefined;
    const answers = teller.tell(type, data, message);
    if (isOwn && answers && OFFERS.includes(type) && teller.hears(type)) this.#seen(data);
    return this.#place(ch, seq, answers);
  }

  /**
   * Each is applied once [R2].
   * @param {string} channel
   * @param {string} seq
   */
  #isNew(channel, seq) {
    const recent = this.#recent.get(channel) ?? new Set();
    this.#recent.set(channel, recent);
    if (recent.has(seq)) return false;
    recent.add(seq);
    if (recent.size > LIMITS.recent) recent.delete(recent.values().next().value);
    return true;
  }

  /**
   * On the screen: its clock starts. Not if it is over long ago.
   * @param {{ ride?: string, booking?: string, expires_at?: number }} offer
   */
  #seen(offer) {
    const ride = offer.ride ?? offer.booking;
    if (ride !== undefined && (offer.expires_at ?? Infinity) > this.#port.time()) this.#port.seen(ride);
  }

  /**
   * Applied up to here.
   * @param {string} channel
   * @param {string} seq
   * @param {unknown[]} [answers] of handlers
   */
  #place(channel, seq, answers = []) {
    this.#places.set(channel, seq);
    this.#port.device.place(channel, seq, answers);
  }

  /** @param {string} channel */
  #gap(channel) {
    this.#recent.delete(channel);
    const { teller } = this.#port;
    if (channel !== this.own && !this.#followed.has(channel)) return;
    if (!teller.hears('gap')) console.warn(`kerbside: what happened on ${channel} is not known; it begins anew`);
    teller.tell('gap', { channel }, undefined);
    this.#followed.get(channel)?.tell('gap', { channel }, undefined);
  }

  /** @param {string[]} changed */
  #changed(changed) {
    if (changed.length) this.#port.teller.tell('vehicles', { changed }, undefined);
  }

  /** @param {Subscription} one */
  #ask(one) {
    one.state = 'pending';
    if (!this.#port.isGreeted()) return;
    const place = isResumed(one.channel) ? this.#places.get(one.channel) : undefined;
    const fields = place === undefined ? one.fields : { ...one.fields, since: place };
    this.#port.ask(one.channel === 'near' ? 'watch' : 'subscribe', fields, (outcome) => this.#answered(one, outcome, place));
  }

  /** @param {Subscription} one @param {import('./outbox.js').Outcome} outcome @param {string | undefined} since where it stood when it was asked */
  #answered(one, outcome, since) {
    if (this.#followed.get(one.channel) !== one || ('error' in outcome && outcome.error.code === 'left')) return;
    if ('ok' in outcome) {
      one.state = 'live';
      // Unless something has come already, which is later.
      if (outcome.ok.seq !== undefined && this.#places.get(one.channel) === since) this.#place(one.channel, outcome.ok.seq);
      one.tell('subscribed', outcome.ok, undefined);
    } else {
      one.state = 'refused';
      this.#drop(one.channel);
      one.tell('refused', outcome.error, undefined);
    }
  }

  /** @param {Subscription} one */
  #leave(one) {
    const { channel } = one;
    if (this.#followed.get(channel) !== one) return;
    this.#drop(channel);
    if (!this.#port.isGreeted()) return;
    const [cmd, fields] = channel === 'near' ? ['unwatch', {}] : ['unsubscribe', { channel }];
    this.#port.ask(cmd, fields, () => {
      // What was under way meanwhile is gone, too.
      if (!this.#followed.has(channel)) this.#changed(this.vehicles.leave(channel));
    });
  }

  /** @param {string} channel */
  #drop(channel) {
    this.#followed.delete(channel);
    this.#places.delete(channel);
    this.#recent.delete(channel);
    this.#port.device.leave(channel);
    this.#changed(this.vehicles.leave(channel));
  }
}
