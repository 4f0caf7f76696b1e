// The stops that passengers ask for: those that wait for the driver's answer, and those that were promised.

import { clock, phrase, say } from '../assets/language.js';
import { dotted, element } from '../assets/page.js';
import { distance } from '../assets/places.js';
import { helpOf, inState, people } from './duty.js';

/**
 * The help that the pages offer; anything else is said as it was written.
 * @type {Record<string, string>}
 */
const HELP = { wheelchair: 'bus.help.wheelchair', baggage: 'bus.help.baggage', shopping: 'bus.help.shopping' };
/** An answer under way. */
const ANSWERS = ['stop.accept', 'stop.decline', 'stop.complete', 'stop.noshow'];

/** @param {string} help */
const helpText = (help) => (HELP[help] ? say(HELP[help]) : help);

/**
 * A place by its name: a stop, an address, or the nearest stop and how far it is.
 * @param {import('./duty.js').Place} place
 * @param {import('../assets/buses.js').Line | undefined} line
 */
export function placeName(place, line) {
  if (place.stop) return line?.stop(place.stop) ?? place.stop;
  const address = place.requests.find((one) => one.address)?.address;
  if (address) return address;
  const [near] = [...(line?.stops ?? [])].sort((a, b) => distance(a, place) - distance(b, place));
  if (!near) return say('bus.place');
  return say('bus.place.near', { count: Math.round(distance(near, place) / 50) * 50, stop: near.name });
}

/**
 * What is read aloud.
 * @param {import('./duty.js').Place} place @param {import('../assets/buses.js').Line | undefined} line
 */
export function spoken(place, line) {
  const help = helpOf(place.requests).map(helpText);
  const said = say('bus.speak', { place: placeName(place, line), count: people(place.requests) });
  return [said, ...help].join(', ');
}

/** @param {string} name @param {string} value @param {string} words @param {string} [className] */
export const button = (name, value, words, className = '') =>
  element('button', { type: 'button', name, value, className }, phrase(words));

/** @param {import('./duty.js').Request[]} requests */
const marks = (requests) => helpOf(requests).map((help) => element('strong', { className: 'help' }, helpText(help)));

/** @param {import('./duty.js').Request} one */
function person(one) {
  const number = one.number ? [element('a', { href: `tel:${one.number}` }, one.number)] : [];
  return dotted(element('strong', {}, one.name), phrase('bus.people', { count: one.passengers }), ...number);
}

/** @param {import('./duty.js').Place} place */
const map = (place) =>
  place.stop ? [] : [element('a', { className: 'map', href: `geo:${place.lat},${place.lon}` }, phrase('bus.map'))];

/**
 * @typedef {object} View
 * @property {import('./duty.js').Duty} duty
 * @property {import('../assets/buses.js').Line | undefined} line
 * @property {readonly any[]} pending commands that have no answer yet
 */

/** @param {View} view @param {string} request */
const isAnswered = ({ pending }, request) => pending.some((one) => ANSWERS.includes(one.cmd) && one.fields.request === request);

/**
 * The first place that waits for an answer, over everything else.
 * @param {View} view
 */
export function askedView(view) {
  const places = inState(view.duty.places, 'requested');
  const [place] = places;
  if (!place) return [];
  const zone = view.line?.zone ?? 'UTC';
  const [first] = place.requests;
  const until = Math.min(...place.requests.map((one) => one.answer_by ?? Infinity));
  const others = places.length - 1;
  const box = element(
    'section',
    { className: 'asked' },
    element('h2', {}, phrase('bus.asked'), ...(others ? [' · ', phrase('bus.asked.more', { count: others })] : [])),
    element('p', { className: 'where' }, placeName(place, view.line)),
    ...place.requests.map((one) => element('p', { className: 'helps' }, element('span', {}, ...person(one)), ...marks([one]))),
    element(
      'p',
      { className: 'soft' },
      ...dotted(
        phrase('bus.wanted', { time: clock(place.at, zone) }),
        ...(until < Infinity ? [phrase('bus.answer', { time: clock(until, zone) })] : []),
        ...map(place),
      ),
    ),
    isAnswered(view, first.request)
      ? element('p', { className: 'sending' }, phrase('bus.answering'))
      : element(
          'div',
          { className: 'two' },
          button('decline', first.request, 'bus.decline', 'second big'),
          button('accept', first.request, 'bus.accept', 'big'),
        ),
  );
  box.setAttribute('data-key', place.place);
  box.setAttribute('aria-label', say('bus.asked'));
  return [box];
}

/** @param {View} view @param {import('./duty.js').Request} one */
function promised(view, one) {
  const answers = isAnswered(view, one.request)
    ? element('p', { className: 'sending' }, phrase('bus.answering'))
    : element(
        'div',
        { className: 'two' },
        button('noshow', one.request, 'bus.missing', 'second'),
        button('complete', one.request, 'bus.boarded'),
      );
  const back = button('decline', one.request, 'bus.takeback', 'quiet');
  const row = element(
    'li',
    {},
    element('p', { className: 'helps' }, element('span', {}, ...person(one)), ...marks([one])),
    answers,
    ...(isAnswered(view, one.request) ? [] : [back]),
  );
  row.setAttribute('data-key', one.request);
  return row;
}

/**
 * Those that were promised, by time.
 * @param {View} view
 */
export function promisedView(view) {
  const places = inState(view.duty.places, 'accepted');
  const zone = view.line?.zone ?? 'UTC';
  const list = element('ol', { className: 'promised' });
  for (const place of places) {
    const row = element(
      'li',
      { className: 'card' },
      element(
        'div',
        { className: 'row' },
        element('span', { className: 'time' }, clock(place.at, zone)),
        element('strong', { className: 'grow' }, placeName(place, view.line)),
        ...map(place),
      ),
      element('ul', {}, ...place.requests.map((one) => promised(view, one))),
    );
    row.setAttribute('data-key', place.place);
    list.append(row);
  }
  const none = element('p', { className: 'soft' }, phrase('bus.promised.none'));
  return element('section', { className: 'stops' }, element('h2', {}, phrase('bus.promised')), places.length ? list : none);
}
