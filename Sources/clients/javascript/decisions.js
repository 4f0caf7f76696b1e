// What is decided by figures alone: how long to wait, whether to come back, what a refusal means. No state, no effects.
// Rules in brackets are those of ../behaviour.md.

/** All times in ms. */
export const LIMITS = {
  /** The longest first wait after a lost link, and the longest of all [B1]. */
  firstWait: 250,
  longestWait: 30_000,
  /** A link that was live for so long has worked: the next wait is a first one [B2]. */
  stable: 10_000,
  /** From the opening of a socket to the reply to hello [S3]. */
  opening: 10_000,
  /** A hub that names no spread [C2]. */
  restartSpread: 5_000,
  /** The longest spread that is believed [C2]. */
  longestSpread: 60_000,
  overloadSpread: 30_000,
  floodWait: 10_000,
  /** A reply that has not come: the command is sent again [O5]. */
  noReply: 4_000,
  /** First wait after a refusal that may be tried again, and the longest wait that is not left to people [O6]. */
  refusalWait: 500,
  longestRefusalWait: 30_000,
  /** Commands that wait, and how long one may [O8]. The hub knows a key for 24 h. */
  outbox: 100,
  outboxAge: 23 * 3_600_000,
  questionAge: 30_000,
  seenAge: 10_000,
  /** Silence beyond the hub's own heartbeat, and how long an answer to a ping may take [P1]. */
  quietMargin: 5_000,
  pong: 10_000,
  /** A token is renewed so long before its end, or at a fifth of its life if that is shorter [T2]. */
  renewBefore: 60_000,
  /** Channels in one hello [R3]. */
  resumed: 16,
  /** Places of a channel that are known, so that none is applied twice [R2]. */
  recent: 256,
};

/** The longest timer of browsers and Node; a later one is set again. */
export const LONGEST_TIMER = 2_147_483_647;

/**
 * The longest of the waits after so many attempts without success [B1].
 * @param {number} failures
 */
export const longestWait = (failures) => Math.min(LIMITS.longestWait, LIMITS.firstWait * 2 ** Math.min(failures, 20));

/**
 * What a close code asks for [C1]. `stop`: not by itself. `token`: with a new token. `now`: by the back-off alone.
 * `spread`: at a random moment within so many ms. `after`: so many ms later.
 * @typedef {{ rule: 'stop' | 'token' | 'now' } | { rule: 'spread' | 'after', ms: number }} Advice
 */

/** @type {Record<number, Advice>} */
const ADVICE = {
  1000: { rule: 'stop' },
  1002: { rule: 'stop' },
  1003: { rule: 'stop' },
  1007: { rule: 'stop' },
  1008: { rule: 'stop' },
  1009: { rule: 'stop' },
  1012: { rule: 'spread', ms: LIMITS.restartSpread },
  1013: { rule: 'spread', ms: LIMITS.overloadSpread },
  4401: { rule: 'token' },
  4403: { rule: 'stop' },
  4408: { rule: 'now' },
  4409: { rule: 'stop' },
  4410: { rule: 'token' },
  4420: { rule: 'now' },
  4429: { rule: 'after', ms: LIMITS.floodWait },
};

/**
 * @param {number} code 1006 if there was none
 * @param {string} reason
 * @returns {Advice}
 */
export function adviceOf(code, reason) {
  const advice = ADVICE[code] ?? { rule: 'now' };
  const said = code === 1012 ? /retry_ms=(\d{1,9})$/.exec(reason) : null;
  if (said && Number(said[1]) <= LIMITS.longestSpread) return { rule: 'spread', ms: Number(said[1]) };
  return advice;
}

/**
 * ms until the next attempt [B1, B3].
 * @param {Advice} advice
 * @param {number} failures attempts since a link was stable
 * @param {() => number} random 0 ≤ x < 1
 */
export function waitOf(advice, failures, random) {
  if (advice.rule === 'spread') {
    return Math.floor(random() * advice.ms + (failures ? random() * longestWait(failures) : 0));
  }
  return Math.floor((advice.rule === 'after' ? advice.ms : 0) + random() * longestWait(failures));
}

const TRIED_AGAIN = ['unavailable', 'internal', 'zones_unknown', 'rate_limited'];

/**
 * ms after which a refused command is sent again with its key; undefined if the refusal is the end of it [O6].
 * @param {{ code: string, retry_after_ms?: number }} error
 * @param {number} tries refusals of it before
 * @param {() => number} random
 */
export function retryOf(error, tries, random) {
  if (!TRIED_AGAIN.includes(error.code)) return undefined;
  const said = error.retry_after_ms;
  if (said !== undefined) return said <= LIMITS.longestRefusalWait ? said : undefined;
  const most = Math.min(LIMITS.longestRefusalWait, LIMITS.refusalWait * 2 ** Math.min(tries, 20));
  return Math.floor(most * (0.5 + random() / 2));
}

/**
 * The claims of a token, as far as it can be read; the hub alone says whether it is valid.
 * @param {string} token
 * @returns {{ sub?: string, role?: string, exp?: number, iat?: number }}
 */
export function claimsOf(token) {
  try {
    const text = atob((token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/'));
    const claims = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
    return claims && typeof claims === 'object' ? claims : {};
  } catch {
    return {};
  }
}

/**
 * Whose a token is, as far as it can be read.
 * @param {string | undefined} token
 */
export function ownOf(token) {
  const { role, sub } = claimsOf(token ?? '');
  return role && sub ? `${role}:${sub}` : '';
}

/**
 * The moment at which a token is renewed, by the hub's clock; undefined for one whose end is not known [T2].
 * @param {string} token
 * @param {number} now when it was got
 */
export function renewalOf(token, now) {
  const { exp } = claimsOf(token);
  if (typeof exp !== 'number') return undefined;
  const end = exp * 1000;
  return end - Math.min(LIMITS.renewBefore, Math.max(0, end - now) / 5);
}

/** Commands that change nothing: asked anew after a lost link, never kept, without a key [O1]. */
const QUESTIONS = /\.(get|list|eta|of|estimate)$|^office\.(queue|driver|ride|audit)$/;

/** @param {string} command */
export const isQuestion = (command) => QUESTIONS.test(command);

/** Commands that belong to one connection: the client sends them by itself [O1]. */
export const OF_CONNECTION = ['hello', 'subscribe', 'unsubscribe', 'watch', 'unwatch', 'position', 'offer.seen'];
