// What all parts of the control room share: the hub, what is read with the operator's token, times, and asking before an act.

import { localStore } from '../assets/kerbside/kerbside.js';
import { clock, phrase } from '../assets/language.js';
import { byId, connect, element, explained, read } from '../assets/page.js';
import { ownToken } from '../assets/sign-in.js';

let wasLive = false;
/** Since when there is no link, Unix ms. */
let lost = 0;

/** @param {number} at Unix ms */
export const time = (at) => clock(at);

/** @param {string} state of the link */
function words(state) {
  if (state === 'live') {
    [wasLive, lost] = [true, 0];
    return '';
  }
  if (state === 'closed') return phrase('control.closed');
  if (!wasLive) return phrase('link.connecting');
  lost ||= Date.now();
  return phrase('control.lost', { time: time(lost) });
}

// A prefix of its own: what a guest of the other pages still has to send is not the operator's.
export const hub = connect(localStore('kerbside.control:'), words, 'operator');

/** @param {string} path for operators */
export const ask = async (path) => read(path, await ownToken('operator')());

/**
 * How long ago, in words.
 * @param {number} at Unix ms
 */
export function ago(at) {
  const seconds = Math.max(0, Math.round((hub.time - at) / 1000));
  if (seconds < 90) return phrase('control.ago.seconds', { count: seconds });
  if (seconds < 5400) return phrase('control.ago.minutes', { count: Math.round(seconds / 60) });
  return phrase('control.ago.hours', { count: Math.round(seconds / 3600) });
}

/** How long something that was said can be read, ms. */
const READ = 8000;
let fading = 0;

/**
 * Says it once, in the corner.
 * @param {Node | string} text
 */
export function tell(text) {
  const area = byId('said');
  area.replaceChildren(element('p', {}, text));
  clearTimeout(fading);
  fading = setTimeout(() => area.replaceChildren(), READ);
}

/**
 * A list of facts; what is not known is left out.
 * @param {...[string | Node, string | number | Node | undefined | null | false]} rows
 */
export function facts(...rows) {
  const known = rows.filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '');
  return element(
    'dl', { className: 'facts' },
    ...known.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, /** @type {any} */ (value)))),
  );
}

/**
 * What is to be shown when the finger that is down now is up: a row that goes away under it would not be clicked.
 * @type {Map<HTMLElement, (Node | string)[]>}
 */
const held = new Map();
let isDown = false;
addEventListener('pointerdown', () => void (isDown = true), true);
for (const end of ['pointerup', 'pointercancel', 'blur']) {
  addEventListener(end, () => setTimeout(() => {
    isDown = false;
    const waiting = [...held];
    held.clear();
    for (const [list, rows] of waiting) refill(list, rows);
  }), true);
}

/**
 * Makes the rows those of a list. A row that is there already is not touched: it is not read aloud again, and keeps the focus.
 * @param {HTMLElement} list @param {(Node | string)[]} rows
 */
function put(list, rows) {
  /** @type {Set<Node>} */
  const wanted = new Set();
  for (const row of rows) if (row instanceof Element) wanted.add(row);
  // A text is made anew each time.
  if (wanted.size < rows.length) return list.replaceChildren(...rows);
  for (const one of [...list.childNodes]) if (!wanted.has(one)) one.remove();
  for (const [index, row] of [...wanted].entries()) {
    const there = list.childNodes[index];
    if (there !== row) list.insertBefore(row, there ?? null);
  }
}

/**
 * Replaces what a list shows; who stood on a row with the keyboard still does.
 * @param {HTMLElement} list @param {(Node | string)[]} rows
 */
export function refill(list, rows) {
  if (isDown && list.childElementCount) return void held.set(list, rows);
  held.delete(list);
  const key = list.contains(document.activeElement) ? document.activeElement?.getAttribute('data-key') : undefined;
  put(list, rows);
  if (!key || list.contains(document.activeElement)) return undefined;
  /** @type {NodeListOf<HTMLElement>} */
  const keyed = list.querySelectorAll('[data-key]');
  return [...keyed].find((one) => one.dataset.key === key)?.focus();
}

