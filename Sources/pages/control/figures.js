// Figures of the last days, and how the hub itself is.

import { language, phrase } from '../assets/language.js';
import { element, explained } from '../assets/page.js';
import { ownToken } from '../assets/sign-in.js';
import { chart } from './chart.js';
import { ask, facts, hub, refill } from './desk.js';

/**
 * @typedef {import('./room.js').Room} Room
 * @typedef {import('./room.js').View} View
 * @typedef {{ label: string, values: number[] }} Bar
 */

/** How often the hub's health is asked for, ms. */
const OFTEN = 15_000;
/** Figures that the hub could not tell are asked for again, ms. */
const SOON = 2000;
const PATHS = ['/v1/stats/taxis', '/v1/stats/seats', '/v1/stats'];

/**
 * Rows summed up by what they have in common, in the order of that.
 * @param {any[]} rows @param {(row: any) => string} by @param {((row: any) => number)[]} counts
 * @returns {Bar[]}
 */
export function sums(rows, by, counts) {
  /** @type {Map<string, number[]>} */
  const found = new Map();
  for (const row of rows) {
    const before = found.get(by(row)) ?? counts.map(() => 0);
    found.set(by(row), counts.map((count, index) => before[index] + count(row)));
  }
  const bars = [...found].map(([label, values]) => ({ label, values }));
  return bars.sort((a, b) => a.label.localeCompare(b.label, undefined, { numeric: true }));
}

/** @param {string} date */
function day(date) {
  return new Date(`${date}T12:00Z`).toLocaleDateString(language, { day: 'numeric', month: 'numeric', timeZone: 'UTC' });
}
/**
 * Days in their order, each by a short name.
 * @param {Bar[]} bars
 */
const byDay = (bars) => bars.map(({ label, values }) => ({ label: day(label), values }));

/**
 * The figures of a program in the form of Prometheus, summed up over its processes.
 * @param {string} text
 * @returns {Record<string, number>}
 */
export function metrics(text) {
  /** @type {Record<string, number>} */
  const found = {};
  const rows = text.matchAll(/^([a-z_]+)(?:\{[^}]*\})? (\S+)$/gm);
  for (const [, name, value] of rows) found[name] = (found[name] ?? 0) + Number(value);
  return found;
}

/** @param {number} bytes */
const megabytes = (bytes) => phrase('control.hub.mb', { count: Math.round(bytes / 1e6) });

/** @param {any} row of seats */
const inVain = ({ declined, unanswered, unmet }) => declined + unanswered + unmet;

async function health() {
  const [ready, figures] = await Promise.all([
    fetch('/readyz').catch(() => undefined),
    ownToken('operator')().then((token) => fetch('/metrics', { headers: { Authorization: `Bearer ${token}` } })).catch(() => undefined),
  ]);
  const wrong = ready ? (await ready.text()).trim() : phrase('control.hub.silent');
  const state = ready?.ok ? phrase('control.hub.ready') : element('span', { className: 'alarm' }, wrong);
  const known = figures?.ok ? metrics(await figures.text()) : undefined;
  return facts(
    [phrase('control.state'), element('strong', {}, state)],
    [phrase('control.hub.connections'), known?.kerbside_connections],
    [phrase('control.hub.sessions'), known?.kerbside_sessions],
    [phrase('control.hub.memory'), known && megabytes(known.process_resident_memory_bytes)],
    [phrase('control.hub.store'), known && megabytes(known.kerbside_redis_memory_bytes)],
    [phrase('control.hub.disk'), known?.kerbside_data_free_bytes !== undefined && megabytes(known.kerbside_data_free_bytes)],
    [phrase('control.hub.refuses'), known?.kerbside_redis_refuses_writes ? phrase('control.yes') : false],
  );
}

/** @param {any[]} hours of taxis @returns {HTMLElement[]} */
function taxis(hours) {
  const kinds = () => [phrase('control.rides.ended'), phrase('control.rides.cancelled'), phrase('control.rides.failed')];
  /** @type {((row: any) => number)[]} */
  const counts = [(row) => row.ended, (row) => row.cancelled + row.no_shows, (row) => row.failed];
  return [
    chart(phrase('control.figures.days'), phrase('control.figures.day'), kinds(), byDay(sums(hours, ({ date }) => date, counts))),
    chart(phrase('control.figures.hours'), phrase('control.figures.hour'), kinds(), sums(hours, (row) => `${row.hour}`, counts)),
    chart(phrase('control.figures.zones'), phrase('control.zone'), kinds(), sums(hours, ({ zone }) => zone, counts)),
  ];
}

/** @param {Room} _ @returns {View} */
export function figuresView(_) {
  const [hubArea, area] = [element('div'), element('div')];
  let again = 0;
  const look = async () => refill(hubArea, [await health()]);
  /** @param {any[]} told what has been read already */
  const load = async (told = []) => {
    clearTimeout(again);
    try {
      // A hub reads one after the other, and who has read much waits before the next.
      while (told.length < PATHS.length) told.push(await ask(PATHS[told.length]));
      const [cabs, seats, lines] = told;
      refill(area, [
        element('p', { className: 'soft' }, phrase('control.figures.when', { from: day(cabs.from), to: day(cabs.to) })),
        ...taxis(cabs.hours),
        chart(
          phrase('control.figures.seats'), phrase('control.figures.day'),
          [phrase('control.seats.aboard'), phrase('control.seats.cancelled'), phrase('control.seats.unmet')],
          byDay(sums(seats.hours, ({ date }) => date, [({ aboard }) => aboard, (row) => row.cancelled, inVain])),
        ),
        chart(
          phrase('control.figures.lines'), phrase('control.line'), [phrase('control.figures.passengers')],
          sums(lines.days, ({ line }) => line, [(row) => row.passengers]),
        ),
      ]);
    } catch (error) {
      refill(area, [element('p', { className: 'alarm' }, explained(error))]);
      if (hub.state !== 'closed') again = setTimeout(load, SOON, told);
    }
  };
  look();
  load();
  const timer = setInterval(look, OFTEN);
  return {
    area: element('div', {}, element('h2', {}, phrase('control.figures')), element('h3', {}, phrase('control.hub')), hubArea, area),
    update(news) {
      if (!news.has('link')) return;
      look();
      if (hub.state === 'live') load();
    },
    close() {
      clearInterval(timer);
      clearTimeout(again);
    },
  };
}
