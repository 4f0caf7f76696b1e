// Simple charts: bars as SVG for the eye, and the same as a table for everybody.

import { phrase } from '../assets/language.js';
import { element } from '../assets/page.js';

/**
 * @typedef {{ label: string, values: number[] }} Bar `values` one upon the other
 */

/** Of the drawing, which is scaled to the page. */
const [WIDTH, HEIGHT, BASE, TOP] = [380, 170, 144, 12];

/** @param {string} name @param {Record<string, string | number>} attributes @param {string} [text] */
function svg(name, attributes, text) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

/**
 * The next round number: 1, 2 or 5, and noughts.
 * @param {number} most
 */
export function ceiling(most) {
  const ten = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 2, 5, 10].map((step) => step * ten).find((one) => one >= most) ?? 10 * ten;
}

/** @param {Bar[]} bars @param {number} kinds */
function drawing(bars, kinds) {
  const picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'aria-hidden': 'true', class: 'chart' });
  const most = ceiling(Math.max(1, ...bars.map(({ values }) => values.reduce((sum, one) => sum + one, 0))));
  const left = 44;
  const step = (WIDTH - left) / bars.length;
  const every = Math.ceil(bars.length / 8);
  for (const part of [0, 0.5, 1]) {
    const y = BASE - part * (BASE - TOP);
    picture.append(svg('line', { x1: left, x2: WIDTH, y1: y, y2: y, class: 'rule' }));
    const beside = { x: left - 8, y: y + 4, 'text-anchor': 'end' };
    if (Number.isInteger(most * part)) picture.append(svg('text', beside, String(most * part)));
  }
  bars.forEach(({ label, values }, index) => {
    let y = BASE;
    for (let kind = 0; kind < kinds; kind += 1) {
      const height = ((values[kind] ?? 0) / most) * (BASE - TOP);
      y -= height;
      const width = Math.min(44, step * 0.7);
      const x = left + (index + 0.5) * step - width / 2;
      if (height) picture.append(svg('rect', { x, y, width, height, class: `kind-${kind}` }));
    }
    const middle = { x: left + (index + 0.5) * step, y: HEIGHT - 8, 'text-anchor': 'middle' };
    if (index % every === 0) picture.append(svg('text', middle, label));
  });
  return picture;
}

/**
 * The same text once more.
 * @param {Node | string} text
 */
const copy = (text) => (typeof text === 'string' ? text : text.cloneNode(true));

/**
 * @param {Node | string} title
 * @param {Node | string} what the bars are of
 * @param {(Node | string)[]} kinds what is one upon the other
 * @param {Bar[]} bars
 */
export function chart(title, what, kinds, bars) {
  const name = element('h3', {}, title);
  const none = element('p', { className: 'soft' }, phrase('control.figures.none'));
  if (!bars.length) return element('section', { className: 'figure' }, name, none);
  const signs = kinds.map((kind, index) => element('span', { className: `kind-${index}` }, copy(kind)));
  const key = element('p', { className: 'key' }, ...signs);
  key.setAttribute('aria-hidden', 'true');
  const head = element('tr', {}, ...[what, ...kinds].map((text) => element('th', { scope: 'col' }, text)));
  const rows = bars.map(({ label, values }) =>
    element('tr', {}, element('th', { scope: 'row' }, label), ...values.map((one) => element('td', {}, String(one)))));
  const table = element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows));
  const wide = element('div', { className: 'wide', tabIndex: 0, role: 'group', ariaLabel: name.textContent }, table);
  return element(
    'section', { className: 'figure' }, name, drawing(bars, kinds.length), key,
    element('details', {}, element('summary', {}, phrase('control.table')), wide),
  );
}
