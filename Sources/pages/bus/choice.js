// Before a tour: which bus, which line, which departure. The last bus and line are kept on the device, the next departure is chosen.

import { clock, phrase, say } from '../assets/language.js';
import { dotted, element } from '../assets/page.js';
import { AHEAD, choiceOf } from './runs.js';
import { button } from './stops.js';

const KEPT = 'kerbside.bus.choice';

/** @param {import('./runs.js').Run} run */
const keyOf = (run) => `${run.trip} ${run.at}`;

export class Choice {
  /** @type {any[]} */
  buses = [];
  /** @type {any[]} */
  lines = [];
  bus = '';
  line = '';
  /** What the driver has picked; nothing: the next. */
  run = '';

  /** @param {any[]} buses @param {any[]} lines */
  take(buses, lines) {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? '{}');
    this.buses = buses;
    this.lines = lines;
    /** @param {any[]} all @param {(string | undefined)[]} wishes @returns {string} the first wish that there is */
    const known = (all, wishes) => wishes.find((wish) => all.some((one) => one.id === wish)) ?? all[0]?.id ?? '';
    this.bus = known(buses, [this.bus, kept.bus]);
    this.line = known(lines, [this.line, kept.line, buses.find((one) => one.id === this.bus)?.line]);
  }

  /** @param {string} name @param {string} value */
  pick(name, value) {
    this.run = '';
    if (name === 'bus') {
      this.bus = value;
      const own = this.buses.find((one) => one.id === value)?.line;
      if (this.lines.some((one) => one.id === own)) this.line = own;
    } else if (name === 'line') {
      this.line = value;
    } else {
      this.run = value;
    }
  }

  keep() {
    localStorage.setItem(KEPT, JSON.stringify({ bus: this.bus, line: this.line }));
  }

  /**
   * The departures to choose from, and what is chosen.
   * @param {View} view
   */
  departures({ line, now, ended }) {
    if (!line) return undefined;
    const driven = new Set([...line.buses.values()].map((bus) => bus.trip));
    const { open, next, later } = choiceOf(line, now, driven, ended);
    const run = open.find((one) => keyOf(one) === this.run) ?? next;
    const patterns = open.length ? [] : line.route.patterns;
    const pattern = patterns.find((/** @type {any} */ one) => one.id === this.run) ?? patterns[0];
    return { open, later, run, patterns, pattern, driven };
  }

  /**
   * The fields of `tour.start`.
   * @param {View} view
   */
  fields(view) {
    const found = this.departures(view);
    const way = found?.run ? { trip: found.run.trip } : found?.pattern ? { pattern: found.pattern.id } : {};
    return { bus: this.bus, line: this.line, ...way };
  }
}

/**
 * @typedef {object} View
 * @property {import('../assets/buses.js').Line | undefined} line
 * @property {number} now
 * @property {import('./duty.js').Duty['ended']} ended
 * @property {boolean} isStarting
 */

/** @param {string} name @param {string} words @param {any[]} all @param {(one: any) => string} text @param {string} chosen */
function select(name, words, all, text, chosen) {
  const made = element('select', { name });
  for (const one of all) made.append(element('option', { value: one.id }, text(one)));
  /** @type {any} */ (made).value = chosen;
  return element('label', {}, phrase(words), made);
}

/** @param {string} value @param {boolean} isChosen @param {...(Node | string)} content */
function radio(value, isChosen, ...content) {
  const input = element('input', { type: 'radio', name: 'run', value, checked: isChosen });
  const row = element('label', { className: 'card row run' }, input, ...content);
  row.setAttribute('data-key', value);
  return row;
}

/** @param {NonNullable<ReturnType<Choice['departures']>>} found @param {View} view */
function departureRows({ open, run, patterns, pattern, driven }, { line }) {
  if (!line) return [];
  /** @param {any} one */
  const to = (one) => phrase('towards', { place: one.headsign || line.stop(one.stops.at(-1)?.stop ?? '') });
  const rows = open.map((one) => {
    const isDriven = driven.has(one.trip);
    const bus = isDriven ? [...line.buses.values()].find((other) => other.trip === one.trip)?.bus : '';
    const notes = isDriven ? [element('br'), element('span', { className: 'soft' }, phrase('bus.run.driven', { bus }))] : [];
    const time = element('span', { className: 'time' }, clock(one.at, line.zone));
    return radio(keyOf(one), one === run, time, element('span', { className: 'grow' }, to(one.pattern), ...notes));
  });
  return [
    ...rows,
    ...patterns.map((/** @type {any} */ one) => radio(one.id, one === pattern, element('span', { className: 'grow' }, to(one)))),
  ];
}

/** @param {NonNullable<Choice['departures'] extends (view: any) => infer T ? T : never>} found @param {View} view */
function departureHints({ open, later }, { line }) {
  if (!line) return [];
  const hints = open.length ? [] : [phrase('bus.run.none')];
  const times = later && { time: clock(later.at, line.zone), from: clock(later.at - AHEAD, line.zone) };
  if (times) hints.push(phrase('bus.run.later', times));
  return hints.length ? [element('p', { className: 'soft' }, ...dotted(...hints))] : [];
}

/**
 * How the tour before has ended.
 * @type {Record<string, string>}
 */
const ENDED = { driver: 'bus.ended.driver', operator: 'bus.ended.operator', lost: 'bus.ended.lost', gone: 'bus.ended.driver' };

/** @param {Choice} choice @param {View} view */
export function choiceView(choice, view) {
  if (!choice.buses.length || !choice.lines.length) return [element('p', {}, phrase('bus.none'))];
  const found = choice.departures(view);
  const list = element('fieldset', {}, element('legend', {}, phrase('bus.run')));
  if (found) list.append(...departureRows(found, view), ...departureHints(found, view));
  const { ended, line } = view;
  const start = button('start', '', view.isStarting ? 'bus.starting' : 'bus.start', 'big');
  /** @type {any} */ (start).disabled = view.isStarting || !found || Boolean(found.open.length && !found.run);
  const time = found?.run && line ? [element('span', { className: 'soon' }, clock(found.run.at, line.zone))] : [];
  if (!view.isStarting) start.append(...time.flatMap((one) => [' ', one]));
  return [
    ...(ended ? [element('p', { className: 'ended', role: 'status' }, phrase(ENDED[ended.reason] ?? ENDED.gone))] : []),
    select('bus', 'bus.bus', choice.buses, (one) => (one.plate ? `${one.id} · ${one.plate}` : one.id), choice.bus),
    select('line', 'bus.line', choice.lines, (one) => [one.name || one.id, one.long_name].filter(Boolean).join(' · '), choice.line),
    list,
    element('p', { className: 'soft' }, say('bus.start.then')),
    start,
  ];
}
