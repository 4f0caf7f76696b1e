// Which route a minibus drives: one of the city's lines, another name, or none.

import { ask } from '../assets/ask.js';
import { phrase, say } from '../assets/language.js';
import { element } from '../assets/page.js';
import { button, section } from './views.js';

/** @typedef {{ id: string, name: string, long_name: string }} Line */

/** In the list: a name that is written. No line has it as its id. */
const OTHER = ' ';
/** As the hub takes it. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;
/** What begins so is a way without a route, as an app of the driver's has announced it. */
const OWN_WAY = 'way:';

/** @param {Line} line */
const titled = ({ id, name, long_name: long }) => [name || id, long].filter(Boolean).join(' · ');


/**
 * What passengers are told, and how to change it. A name that is no line's says nothing of the way to the hub.
 * @param {import('./state.js').State} state @param {Line[] | undefined} lines not known yet: nothing is said @param {import('./views.js').Around} around
 */
export function route({ seats, route: now }, lines, { waits }) {
  if (!seats || !lines) return [];
  const line = lines.find(({ id }) => id === now);
  const isWay = now?.startsWith(OWN_WAY);
  const name = line ? titled(line) : isWay ? phrase('drive.route.way') : now ?? phrase('drive.route.none');
  return [section(
    'route',
    'card',
    element('p', { className: 'soft' }, phrase('drive.route')),
    element('p', { className: 'name', role: 'status' }, name),
    ...(line || isWay ? [] : [element('p', { className: 'soft' }, phrase('drive.route.why'))]),
    element('div', { className: 'answers' }, button('route', now ? 'drive.route.change' : 'drive.route.choose', { className: 'second', disabled: waits('route.set') })),
  )];
}

/**
 * @param {string | undefined} now @param {Line[]} lines
 * @returns {Promise<string | null | undefined>} null: none; undefined: as it is
 */
export async function askRoute(now, lines) {
  const known = lines.filter(({ id }) => NAME.test(id));
  const others = [['', say('drive.route.none')], ...known.map((line) => [line.id, titled(line)]), [OTHER, say('drive.route.other')]];
  const choice = element('select', { className: 'wide' }, ...others.map(([value, text]) => element('option', { value }, text)));
  const field = element('input', { type: 'text', autocomplete: 'off', autocapitalize: 'off', spellcheck: false, maxLength: 64 });
  const hint = element('p', { className: 'soft', id: 'route-hint' }, phrase('drive.route.name.how'));
  field.setAttribute('aria-describedby', hint.id);
  const name = element('div', {}, element('label', {}, phrase('drive.route.name'), field), hint);
  const isListed = !now || known.some(({ id }) => id === now);
  choice.value = isListed ? now ?? '' : OTHER;
  if (now && !isListed && !now.startsWith(OWN_WAY)) field.value = now;
  const answers = [{ value: '', label: phrase('back'), className: 'second' }, { value: 'yes', label: phrase('drive.route.take'), className: 'go' }];
  const answer = ask(phrase('drive.route.title'), [element('label', {}, phrase('drive.route'), choice), name], answers);
  const yes = /** @type {HTMLButtonElement} */ (choice.closest('dialog')?.querySelector('[value=yes]'));
  const turn = () => {
    name.hidden = choice.value !== OTHER;
    yes.disabled = choice.value === OTHER && !NAME.test(field.value.trim());
  };
  for (const one of [choice, field]) one.addEventListener('input', turn);
  turn();
  choice.focus();
  if (!(await answer)) return undefined;
  return (choice.value === OTHER ? field.value.trim() : choice.value) || null;
}
