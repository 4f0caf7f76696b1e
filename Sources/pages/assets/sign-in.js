// Tokens on the device: a guest's, asked for once, and that of who has signed in. Both are renewed while the sign-in lasts.

import { claimsOf } from './kerbside/decisions.js';
import { newKey } from './kerbside/outbox.js';

const NAME = 'kerbside.guest';
/** And the role: who drives a taxi may be somebody's passenger, too. */
const OWN = 'kerbside.signed_in.';
/**
 * Under which names a page keeps what is of the person: commands that wait, places, what the office has said. All else is the device's: its
 * language, its sound, the bus that it is in.
 * @type {Record<string, string[]>}
 */
const KEPT = {
  operator: ['kerbside.control:'],
  driver: ['kerbside.drive:'],
  bus_driver: ['kerbside.bus:', 'kerbside.bus.heard', 'kerbside.bus.notices', 'kerbside.bus.sos'],
  passenger: ['kerbside.ride:', 'kerbside.ride.'],
};
/**
 * The beginning of the names of a person's attempts, before the invitation's id: by the key that is kept there a device says that it asks
 * again, when an answer was lost. No subject has a blank.
 * @param {string} role @param {string} [sub]
 */
const attemptsOf = (role, sub) => `kerbside.attempt.${role}:${sub} `;

/** @param {string} path @param {string} [token] @returns {Promise<string | null>} a token; null: this one is not renewed */
async function ask(path, token) {
  const answer = await fetch(path, { method: 'POST', headers: token ? { Authorization: `Bearer ${token}` } : {} });
  if (answer.status === 401 || answer.status === 403) return null;
  if (!answer.ok) throw new Error((await answer.json()).detail);
  return (await answer.json()).token;
}

/**
 * The next token: a renewed one, or that of a new guest.
 * @param {string} [refused] the one that the hub takes no more
 */
export async function guestToken(refused) {
  const kept = localStorage.getItem(NAME);
  const token = (kept && kept !== refused && (await ask('/v1/token/renew', kept))) || (await ask('/v1/guest'));
  if (token) localStorage.setItem(NAME, token);
  return token;
}

const ROLES = ['operator', 'driver', 'bus_driver', 'passenger'];

/**
 * Who has signed in on this device with a role: `sub`, `role`, `kind`, `seats` as in the token. Nobody has: who has with another; else nothing.
 * @param {string} role
 */
export function signedIn(role) {
  const kept = [role, ...ROLES].map((one) => localStorage.getItem(OWN + one)).find((token) => token);
  return claimsOf(kept ?? '');
}

/**
 * In the place of who was here with that role: nothing of theirs stays.
 * @param {string} token of who signs in on this device @returns {boolean} whether that was somebody else
 */
export function keepSignIn(token) {
  const { role = '', sub } = claimsOf(token);
  const before = subjectOf(role);
  const wasOther = before !== undefined && before !== sub;
  if (wasOther) remove(attemptsOf(role, before), ...(KEPT[role] ?? []));
  localStorage.setItem(OWN + role, token);
  return wasOther;
}

/**
 * Who has signed in with that role, and with no other.
 * @param {string} role @returns {string | undefined}
 */
export const subjectOf = (role) => claimsOf(localStorage.getItem(OWN + role) ?? '').sub;

/**
 * Tells a page when who has signed in is no more the person that it shows: they have signed out, or somebody else has signed in, in another
 * tab, or in this one before "back" led to the page. A renewed token is the same person's.
 * @param {string} role @param {() => string | undefined} shown the subject that the page shows @param {() => void} changed
 */
export function onChange(role, shown, changed) {
  const look = () => {
    if (subjectOf(role) !== shown()) changed();
  };
  // Without a key: all was removed.
  addEventListener('storage', ({ key }) => (key === OWN + role || key === null) && look());
  addEventListener('pageshow', ({ persisted }) => persisted && look());
}

/** @param {...string} beginnings of what is removed from this device */
function remove(...beginnings) {
  for (const name of Object.keys(localStorage)) {
    if (beginnings.some((one) => name.startsWith(one))) localStorage.removeItem(name);
  }
}

/**
 * Nothing of the person stays on the device: commands that wait are not sent any more, and who opens the link of the invitation here
 * afterwards is somebody else, and asks anew. The attempts of others stay: without its key an invitation whose answer was lost is used up.
 * @param {string} role
 */
export function signOut(role) {
  const sub = subjectOf(role);
  localStorage.removeItem(OWN + role);
  remove(attemptsOf(role, sub), ...(KEPT[role] ?? []));
}

/**
 * The token of who has signed in with a role. One from elsewhere is as good as it lasts; one of an invitation renews itself.
 * @param {string} role
 * @returns {(refused?: string) => Promise<string | null>} null: sign in anew; `refused`: the one that the hub takes no more
 */
export const ownToken = (role) => async (refused) => {
  const kept = localStorage.getItem(OWN + role);
  if (!kept) return null;
  const { began, iat, exp } = /** @type {any} */ (claimsOf(kept));
  const isFresh = began === undefined || Date.now() < (iat + exp) * 500;
  if (kept !== refused && isFresh) return kept;
  const token = began === undefined ? null : await ask('/v1/token/renew', kept);
  // Who has signed out meanwhile stays out.
  if (localStorage.getItem(OWN + role) !== kept) return localStorage.getItem(OWN + role);
  if (token) keepSignIn(token);
  return token;
};

/**
 * An invitation is good once. The key of the attempt is kept until there is an answer, and no longer: with it anybody here would be
 * given the answer again.
 * @param {string} invitation
 * @returns {Promise<{ token?: string, code?: 'used' | 'ended' | 'broken' | 'later' }>}
 */
export async function acceptInvitation(invitation) {
  const { role = '', sub, jti, exp } = /** @type {any} */ (claimsOf(invitation));
  const name = attemptsOf(role, sub) + jti;
  const attempt = localStorage.getItem(name) ?? newKey();
  localStorage.setItem(name, attempt);
  const headers = { Authorization: `Bearer ${invitation}`, 'Idempotency-Key': attempt };
  const answer = await fetch('/v1/invitations/accept', { method: 'POST', headers }).catch(() => undefined);
  const { token } = /** @type {{ token?: string }} */ (answer?.ok ? await answer.json().catch(() => ({})) : {});
  if (!token && answer?.status !== 401 && answer?.status !== 403) return { code: 'later' };
  localStorage.removeItem(name);
  if (token) return { token };
  if (answer?.status === 403) return { code: 'used' };
  return { code: Number(exp) * 1000 < Date.now() ? 'ended' : 'broken' };
}
