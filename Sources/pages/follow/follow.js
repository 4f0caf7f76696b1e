// A friend follows a ride by its link: the car, where it is, and how long it takes. What is behind the # opens it, and goes to the hub in
// a header, so that it is in no log. Without an account, and it can do nothing but look.

import { clock, phrase, say } from '../assets/language.js';
import { byId, element } from '../assets/page.js';

/**
 * @typedef {{ lat: number, lon: number, at: number, heading?: number }} Position
 * @typedef {{ state: string, plate?: string, model?: string, colour?: string, position?: Position, eta_s?: number,
 *   time: number }} Seen as the hub tells it
 */

/** How often it is looked, ms; and how long a page waits that was refused. */
const [EVERY, LATER] = [5000, 30_000];
/** The car's name on the map; what the hub calls it is nobody's business here. */
const CAR = 'car';
/** A position that is older is said to be so, ms. */
const OLD = 60_000;

const main = byId('main');
const ground = byId('ground');
/** @type {import('../assets/map.js').CityMap | undefined} */
let map;
let isHeld = false;
let timer = 0;
/** When the hub answered last. */
let heard = 0;
let drawn = '';

/** @param {...Node} nodes */
function show(...nodes) {
  const view = element('div', {}, ...nodes);
  // The same words again would be read aloud again.
  if (view.innerHTML === drawn) return;
  drawn = view.innerHTML;
  main.replaceChildren(...view.childNodes);
}

/** @param {string} word @param {string} text */
function end(word, text) {
  ground.hidden = true;
  document.title = say(word);
  show(element('h1', {}, phrase(word)), element('p', { className: 'soft' }, phrase(text)));
}

/** @param {Seen} seen */
async function place({ state, position, time }) {
  if (!position) {
    map?.vehicles([]);
    return;
  }
  if (!map) {
    const { CityMap } = await import('../assets/map.js');
    ground.hidden = false;
    map ??= new CityMap(ground, { label: say('follow.map') });
    for (const kind of ['pointerdown', 'wheel', 'keydown']) ground.addEventListener(kind, () => (isHeld = true), { passive: true });
  }
  const freshness = time - position.at > OLD ? 'stale' : 'fresh';
  const { lat, lon, at, heading = null } = position;
  map.vehicles([/** @type {any} */ ({ id: CAR, kind: 'taxi', state: 'busy', freshness, lat, lon, at, heading })]);
  map.mark(CAR);
  if (!isHeld && state !== 'over') map.look(position, 15);
}

/** @param {Seen} seen */
function draw(seen) {
  if (seen.state === 'over') return end('follow.over', 'follow.over.text');
  const { state, plate, model, colour, position, eta_s: eta, time } = seen;
  const title = phrase(`follow.is.${state}`);
  document.title = say(`follow.is.${state}`);
  const minutes = eta === undefined ? [] : [element('p', { className: 'big' }, phrase('follow.minutes', { count: Math.max(1, Math.round(eta / 60)) }))];
  const isOld = position !== undefined && time - position.at > OLD;
  const old = isOld ? [element('p', { className: 'alarm' }, phrase('follow.old', { time: clock(position.at) }))] : [];
  const car = [phrase('follow.taxi'), ...[colour, model].filter(Boolean).map((text) => ` · ${text}`)];
  const card = element('section', { className: 'card car' }, element('p', {}, ...car),
    ...(plate ? [element('span', { className: 'plate' }, plate)] : []));
  show(element('h1', { id: 'title' }, title), ...minutes, ...old, ...(state === 'searching' ? [] : [card]));
  place(seen).catch(() => (ground.hidden = true));
}

async function look() {
  clearTimeout(timer);
  const secret = location.hash.slice(1);
  const answer = await fetch('/v1/follow', { headers: { Authorization: `Bearer ${secret}` }, cache: 'no-store' }).catch(() => undefined);
  // Another link was opened meanwhile.
  if (secret !== location.hash.slice(1)) return;
  if (answer?.status === 404) return end('follow.none', 'follow.none.text');
  if (answer?.ok) {
    const seen = await answer.json();
    heard = Date.now();
    byId('link').replaceChildren();
    draw(seen);
    if (seen.state === 'over') return;
  } else {
    byId('link').replaceChildren(heard ? phrase('follow.lost', { time: clock(heard) }) : phrase('link.waiting'));
  }
  if (document.visibilityState === 'visible') timer = setTimeout(look, answer?.status === 429 ? LATER : EVERY);
}

function begin() {
  isHeld = false;
  if (/^[0-9A-Za-z]{22}$/.test(location.hash.slice(1))) look();
  else end('follow.none', 'follow.none.text');
}

document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && begin());
addEventListener('hashchange', begin);
begin();
