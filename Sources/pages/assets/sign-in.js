// Tokens on the device: a guest's, asked for once, and that of who has signed in. Both are renewed while the sign-in lasts.

import { claimsOf } from './kerbside/decisions.js';
import { newKey } from './kerbside/outbox.js';

const NAME = 'kerbside.guest';
/** And the role: who drives a taxi may be somebody's passenger, too. */
const OWN = 'kerbside.signed_in.';

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

/** @param {string} token of who signs in on this device, in the place of who was with that role */
export const keepSignIn = (token) => localStorage.setItem(OWN + claimsOf(token).role, token);

/** @param {string} role */
export const signOut = (role) => localStorage.removeItem(OWN + role);

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
  if (token) keepSignIn(token);
  return token;
};

/** How a device says that it asks again, when an answer was lost. */
const ATTEMPT = 'kerbside.attempt';

/**
 * An invitation is good once.
 * @param {string} invitation
 * @returns {Promise<{ token?: string, code?: 'used' | 'ended' | 'broken' | 'later' }>}
 */
export async function acceptInvitation(invitation) {
  const attempt = localStorage.getItem(ATTEMPT) ?? newKey();
  localStorage.setItem(ATTEMPT, attempt);
  const headers = { Authorization: `Bearer ${invitation}`, 'Idempotency-Key': attempt };
  const answer = await fetch('/v1/invitations/accept', { method: 'POST', headers }).catch(() => undefined);
  if (answer?.ok) return { token: (await answer.json()).token };
  if (answer?.status === 403) return { code: 'used' };
  if (answer?.status !== 401) return { code: 'later' };
  return { code: Number(/** @type {any} */ (claimsOf(invitation)).exp) * 1000 < Date.now() ? 'ended' : 'broken' };
}
