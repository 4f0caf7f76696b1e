// Where from and where to: the device's place, a stop or favourite by its name, a pin that keys and buttons move, or numbers.

import { phrase, say } from '../assets/language.js';
import { element, read } from '../assets/page.js';
import { distance } from '../assets/places.js';
import { coordinates, moved, put, way } from './words.js';

/** Worse than that the person confirms on the map, metres. */
export const GOOD = 50;
/** A step of the pin, metres; with Shift ten of them. */
const STEP = 20;

/** @type {Promise<any[]> | undefined} */
let stops;

/**
 * Those of the lines, read once.
 * @returns {Promise<any[]>}
 */
function allStops() {
  stops ??= read('/v1/stops').then((answer) => answer.stops);
  stops.catch(() => (stops = undefined));
  return stops;
}

/** @typedef {import('./kept.js').Place} Place */

/** Nearer than that a place is the same, metres. */
const SAME = 30;

/**
 * Those of who has signed in.
 * @type {() => Place[]}
 */
let favourites = () => [];

/** @param {() => Place[]} given by which places are called */
export const nameBy = (given) => (favourites = given);

/**
 * What the place is called.
 * @param {Place} place @param {any[]} [known] stops @returns {string}
 */
export function nameOf(place, known = []) {
  const name = place.name ?? favourites().find((one) => distance(one, place) < SAME)?.name;
  if (name) return name;
  const near = known.map((stop) => ({ stop, metres: distance(stop, place) })).sort((a, b) => a.metres - b.metres)[0];
  if (near && near.metres < SAME && place.by !== 'device') return near.stop.name;
  if (near && near.metres < 500) return say('ride.place.near', { way: way(near.metres), place: near.stop.name });
  return place.by === 'device' ? say('ride.place.here') : coordinates(place);
}

/**
 * The same, named by a stop that is near, once stops are known.
 * @param {Place} place @param {(name: string) => void} then
 */
export function named(place, then) {
  then(nameOf(place));
  allStops().then((known) => then(nameOf(place, known)), () => {});
}

/**
 * Where the device is.
 * @returns {Promise<Place & { accuracy: number }>}
 */
export function locate() {
  return new Promise((resolve, reject) => {
    if (!navigator.geolocation) return reject(new Error());
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude: lat, longitude: lon, accuracy } }) => resolve({ lat, lon, by: 'device', at: Date.now(), accuracy }),
      reject,
      { enableHighAccuracy: true, timeout: 15_000, maximumAge: 0 },
    );
  });
}

/** @param {string} text @returns {Place | undefined} */
function typed(text) {
  const found = text.match(/^\s*(-?\d+(?:[.,]\d+)?)\s*[,; ]\s*(-?\d+(?:[.,]\d+)?)\s*$/);
  if (!found) return undefined;
  const [lat, lon] = [found[1], found[2]].map((one) => Number(one.replace(',', '.')));
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon, by: 'typed' } : undefined;
}

/** @type {[string, string, number, number][]} */
const WAYS = [['north', '↑', 1, 0], ['west', '←', 0, -1], ['east', '→', 0, 1], ['south', '↓', -1, 0]];

/**
 * @param {import('./ride.js').App} app @param {'from' | 'to'} end of the ride
 */
