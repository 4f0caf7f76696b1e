// What the driver sees while the bus is on its tour: the next stop and the delay, the seats, and the tools below.

import { delay } from '../assets/buses.js';
import { clock, phrase, say } from '../assets/language.js';
import { dotted, element } from '../assets/page.js';
import { inState, people } from './duty.js';
import { dueAt } from './runs.js';
import { askedView, button, promisedView } from './stops.js';

/**
 * @typedef {import('./stops.js').View & {
 *   tour: import('./duty.js').Tour,
 *   now: number,
 *   wish: number | undefined,
 *   gps: 'denied' | 'missing' | undefined,
 *   rings: boolean,
 *   speaks: boolean,
 *   isSilent: boolean,
 * }} Driving
 */

/** @param {Driving} view */
function when({ tour, line, now }) {
  const next = tour.next_stop;
  if (!line || !next) return [];
  const due = tour.trip ? dueAt(line, tour.trip, next.index, now) : undefined;
  const eta = tour.etas.find((one) => one.index === next.index);
  const big = next.index === 0 ? due : eta?.at ?? due;
  const times = big === undefined ? [] : [element('time', {}, clock(big, line.zone))];
  const isLate = Math.abs(tour.delay_s ?? 0) >= 90;
  const late =
    tour.delay_s === undefined ? [] : [element('strong', { className: isLate ? 'delay off' : 'delay' }, delay(tour.delay_s))];
  const words = [];
  if (next.index === 0 && due !== undefined) words.push(phrase('bus.departs', { time: clock(due, line.zone) }));
  else if (due !== undefined) words.push(phrase('bus.due', { time: clock(due, line.zone) }));
  return [
    element('p', { className: 'when' }, ...times, ...late),
    ...(words.length ? [element('p', { className: 'soft' }, ...dotted(...words))] : []),
  ];
}

/** @param {Driving} view @param {string} className */
function endButton({ pending }, className) {
  const made = button('end', '', 'bus.end', className);
  /** @type {any} */ (made).disabled = pending.some(({ cmd }) => cmd === 'tour.end');
  return made;
}

/** @param {Driving} view */
function nextStop(view) {
  const { tour, line, duty } = view;
  const next = tour.next_stop;
  const name = next ? line?.stop(next.stop) ?? next.stop : say('bus.last');
  const here = inState(duty.places, 'accepted').filter((place) => next && place.stop === next.stop);
  const pattern = line?.route.patterns.find((/** @type {any} */ one) => one.id === tour.pattern);
  const then = next && pattern?.stops[next.index + 1];
  return element(
    'section',
    { className: 'next' },
    element('h2', {}, phrase(next ? 'bus.next' : 'bus.end.reached')),
    element('p', { className: name.length > 16 ? 'stop long' : 'stop', ariaLive: 'polite' }, name),
    ...when(view),
    ...(here.length
      ? [element('p', { className: 'calls' }, phrase('bus.calls', { count: people(here.flatMap((one) => one.requests)) }))]
      : []),
    ...(then ? [element('p', { className: 'soft' }, phrase('bus.then', { stop: line?.stop(then.stop) ?? '' }))] : []),
    ...(tour.off_route ? [element('p', { className: 'alarm' }, phrase('bus.off'))] : []),
    ...(next ? [] : [endButton(view, 'big')]),
  );
}

/** @param {Driving} view */
function seats({ tour, wish }) {
  const { taken, total } = tour.seats;
  const wanted = wish ?? taken;
  const less = element('button', { type: 'button', name: 'seat', value: '-1', ariaLabel: say('bus.seats.less'), disabled: wanted <= 0 }, '−');
  const more = element('button', { type: 'button', name: 'seat', value: '1', ariaLabel: say('bus.seats.more'), disabled: wanted >= total }, '+');
  const count = element('p', { className: 'count', role: 'status' }, element('strong', {}, phrase('bus.seats.count', { taken, total })));
  if (wish !== undefined && wish !== taken) count.append(element('span', { className: 'wish' }, phrase('bus.seats.wish', { count: wish })));
  return element('section', { className: 'seats' }, element('h2', {}, phrase('bus.seats')), element('div', {}, less, count, more));
}

/** @param {string} name @param {string} words @param {boolean} isOn */
function toggle(name, words, isOn) {
  const made = button('toggle', name, words, 'toggle');
  made.setAttribute('aria-pressed', String(isOn));
  return made;
}

/** @param {Driving} view */
function tools(view) {
  const { tour, rings, speaks, pending } = view;
  const first = tour.next_stop?.index === 0;
  // Of each the next counts from where the one before has led: touched twice it would go two stops on.
  const isStepping = pending.some(({ cmd }) => cmd === 'stop.next' || cmd === 'stop.previous');
  const steps = [
    button('previous', '', 'bus.previous', 'second'),
    button('passed', '', 'bus.passed', 'second'),
    button('skip', '', 'bus.skip', 'second'),
  ];
  /** @type {any} */ (steps[0]).disabled = first || isStepping;
  /** @type {any} */ (steps[1]).disabled = /** @type {any} */ (steps[2]).disabled = !tour.next_stop || isStepping;
  return element(
    'section',
    { className: 'tools' },
    ...(tour.pattern ? [element('h2', {}, phrase('bus.hand')), element('div', { className: 'two' }, ...steps)] : []),
    element('h2', {}, phrase('bus.requests')),
    element('div', { className: 'two' }, toggle('ring', 'bus.ring', rings), toggle('voice', 'bus.voice', speaks)),
    element('div', { className: 'end' }, endButton(view, 'second')),
  );
}

/** @param {Driving} view */
export function drivingView(view) {
  const hints = [];
  if (view.gps) hints.push(element('p', { className: 'alarm hint' }, phrase(view.gps === 'denied' ? 'bus.gps.denied' : 'bus.gps.missing')));
  if (view.isSilent) hints.push(element('p', { className: 'hint' }, phrase('bus.sound')));
  return [
    element('div', { className: 'way' }, ...hints, nextStop(view), seats(view)),
    element('div', { className: 'people' }, ...askedView(view), promisedView(view)),
    tools(view),
  ];
}
