// Commands that have no final reply yet: which is sent next, what a reply means, what is tried again. Pure: the client
// sends, keeps and tells. Rules in brackets are those of ../behaviour.md.

import { LIMITS, retryOf } from './decisions.js';

/**
 * @typedef {object} Entry
 * @property {string} name of its record on the device, in the order of acting
 * @property {string} cmd
 * @property {Record<string, unknown>} fields
 * @property {string} [key] of a command that changes something
 * @property {number} at when the person acted
 * @property {number} until when it is given up
 * @property {string} [who] `role:subject` of who acted, as far as it was known
 * @property {boolean} isKept on the device
 * @property {boolean} isStored whether it may be sent: what is kept is written first [O3]
 * @property {boolean} isBound to its connection: gone with it
 * @property {number[]} ids under which it was sent on this connection
 * @property {number} due not sent again before
 * @property {number} tries refusals that may be tried again
 * @property {boolean} isPutOff refused, and tried again when due
 *
 * How a command ended.
 * @typedef {{ ok: any } | { error: { code: string, title: string, detail: string, retry: boolean, retry_after_ms?: number } }} Outcome
 */

/**
 * An error of the client's own, in the form of the hub's.
 * @param {string} code @param {string} title @param {string} detail @returns {Outcome}
 */
export const refusal = (code, title, detail) => ({ error: { code, title, detail, retry: false } });

const EXPIRED = refusal('expired', 'Not sent in time', 'There was no link, or no reply, for too long.');
const NOT_YOURS = refusal('not_yours', 'Of somebody else', 'Another person has logged in on this device.');
const LEFT = refusal('left', 'The link was lost', 'It belonged to a connection that has ended.');

/**
 * `ride` of ride.cancel: commands of one family go one after the other [O4].
 * @param {Entry} entry
 */
const familyOf = (entry) => entry.cmd.split('.')[0];

export class Outbox {
  /** @type {Entry[]} in the order of acting */
  entries = [];
  /** @type {Map<number, Entry>} of this connection */
  #ids = new Map();
  #random;

  /** @param {() => number} random */
  constructor(random) {
    this.#random = random;
  }

  get isFull() {
    return this.entries.filter((entry) => entry.isKept).length >= LIMITS.outbox;
  }

  /** @param {Pick<Entry, 'name' | 'cmd' | 'fields' | 'at' | 'until'> & Partial<Entry>} fields @returns {Entry} */
  add(fields) {
    const entry = { isKept: false, isStored: true, isBound: false, ids: [], due: 0, tries: 0, isPutOff: false, ...fields };
    this.entries.push(entry);
    return entry;
  }

  /**
   * What is to be sent now.
   * @param {number} now
   */
  ready(now) {
    /** @type {Set<string>} */
    const held = new Set();
    return this.entries.filter((entry) => {
      const family = familyOf(entry);
      const isHeld = entry.key !== undefined && held.has(family);
      if (entry.key !== undefined) held.add(family);
      // Further ahead than any wait: the device's clock was put back.
      const isDue = entry.due <= now || entry.due > now + LIMITS.longestWait;
      return !isHeld && entry.isStored && isDue;
    });
  }

  /**
   * ms until to look again; undefined if nothing waits for its time.
   * @param {number} now
   */
  waitFrom(now) {
    const moments = this.entries.map((entry) => (entry.due > now ? Math.min(entry.due, entry.until) : entry.until));
    const next = Math.min(...moments, Infinity);
    return next === Infinity ? undefined : Math.max(0, next - now);
  }

  /** @param {Entry} entry @param {number} id @param {number} now */
  sent(entry, id, now) {
    this.#ids.set(id, entry);
    entry.ids.push(id);
    entry.isPutOff = false;
    // Without a reply in time it is sent again [O5].
    entry.due = now + Math.min(LIMITS.longestWait, LIMITS.noReply * 2 ** (entry.ids.length - 1));
  }

  /**
   * A reply. What has ended, if it has.
   * @param {number} id @param {any} message @param {number} now
   * @returns {[Entry, Outcome] | undefined}
   */
  reply(id, message, now) {
    const entry = this.#ids.get(id);
    this.#ids.delete(id);
    if (!entry || !this.entries.includes(entry)) return undefined;
    if ('ok' in message) return this.#end(entry, { ok: message.ok });
    // A refusal counts if it answers the last one [O5].
    if (id !== entry.ids[entry.ids.length - 1]) return undefined;
    const wait = retryOf(message.error, entry.tries, this.#random);
    if (wait === undefined) return this.#end(entry, { error: message.error });
    entry.tries += 1;
    entry.isPutOff = true;
    entry.due = now + wait;
    return undefined;
  }

  /**
   * The connection is gone: what was not answered is sent on the next one.
   * @returns {[Entry, Outcome][]}
   */
  lost() {
    this.#ids.clear();
    for (const entry of this.entries) {
      // A wait that the hub has asked for goes on.
      if (!entry.isPutOff) entry.due = 0;
      entry.ids = [];
    }
    return this.#endAll((entry) => entry.isBound, LEFT);
  }

  /**
   * What nobody waits for any more.
   * @param {number} now
   * @returns {[Entry, Outcome][]}
   */
  expire(now) {
    return this.#endAll((entry) => entry.until <= now, EXPIRED);
  }

  /**
   * `who` is connected: others' commands are not theirs to send [O7].
   * @param {string} who
   * @returns {[Entry, Outcome][]}
   */
  belongTo(who) {
    const others = this.#endAll((entry) => entry.who !== undefined && entry.who !== who, NOT_YOURS);
    for (const entry of this.entries) entry.who = who;
    return others;
  }

  /** @param {(entry: Entry) => boolean} ends @param {Outcome} outcome @returns {[Entry, Outcome][]} */
  #endAll(ends, outcome) {
    return this.entries.filter(ends).map((entry) => this.#end(entry, outcome));
  }

  /** @param {Entry} entry @param {Outcome} outcome @returns {[Entry, Outcome]} */
  #end(entry, outcome) {
    this.entries = this.entries.filter((other) => other !== entry);
    return [entry, outcome];
  }
}

/** Of one person's commands no two have the same; nobody else's matter. */
export function newKey() {
  const half = () => Math.random().toString(36).slice(2, 13);
  return globalThis.crypto?.randomUUID?.() ?? `${half()}-${half()}`;
}