export function whereView(app, end) {
  const { draft, kept, ground } = app;
  /** @type {Place | undefined} */
  let pin = draft[end];
  /** @param {Place | undefined} place */
  const choose = (place) => {
    draft[end] = place;
    app.go('');
  };

  // The pin, and how exactly it is known.
  const at = element('p', { className: 'pin-at', role: 'status' });
  const rough = element('p', { className: 'alarm', hidden: true });
  const take = element('button', { type: 'button', id: 'take', hidden: true }, phrase('ride.pin.take'));
  take.addEventListener('click', () => choose(pin));
  const arrows = element('div', { className: 'arrows', role: 'group', hidden: true });
  arrows.setAttribute('aria-label', say('ride.pin.move'));
  const keep = element('details', { hidden: true }, element('summary', {}, phrase('ride.favourite.keep')));
  /** @param {Place} place @param {number} [accuracy] */
  function putPin(place, accuracy) {
    pin = place;
    named(place, (name) => at.replaceChildren(phrase('ride.pin.at', { place: name })));
    const isRough = accuracy !== undefined && accuracy > GOOD;
    rough.hidden = !isRough;
    rough.replaceChildren(isRough ? phrase('ride.pin.rough', { way: way(accuracy) }) : '');
    for (const one of [take, arrows, keep]) one.hidden = false;
    ground.show({ ...(end === 'to' ? { from: draft.from } : { to: draft.to }), [end]: place }, end);
  }
  /** @param {number} north @param {number} east */
  const push = (north, east) => pin && putPin({ ...moved(pin, north, east), by: 'pin' });
  for (const [name, sign, north, east] of WAYS) {
    const button = element('button', { type: 'button', className: `second ${name}`, title: say(`ride.pin.${name}`) }, sign);
    button.setAttribute('aria-label', say(`ride.pin.${name}`));
    button.addEventListener('click', () => push(north * STEP, east * STEP));
    arrows.append(button);
  }
  arrows.addEventListener('keydown', (event) => {
    const key = WAYS.find((one) => `Arrow${{ north: 'Up', south: 'Down', west: 'Left', east: 'Right' }[one[0]]}` === event.key);
    if (!key) return;
    event.preventDefault();
    push(key[2] * STEP * (event.shiftKey ? 10 : 1), key[3] * STEP * (event.shiftKey ? 10 : 1));
  });

  // The device.
  const here = element(
    'button',
    { type: 'button', id: 'here', className: end === 'from' ? 'wide' : 'wide second' },
    phrase('ride.place.mine'),
  );
  const trouble = element('p', { className: 'alarm', role: 'alert' });
  here.addEventListener('click', async () => {
    trouble.replaceChildren();
    here.replaceChildren(phrase('ride.place.asking'));
    try {
      const { accuracy, ...place } = await locate();
      if (accuracy <= GOOD) return choose(place);
      putPin(place, accuracy);
      take.focus();
    } catch {
      trouble.replaceChildren(phrase('ride.place.unknown'));
    }
    here.replaceChildren(phrase('ride.place.mine'));
  });

  // Names.
  const field = element('input', { type: 'search', autocomplete: 'off', id: 'search' });
  const found = element('ul', { id: 'found' });
  const none = element('p', { className: 'soft', role: 'status' });
  async function search() {
    const wanted = field.value.trim().toLowerCase();
    /** @param {any} one */
    const isHit = (one) => one.name.toLowerCase().includes(wanted);
    const own = kept.favourites.filter(isHit);
    const rows = own.map((place) => {
      const button = element(
        'button',
        { type: 'button', className: 'choice' },
        element('span', { className: 'star', ariaHidden: 'true' }, '★'),
        place.name ?? '',
      );
      button.addEventListener('click', () => choose({ ...place, by: 'favourite' }));
      const away = element('button', { type: 'button', className: 'second small' }, phrase('ride.favourite.remove'));
      away.setAttribute('aria-label', say('ride.favourite.remove.of', { place: place.name ?? '' }));
      away.addEventListener('click', () => {
        kept.removeFavourite(place.name ?? '');
        search();
        field.focus();
      });
      return element('li', { className: 'choices' }, button, away);
    });
    found.replaceChildren(...rows);
    if (!wanted) return none.replaceChildren();
    try {
      const hits = (await allStops()).filter(isHit).slice(0, 12);
      if (wanted !== field.value.trim().toLowerCase()) return;
      for (const { name, lat, lon } of hits) {
        const button = element('button', { type: 'button', className: 'choice' }, name);
        button.addEventListener('click', () => choose({ name, lat, lon, by: 'stop' }));
        found.append(element('li', { className: 'choices' }, button));
      }
      none.replaceChildren(hits.length || own.length ? '' : phrase('find.none'));
    } catch {
      none.replaceChildren(phrase('ride.stops.unknown'));
    }
  }
  field.addEventListener('input', search);
  search();

  // Numbers, as the last resort.
  const numbers = element(
    'input',
    { type: 'text', inputMode: 'text', autocomplete: 'off', id: 'numbers', placeholder: '45.46421, 9.19138' },
  );
  const wrong = element('p', { className: 'alarm', role: 'alert' });
  const set = element('button', { className: 'second' }, phrase('ride.numbers.set'));
  const form = element('form', {}, element('label', {}, phrase('ride.numbers'), numbers), wrong, set);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const place = typed(numbers.value);
    wrong.replaceChildren(place ? '' : phrase('ride.numbers.wrong'));
    if (!place) return numbers.focus();
    putPin(place);
    take.focus();
  });

  // A name for it.
  const called = element('input', { type: 'text', autocomplete: 'off', required: true, maxLength: 40, id: 'called' });
  const keeping = element(
    'form',
    {},
    element('label', {}, phrase('ride.favourite.name'), called),
    element('button', { className: 'second' }, phrase('ride.favourite.save')),
  );
  keeping.addEventListener('submit', (event) => {
    event.preventDefault();
    const name = called.value.trim();
    if (!pin || !name) return;
    kept.addFavourite({ lat: pin.lat, lon: pin.lon, name });
    choose({ lat: pin.lat, lon: pin.lon, name, by: 'favourite' });
  });
  keep.append(keeping);

  const back = element('a', { className: 'back', href: '#' }, phrase('back'));
  const without = element('button', { type: 'button', className: 'second wide', id: 'without' }, phrase('ride.to.none'));
  without.addEventListener('click', () => choose(undefined));
  const canGoWithout = end === 'to' && draft.mode === 'now';

  const how = element('p', { className: 'soft' });
  const stop = ground.pick((place) => putPin({ ...place, by: 'pin' }));
  // The device does not know well enough where it is: that is to be confirmed here.
  const { unsure } = app;
  app.unsure = undefined;
  if (unsure) putPin(unsure, unsure.accuracy);
  else if (pin) putPin(pin);
  else ground.show({ from: draft.from, to: draft.to }, end);
  return {
    title: phrase(end === 'from' ? 'ride.from.title' : 'ride.to.title'),
    nodes: [
      back,
      element('h1', { id: 'title', tabIndex: -1 }, phrase(end === 'from' ? 'ride.from.title' : 'ride.to.title')),
      here,
      trouble,
      element('label', { className: 'search' }, phrase('ride.search'), field),
      found,
      none,
      how,
      element('div', { className: 'pin-box' }, element('div', {}, at, rough, take), arrows),
      keep,
      ...(canGoWithout ? [without] : []),
      element('details', {}, element('summary', {}, phrase('ride.numbers.title')), form),
    ],
    update() {
      put(how, phrase(ground.isThere ? 'ride.pin.how' : 'ride.pin.nomap'));
    },
    close: stop,
  };
}
