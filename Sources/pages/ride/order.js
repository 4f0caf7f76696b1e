// What is wished: from, to, when, how many, what the vehicle must have. Then it is asked for.

import { money, phrase, say } from '../assets/language.js';
import { element } from '../assets/page.js';
import { minibusList, taxisNear } from './near.js';
import { GOOD, locate, named } from './where.js';
import { NEEDS, needName, reason, way } from './words.js';

/**
 * @typedef {import('./kept.js').Place} Place
 *
 * What the person is filling in. `mode`: a taxi `now` or `later`, or `seats` in a minibus.
 * @typedef {{ mode: 'now' | 'later' | 'seats', from?: Place, to?: Place, passengers: number, needs: Set<string>,
 *   payment: 'cash' | 'digital', day: string, time: string }} Draft
 */

const SLOT = 5 * 60_000;
/** A reservation is for so much later at least, as cities have it unless they say otherwise; the hub decides. */
const AHEAD = 130 * 60_000;

/**
 * The device's day and time, as fields of a form have them.
 * @param {number} at
 */
function fieldsOf(at) {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString();
  return { day: local.slice(0, 10), time: local.slice(11, 16) };
}

/** @param {number} now @returns {Draft} */
export const newDraft = (now) => ({
  mode: 'now', passengers: 1, needs: new Set(), payment: 'cash', ...fieldsOf(Math.ceil((now + AHEAD) / SLOT) * SLOT),
});

/** So long the device is taken to be where it was, ms. */
const STAYS = 5 * 60_000;

/**
 * Who was there a while ago may be elsewhere by now: no taxi is sent there.
 * @param {Draft} draft
 */
function forgetOld(draft) {
  const { from } = draft;
  if (from?.by === 'device' && Date.now() - (from.at ?? 0) > STAYS) draft.from = undefined;
}

/** @param {Place} place */
const point = ({ lat, lon }) => ({ lat: Math.round(lat * 1e6) / 1e6, lon: Math.round(lon * 1e6) / 1e6 });

/**
 * The command that asks for it, or what is missing: `from`, `to`, `when`.
 * @param {Draft} draft
 * @returns {{ cmd: 'ride.request' | 'reservation.make' | 'seat.request', fields: any } | { missing: 'from' | 'to' | 'when' }}
 */
export function command(draft) {
  const { mode, from, to, passengers, needs, payment } = draft;
  if (!from) return { missing: 'from' };
  if (mode !== 'now' && !to) return { missing: 'to' };
  const rest = { passengers, ...(payment === 'digital' ? { payment } : {}) };
  const equipped = needs.size ? { needs: [...needs] } : {};
  const destination = to ? { destination: point(to) } : {};
  if (mode === 'seats') return { cmd: 'seat.request', fields: { pickup: point(from), ...destination, ...rest } };
  if (mode === 'now') return { cmd: 'ride.request', fields: { ...point(from), ...destination, ...rest, ...equipped } };
  const at = new Date(`${draft.day}T${draft.time}`).getTime();
  if (Number.isNaN(at)) return { missing: 'when' };
  return { cmd: 'reservation.make', fields: { pickup: point(from), ...destination, at, ...rest, ...equipped } };
}

/**
 * A row of radio buttons that look like one switch.
 * @param {string} name
 * @param {Node | string} label
 * @param {[string, Node | string][]} choices
 * @param {string} chosen
 * @param {(value: string) => void} then
 */
function choice(name, label, choices, chosen, then) {
  const row = element('div', { className: 'switch' });
  for (const [value, text] of choices) {
    const radio = element('input', { type: 'radio', name, value, checked: value === chosen, id: `${name}-${value}` });
    radio.addEventListener('change', () => then(value));
    row.append(element('label', {}, radio, element('span', {}, text)));
  }
  return element('fieldset', {}, element('legend', { className: 'unseen' }, label), row);
}

/** @param {'from' | 'to'} end @param {Place | undefined} place */
function placeRow(end, place) {
  const text = element('span', { className: 'grow place' }, phrase(end === 'from' ? 'ride.from.choose' : 'ride.to.choose'));
  if (place) named(place, (name) => text.replaceChildren(name));
  const label = element('span', { className: 'soft' }, phrase(end === 'from' ? 'ride.from' : 'ride.to'));
  return element(
    'a',
    { className: `card place-row ${end}${place ? '' : ' open'}`, href: `#${end}`, id: `to-${end}` },
    element('span', { className: 'dot', ariaHidden: 'true' }),
    element('span', { className: 'grow' }, label, ' ', text),
    element('span', { className: 'chevron', ariaHidden: 'true' }, '›'),
  );
}

