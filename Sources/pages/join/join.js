// Invitations are opened here: who accepts one is signed in on this device with its role, until the sign-in ends or they sign out.

import { forget } from '../assets/closed.js';
import { claimsOf } from '../assets/kerbside/decisions.js';
import { phrase, say } from '../assets/language.js';
import { byId, element } from '../assets/page.js';
import { acceptInvitation, keepSignIn, onChange, signOut, signedIn, subjectOf } from '../assets/sign-in.js';

const main = byId('main');

/**
 * The page of a role.
 * @type {Record<string, string>}
 */
const PAGES = { operator: '/control/', driver: '/drive/', bus_driver: '/bus/', passenger: '/ride/' };
const ROLES = Object.keys(PAGES);
/** How long it is waited for a push service that does not answer, ms. */
const PATIENCE = 2000;

/**
 * Who is shown as signed in, by role.
 * @type {Map<string, string | undefined>}
 */
const shown = new Map();
/** Draws what depends on that. */
let drawSignedIn = () => {};

/** @param {{ role?: string, sub?: string, kind?: string }} claims @param {...Node} more */
function card({ role, sub, kind }, ...more) {
  const as = phrase(`join.role.${kind === 'minibus' ? 'minibus' : role}`);
  const name = element('span', { className: 'grow' }, element('strong', {}, as), ' ', sub ?? '');
  return element('li', { className: 'card row' }, name, ...more);
}

/** @param {string} name @param {() => void} act @param {string} [className] */
function button(name, act, className = '') {
  const made = element('button', { type: 'button', className }, phrase(name));
  made.addEventListener('click', act);
  return made;
}

/** @param {{ role?: string, sub?: string }} claims whether that person has signed in here */
const isHere = ({ role = '', sub }) => subjectOf(role) === sub;

/** @param {string} role */
const open = (role) => element('a', { className: 'button', href: PAGES[role] }, phrase('join.open'));

/** @param {string} token of who signs in. Who was here with that role is told nothing on this device any more. */
async function begin(token) {
  if (!keepSignIn(token)) return;
  const { role = '' } = claimsOf(token);
  const late = new Promise((then) => { setTimeout(then, PATIENCE); });
  // The next page would cut it short.
  await Promise.race([forget(PAGES[role]).catch(() => {}), late]);
}

function showSignedIn() {
  const rows = ROLES.filter((role) => subjectOf(role)).map((role) => {
    const leave = () => {
      if (!confirm(say('join.out.confirm'))) return;
      forget(PAGES[role]).catch(() => {});
      signOut(role);
      look();
    };
    return card(signedIn(role), open(role), button('join.out', leave, 'second'));
  });
  const said = element('p', {}, phrase(rows.length ? 'join.is' : 'join.nobody'));
  main.replaceChildren(said, element('ul', {}, ...rows));
}

/** @param {string[]} invitations */
function showInvitations(invitations) {
  const said = element('p', { className: 'alarm', role: 'alert' });
  /** @type {any[]} */
  const all = invitations.map(claimsOf);
  drawSignedIn = () => {};
  if (!all.every(({ role }) => ROLES.includes(role))) {
    said.append(phrase('join.broken'));
    return main.replaceChildren(said);
  }
  const accept = button('join.accept', async () => {
    accept.disabled = true;
    said.replaceChildren();
    for (const invitation of invitations) {
      const { token, code } = await acceptInvitation(invitation);
      if (token) await begin(token);
      // Who opens the link again to come to their page is there.
      else if (code !== 'used' || !isHere(claimsOf(invitation))) {
        accept.disabled = code === 'used';
        return said.replaceChildren(phrase(`join.${code}`));
      }
    }
    // Neither "back" nor a reload asks with the link again. It may be in the browser's list of visited pages, which no page can change.
    location.replace(invitations.length === 1 ? PAGES[all[0].role] : '/join/');
  });
  const others = element('div');
  // What was said, and an invitation that is being accepted, stay as they are.
  drawSignedIn = () => {
    others.replaceChildren(...all.flatMap(({ role, sub }) => {
      const who = subjectOf(role);
      return who && who !== sub ? [element('p', { className: 'soft' }, phrase('join.other', { who }))] : [];
    }));
    others.hidden = !others.childElementCount;
  };
  const rows = element('ul', {}, ...all.map((claims) => card(claims)));
  return main.replaceChildren(
    element('p', {}, phrase('join.asked')), rows, others, said, element('p', { className: 'actions' }, accept),
  );
}

function look() {
  for (const role of ROLES) shown.set(role, subjectOf(role));
  drawSignedIn();
}

function show() {
  const invitations = location.hash.slice(1).split(',').filter(Boolean);
  drawSignedIn = showSignedIn;
  if (invitations.length) showInvitations(invitations);
  look();
}

addEventListener('hashchange', show);
show();
for (const role of ROLES) onChange(role, () => shown.get(role), look);
