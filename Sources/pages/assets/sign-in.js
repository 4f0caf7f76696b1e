// A guest's token: asked for once, kept on the device, renewed while the sign-in lasts.

const NAME = 'kerbside.guest';

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