/** @param {Draft} draft @param {() => void} changed */
function passengersRow(draft, changed) {
  const count = element('output', { id: 'passengers' });
  const [less, more] = [
    element('button', { type: 'button', className: 'second round' }, '−'),
    element('button', { type: 'button', className: 'second round' }, '+'),
  ];
  less.setAttribute('aria-label', say('ride.passengers.less'));
  more.setAttribute('aria-label', say('ride.passengers.more'));
  /** @param {number} by */
  function turn(by) {
    draft.passengers = Math.min(99, Math.max(1, draft.passengers + by));
    count.replaceChildren(phrase('ride.passengers', { count: draft.passengers }));
    less.disabled = draft.passengers === 1;
    if (by) changed();
  }
  less.addEventListener('click', () => turn(-1));
  more.addEventListener('click', () => turn(1));
  turn(0);
  return element('div', { className: 'stepper' }, less, count, more);
}

/** @param {Draft} draft */
function needsRow(draft) {
  const row = element('div', { className: 'chips' });
  for (const need of NEEDS) {
    const box = element('input', { type: 'checkbox', checked: draft.needs.has(need), id: `need-${need}` });
    box.addEventListener('change', () => (box.checked ? draft.needs.add(need) : draft.needs.delete(need)));
    row.append(element('label', {}, box, element('span', {}, needName(need))));
  }
  return element('fieldset', {}, element('legend', {}, phrase('ride.needs')), row);
}

/** @param {Draft} draft @param {() => void} changed */
function whenRow(draft, changed) {
  const day = element('input', { type: 'date', value: draft.day, id: 'day', required: true });
  const time = element('input', { type: 'time', value: draft.time, id: 'time', required: true, step: '60' });
  day.addEventListener('change', () => ((draft.day = day.value), changed()));
  time.addEventListener('change', () => ((draft.time = time.value), changed()));
  return element(
    'div',
    { className: 'when' },
    element('label', {}, phrase('ride.day'), day),
    element('label', {}, phrase('ride.time'), time),
  );
}

/**
 * What is made of an amount.
 * @param {any} fare
 */
export function fareParts(fare) {
  const list = element('ul', { className: 'parts' });
  for (const part of fare.parts ?? []) {
    const name = part.zone ? phrase('ride.part.toll.zone', { zone: part.zone }) : phrase(`ride.part.${part.name}`);
    list.append(
      element('li', {}, element('span', { className: 'grow' }, name), element('span', {}, money({ ...fare, amount: part.amount }))),
    );
  }
  return list;
}

/** @param {import('./ride.js').App} app */
function estimateBox(app) {
  const box = element('div', { className: 'estimate', ariaLive: 'polite' });
  let asked = 0;
  /** @type {any} */
  let timer;
  async function ask() {
    const mine = ++asked;
    const { draft, hub } = app;
    const wish = command(draft);
    if (!draft.to || 'missing' in wish || draft.mode === 'seats' || hub.state !== 'live') return box.replaceChildren();
    const at = wish.cmd === 'reservation.make' ? { at: wish.fields.at } : {};
    const question = {
      pickup: point(/** @type {Place} */ (draft.from)),
      destination: point(draft.to),
      passengers: draft.passengers,
      ...at,
    };
    const answer = await hub.call('fare.estimate', question).catch((error) => ({ error }));
    if (mine !== asked) return undefined;
    if ('error' in answer) return box.replaceChildren(element('p', { className: 'alarm' }, reason(answer.error)));
    const long = phrase(
      'ride.estimate.way',
      { way: way(answer.distance_m), count: Math.max(1, Math.round(answer.duration_s / 60)) },
    );
    if (!answer.fare) return box.replaceChildren(element('p', { className: 'soft' }, long));
    const amount = element('p', { className: 'amount' }, phrase('ride.estimate', { amount: money(answer.fare) }));
    const parts = element('details', {}, element('summary', {}, phrase('ride.estimate.parts')), fareParts(answer.fare));
    return box.replaceChildren(amount, element('p', { className: 'soft' }, long), parts);
  }
  return {
    box,
    refresh() {
      clearTimeout(timer);
      timer = setTimeout(ask, 250);
    },
  };
}

/**
 * Asks for it; what is missing is to be chosen first.
 * @param {import('./ride.js').App} app @param {object} [more] fields
 */
export function send(app, more = {}) {
  forgetOld(app.draft);
  const wish = command(app.draft);
  if ('missing' in wish) return app.go(wish.missing === 'when' ? '' : wish.missing);
  return app.ask(wish.cmd, { ...wish.fields, ...more });
}

/**
 * What went wrong with the last wish, and the ways on.
 * @param {import('./ride.js').App} app
 */