/**
 * A button.
 * @param {Node | string} text @param {() => unknown} does @param {string} [className]
 */
export function button(text, does, className = 'second') {
  const made = element('button', { type: 'button', className }, text);
  made.addEventListener('click', () => void does());
  return made;
}

/**
 * A link to another view of the room.
 * @param {string} href @param {...(Node | string)} content
 */
export function way(href, ...content) {
  const made = element('a', { href }, ...content);
  made.dataset.key = href;
  return made;
}

/**
 * Where a vehicle is told of.
 * @param {string} id
 * @param {string} [kind]
 */
export const addressOf = (id, kind) => `#${kind === 'bus' ? 'bus' : 'driver'}/${encodeURIComponent(id)}`;

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {Node | string} label
 * @property {boolean} [isRequired]
 * @property {string} [type] of the input; `select` for one of `options`
 * @property {[string, string | Node][]} [options]
 * @property {string} [value]
 * @property {number} [max] letters, or the number
 */

/** @param {Field} field */
export function input({ name, label, isRequired = false, type = 'text', options = [], value = '', max }) {
  /** @type {any} */
  let made;
  if (type === 'select') {
    const choices = options.map(([id, text]) => element('option', { value: id, selected: id === value }, text));
    made = element('select', { name }, ...choices);
  } else {
    const limit = max === undefined ? {} : type === 'number' ? { max: String(max), min: '1' } : { maxLength: max };
    made = element('input', { type, name, defaultValue: value, required: isRequired, autocomplete: 'off', ...limit });
  }
  return element('label', {}, label, made);
}

/**
 * What stands in the fields of a form.
 * @param {HTMLElement} form
 * @returns {Record<string, string>}
 */
export function valuesOf(form) {
  const data = new FormData(/** @type {HTMLFormElement} */ (form));
  return Object.fromEntries([...data].map(([name, value]) => [name, String(value).trim()]));
}

/** What people write as a reason: one line. */
export const REASON = { name: 'reason', label: phrase('control.reason'), isRequired: true, max: 160 };

/** What was asked is asked no more. */
export function withdraw() {
  for (const one of document.querySelectorAll('dialog')) one.close();
}

/**
 * Asks first, does it, and says how it went. Without a link it is kept and sent later, which is said.
 * @param {object} act
 * @param {Node | string} act.title
 * @param {Node | string} act.text what will happen, and whom it concerns
 * @param {Node | string} act.verb on the button
 * @param {Field[]} [act.fields]
 * @param {(values: Record<string, string>) => Promise<any>} act.send
 * @param {Node | string} act.done what is said then
 */
export function askFirst({ title, text, verb, fields = [], send, done }) {
  const said = element('p', { role: 'status' });
  const form = element('form', {}, ...fields.map(input), said);
  const go = element('button', {}, verb);
  const heading = element('h2', { id: 'asked' }, title);
  const dialog = element('dialog', {}, heading, element('p', {}, text), form);
  dialog.setAttribute('aria-labelledby', 'asked');
  form.append(element('div', { className: 'acts' }, go, button(phrase('control.no'), () => dialog.close())));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const values = valuesOf(form);
    go.disabled = true;
    said.replaceChildren(phrase(hub.state === 'live' ? 'control.doing' : 'ask.waits'));
    try {
      await send(values);
      dialog.close();
      tell(done);
    } catch (error) {
      said.replaceChildren(element('span', { className: 'alarm' }, explained(error)));
      go.disabled = false;
    }
  });
  const before = document.activeElement;
  dialog.addEventListener('keydown', (event) => event.key === 'Escape' && dialog.close());
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before instanceof HTMLElement) before.focus();
  });
  withdraw();
  byId('main').append(dialog);
  // Not modal: an alarm that comes meanwhile stands above it, and can be taken.
  dialog.show();
}
