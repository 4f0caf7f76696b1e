// What the pages share: elements, reading from the hub, errors, and the link.

import { Kerbside } from './kerbside/kerbside.js';
import { language, phrase, translate } from './language.js';
import { guestToken, onChange, ownToken, subjectOf } from './sign-in.js';

/** @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/**
 * An element. Text is never read as HTML.
 * @param {string} name @param {Record<string, any>} [properties] @param {...(Node | string)} content
 */
export function element(name, properties = {}, ...content) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...content);
  return made;
}

/**
 * Side by side, with a mark between.
 * @param {...(Node | string)} parts
 */
export const dotted = (...parts) => parts.flatMap((part, index) => (index ? [' · ', part] : [part]));

/** @param {string} text of an address, which anybody may have written: as it stands if it can't be decoded */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The path was refused, or nothing answers. */
class NoAnswer extends Error {
  /** @param {number} [status] */
  constructor(status) {
    super(`HTTP ${status}`);
    this.error = { code: status === 404 ? 'not_found' : status === 429 ? 'rate_limited' : status ? 'unavailable' : 'no_answer' };
  }
}

/** @param {string} path @param {string | null} [token] of who reads what is not for everybody */
export async function read(path, token) {
  const answer = await fetch(path, token ? { headers: { Authorization: `Bearer ${token}` } } : {}).catch(() => undefined);
  if (answer?.ok) return answer.json();
  throw new NoAnswer(answer?.status);
}

/**
 * A guest's, from its first use on.
 * @type {string | null | undefined}
 */
let guest;

/**
 * What everybody with a token may read.
 * @param {string} path
 */
export async function readAs(path) {
  guest ??= await guestToken();
  const ask = () => fetch(path, { headers: { Authorization: `Bearer ${guest}` } }).catch(() => undefined);
  let answer = await ask();
  if (answer?.status === 401) {
    guest = await guestToken(guest ?? undefined);
    answer = await ask();
  }
  if (answer?.ok) return answer.json();
  throw new NoAnswer(answer?.status);
}

const EXPLAINED = [
  'already_requested', 'forbidden', 'no_answer', 'no_driver', 'not_available', 'not_bookable', 'not_found', 'outside_hours', 'rate_limited',
  'seats_full', 'stop_passed', 'unavailable',
];

/**
 * For people. The hub speaks English, and says more there.
 * @param {any} error
 */
export function explained(error) {
  const { code, detail } = error?.error ?? {};
  const isKnown = EXPLAINED.includes(code);
  if (isKnown && (language !== 'en' || !detail)) return phrase(`error.${code}`);
  return element('span', { lang: 'en' }, detail ?? String(error?.message ?? error));
}

/** @param {string} state of the link */
export const linkState = (state) => (state === 'live' ? '' : phrase(`link.${state}`));

/**
 * A client of the hub. Its state is said at the top of the page.
 * @param {import('./kerbside/storage.js').Storage} [storage] for what is to be sent without a link
 * @param {(state: string) => Node | string} [words] for the state
 * @param {string} [role] of who has signed in; a guest, unless said
 */
export function connect(storage, words = linkState, role = '') {
  const url = `${location.origin.replace(/^http/, 'ws')}/v1/connect`;
  const hub = new Kerbside({ url, token: role ? ownToken(role) : guestToken, ...(storage ? { storage } : {}) });
  hub.on('state', ({ state }) => {
    const said = element('span', {}, words(state));
    // The same words again would be read aloud again.
    if (said.textContent !== byId('link').textContent) byId('link').replaceChildren(...said.childNodes);
  });
  addEventListener('online', () => hub.wake());
  hub.start();
  if (role) {
    const subject = subjectOf(role);
    onChange(role, () => subject, () => {
      hub.stop();
      location.reload();
    });
  }
  return hub;
}

translate();