function problemBox(app) {
  const { problem, draft } = app;
  if (!problem) return element('div');
  const ways = element('div', { className: 'buttons' });
  /** @param {string} key @param {() => void} then */
  const wayOn = (key, then) => {
    const button = element(
      'button',
      { type: 'button', className: ways.children.length ? 'second' : '', id: `on-${key}` },
      phrase(`ride.on.${key}`),
    );
    button.addEventListener('click', then);
    ways.append(button);
  };
  /** @param {'now' | 'later' | 'seats'} mode */
  const turn = (mode) => {
    draft.mode = mode;
    app.problem = undefined;
    app.rebuild();
  };
  const { code } = problem.error ?? problem;
  const isNobody = ['zone_empty', 'no_driver', 'timeout'].includes(code);
  if (isNobody && draft.mode === 'now') wayOn('wait', () => send(app, { wait: true }));
  if (isNobody && draft.mode === 'now') wayOn('again', () => send(app));
  if ((isNobody || code === 'too_many_passengers') && draft.mode !== 'seats') wayOn('seats', () => turn('seats'));
  if (isNobody && draft.mode === 'now') wayOn('later', () => turn('later'));
  if (draft.mode === 'seats' || (code === 'too_soon' && draft.mode === 'later')) wayOn('taxi', () => turn('now'));
  const title = isNobody ? [element('h2', {}, phrase('ride.nobody'))] : [];
  return element(
    'section',
    { className: 'card problem', id: 'problem', role: 'alert' },
    ...title,
    element('p', {}, reason(problem)),
    ways,
  );
}

/** @param {import('./ride.js').App} app */
export function orderView(app) {
  const { draft, hub, ground } = app;
  forgetOld(draft);
  const estimate = estimateBox(app);
  const near = draft.mode === 'seats' ? minibusList(app) : draft.mode === 'now' ? taxisNear(app) : undefined;
  const mode = choice(
    'mode',
    phrase('ride.mode'),
    [['now', phrase('ride.mode.now')], ['later', phrase('ride.mode.later')], ['seats', phrase('ride.mode.seats')]],
    draft.mode,
    (value) => {
      draft.mode = /** @type {any} */ (value);
      app.problem = undefined;
      app.rebuild();
    },
  );
  const pay = choice(
    'pay', phrase('ride.pay'), [['cash', phrase('ride.pay.cash')], ['digital', phrase('ride.pay.digital')]], draft.payment,
    (value) => (draft.payment = /** @type {any} */ (value)),
  );
  const mine = element('button', { type: 'button', className: 'second wide', id: 'mine' }, phrase('ride.place.mine'));
  const trouble = element('p', { className: 'alarm', role: 'alert' });
  mine.addEventListener('click', async () => {
    mine.replaceChildren(phrase('ride.place.asking'));
    try {
      const { accuracy, ...place } = await locate();
      if (accuracy > GOOD) {
        app.unsure = { ...place, accuracy };
        app.go('from');
      } else {
        draft.from = place;
        app.rebuild();
      }
    } catch {
      mine.replaceChildren(phrase('ride.place.mine'));
      trouble.replaceChildren(phrase('ride.place.unknown'));
    }
  });
  const submit = element('button', { className: 'wide main', id: 'send' });
  const words = { now: 'ride.send.now', later: 'ride.send.later', seats: 'ride.send.seats' };
  submit.append(phrase(words[draft.mode]));
  const offline = element('p', { className: 'soft', hidden: true }, phrase('ride.offline'));
  const form = element(
    'form',
    { noValidate: true },
    mode,
    element('div', { className: 'places' }, placeRow('from', draft.from), placeRow('to', draft.to)),
    ...(draft.from ? [] : [mine, trouble]),
    ...(draft.mode === 'later' ? [whenRow(draft, estimate.refresh)] : []),
    element('div', { className: 'pair' }, passengersRow(draft, () => (estimate.refresh(), near?.refresh())), pay),
    ...(draft.mode === 'seats' ? [] : [needsRow(draft)]),
    estimate.box,
    ...(near ? [near.box] : []),
    submit,
    offline,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(app);
  });
  const stop = ground.pick((place) => {
    draft[draft.from ? 'to' : 'from'] = { ...place, by: 'pin' };
    app.go(draft.to ? 'to' : 'from');
  });
  ground.show({ from: draft.from, to: draft.to });
  estimate.refresh();
  return {
    title: phrase('ride.title'),
    nodes: [element('h1', { id: 'title', tabIndex: -1 }, phrase('ride.title')), problemBox(app), form],
    update() {
      // The link is back: what it costs can be asked now.
      if (!offline.hidden && hub.state === 'live') estimate.refresh();
      offline.hidden = hub.state === 'live';
      near?.update();
    },
    close() {
      stop();
      near?.close();
    },
  };
}
