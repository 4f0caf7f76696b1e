// Tokens on the device: a guest's, asked for once, and that of who has signed in. Both are renewed while the sign-in lasts.

import { claimsOf } from './kerbside/decisions.js';

const NAME = 'kerbside.guest';
const OWN = 'kerbside.signed_in';

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

/** Who has signed in on this device: `sub`, `role`, `kind`, `seats` as in the token; nothing: nobody has. */
export const signedIn = () => claimsOf(localStorage.getItem(OWN) ?? '');

/** @param {string | null} token of who signs in on this device; null: signs out */
export function keepSignIn(token) {
  if (token === null) localStorage.removeItem(OWN);
  else localStorage.setItem(OWN, token);
}

/**
 * The token of who has signed in. One from elsewhere is as good as it lasts; one of an invitation renews itself.
 * @param {string} [refused] the one that the hub takes no more
 * @returns {Promise<string | null>} null: sign in anew
 */
export async function ownToken(refused) {
  const kept = localStorage.getItem(OWN);
  if (!kept) return null;
  const { began, iat, exp } = claimsOf(kept);
  const isFresh = began === undefined || Date.now() < (iat + exp) * 500;
  if (kept !== refused && isFresh) return kept;
  const token = began === undefined ? null : await ask('/v1/token/renew', kept);
  if (token) keepSignIn(token);
  return token;
}
