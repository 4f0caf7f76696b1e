// What a client is made with, what it tells, and how it refuses.

/**
 * @typedef {import('./messages').HubError} HubError
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
 * @property {import('./transport.js').Transport} [transport] `browserLink()` if left out
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

/** @type {Clock} */
export const SYSTEM_CLOCK = {
  now: () => Date.now(),
  set: (ms, call) => setTimeout(call, ms),
  clear: (timer) => clearTimeout(timer),
};

/** What a command was refused with: `code`, `error.detail`, `error.retry` as the hub said it, or one of the client's own [O9]. */
export class Refused extends Error {
  /** @param {string} cmd @param {{ code: string, detail: string, title: string, retry: boolean, retry_after_ms?: number }} error */
  constructor(cmd, error) {
    super(`${cmd}: ${error.code}: ${error.detail}`);
    this.name = 'Refused';
    this.error = error;
    this.code = error.code;
  }
}
