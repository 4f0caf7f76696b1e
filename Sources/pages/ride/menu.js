// The three parts of the page, and the ride under way wherever one is.

import { phrase } from '../assets/language.js';
import { byId, element } from '../assets/page.js';
import { titleOf } from './wait.js';
import { textOf } from './words.js';

let shown = '';

/** @param {string} hash @param {Node | string} text @param {boolean} isHere */
function link(hash, text, isHere) {
  const made = element('a', { href: `#${hash}` }, text);
  if (isHere) made.setAttribute('aria-current', 'page');
  return made;
}

/** @param {import('./journey.js').Journey} journey */
export function drawMenu({ now, reservations }) {
  const here = location.hash.slice(1).split('/')[0];
  const isElsewhere = ['trips', 'trip', 'planned'].includes(here);
  const first = now && isElsewhere ? titleOf(now) : phrase('ride.menu');
  const state = JSON.stringify([here, textOf(first), reservations.length]);
  if (state === shown) return;
  shown = state;
  const count = reservations.length ? [' ', element('span', { className: 'count' }, String(reservations.length))] : [];
  const links = [
    link('', first, !isElsewhere),
    link('planned', element('span', {}, phrase('ride.planned'), ...count), here === 'planned'),
    link('trips', phrase('ride.trips'), here === 'trips' || here === 'trip'),
  ];
  const nav = byId('nav');
  const focused = [...nav.querySelectorAll('a')].indexOf(/** @type {any} */ (document.activeElement));
  nav.hidden = false;
  nav.replaceChildren(element('div', {}, ...links));
  if (focused >= 0) links[focused].focus();
}
