// A ride or booking under way: searched for, on its way, near, here, aboard; its driver lost; how to take it back.

import { sure } from '../assets/ask.js';
import { clock, money, phrase } from '../assets/language.js';
import { element } from '../assets/page.js';
import { minutesTo } from './journey.js';
import { shareBox } from './share.js';
import { named } from './where.js';
import { needName, put, reason, way } from './words.js';

/** @typedef {import('./journey.js').Under} Under */

/**
 * Of a search, by the hub's reason.
 * @param {Under} now
 */
function searchNote({ kind, reason: why = '', round = 1, until }) {
  const limit = until ? { time: clock(until) } : { time: '' };
  if (kind === 'seats') {
    const asked = ['declined', 'no_answer', 'undelivered', 'full', 'offline'].includes(why);
    if (asked) return phrase('ride.search.bus.next', limit);
    return phrase(until ? 'ride.search.bus' : 'ride.search.asked', limit);
  }
  if (why === 'waiting') return phrase('ride.search.waiting', limit);
  if (why === 'driver_cancelled') return phrase('ride.search.given');
  if (why === 'driver_lost') return phrase('ride.search.lost');
  if (why === 'operator') return phrase('ride.search.operator');
  return phrase(round > 1 ? 'ride.search.round' : 'ride.search.first');
}

/** @param {Under} now */
export function titleOf({ kind, stage, notified, lost }) {
  const isTaxi = kind === 'ride';
  if (lost) return phrase('ride.is.lost');
  if (stage === 'searching') return phrase(isTaxi ? 'ride.is.searching' : 'ride.is.searching.bus');
  if (stage === 'aboard') return phrase('ride.is.aboard');
  if (notified === 20) return phrase(isTaxi ? 'ride.is.here' : 'ride.is.here.bus');
  if (notified === 500) return phrase(isTaxi ? 'ride.is.near' : 'ride.is.near.bus');
  return phrase(isTaxi ? 'ride.is.coming' : 'ride.is.coming.bus');
}

/**
 * Name, plate, and what the car looks like, as far as the hub tells them.
 * @param {any} card @param {string} [vehicle]
 */
export function whoCard(card, vehicle) {
  const { name, plate, model, colour, company, code } = card ?? {};
  const initials = (name ?? vehicle ?? '?').split(/\s+/).map((/** @type {string} */ part) => part[0] ?? '').slice(0, 2).join('');
  const car = [colour, model].filter(Boolean).join(' ');
  const able = (card?.capabilities ?? []).map(needName);
  const lines = [car, company].filter(Boolean).map((text) => element('span', { className: 'soft' }, text));
  const text = element(
    'div',
    { className: 'grow' },
    element('b', {}, name ?? phrase('ride.vehicle', { vehicle: vehicle ?? '' })),
    ...lines,
  );
  if (able.length) text.append(
    element(
      'span',
      { className: 'soft' },
      ...able.flatMap((/** @type {any} */ one, /** @type {number} */ at) => (at ? [', ', one] : [one])),
    ),
  );
  if (code) text.append(
    element('a', { href: `/v/${encodeURIComponent(code)}`, target: '_blank', rel: 'noopener' }, phrase('ride.sign')),
  );
  // Pages ask no other host for anything: a picture from elsewhere is not shown.
  const picture = card?.photo?.startsWith(`${location.origin}/`) ? [element('img', { src: card.photo, alt: '' })] : [initials];
  const badge = plate ? [element('span', { className: 'plate' }, plate)] : [];
  return element(
    'section',
    { className: 'card who' },
    element('span', { className: 'face', ariaHidden: 'true' }, ...picture),
    text,
    ...badge,
  );
}

/**
 * What was asked for, repeated.
 * @param {import('./kept.js').Asked | undefined} asked @param {Partial<Under>} [now]
 */
export function wishList(asked, now = {}) {
  const list = element('dl', { className: 'wish' });
  /** @param {Node | string} name @param {Node | string} value */
  const row = (name, value) => list.append(element('div', {}, element('dt', {}, name), element('dd', {}, value)));
  /** @param {Node | string} name @param {import('./kept.js').Place | undefined} place */
  const placed = (name, place) => {
    const value = element('span');
    if (place) named(place, (text) => value.replaceChildren(text));
    if (place) row(name, value);
  };
  placed(phrase('ride.from'), asked?.from);
  placed(phrase('ride.to'), asked?.to);
  const passengers = now.passengers ?? asked?.passengers;
  if (passengers) row(phrase('ride.who'), phrase('ride.passengers', { count: passengers }));
  const needs = now.needs ?? asked?.needs ?? [];
  if (needs.length) row(
    phrase('ride.needs'),
    element('span', {}, ...needs.flatMap((need, at) => (at ? [', ', needName(need)] : [needName(need)]))),
  );
  const amount = now.fare && money(now.fare);
  if (amount) row(phrase('ride.fare'), now.kind === 'ride' ? phrase('ride.estimate', { amount }) : amount);
  if (asked?.payment === 'digital') row(phrase('ride.pay'), phrase('ride.pay.digital'));
  return list;
}

/** From the tap until the question is answered: the hub is asked before it is put, and a second tap meanwhile puts no second one. */
let isAsking = false;

/** @param {import('./ride.js').App} app */
async function takeBack(app) {
  if (isAsking) return;
  isAsking = true;
  await askBack(app).finally(() => (isAsking = false));
}

/**
 * Asks, says what follows, and takes it back.
 * @param {import('./ride.js').App} app
 */
async function askBack(app) {
  const { now } = app.journey;
  if (!now) return;
  const lines = [phrase(`ride.cancel.${now.notified === 20 && now.stage === 'coming' ? 'here' : now.stage}`)];
  // Nobody waits for that: without it the question is asked all the same.
  const answer = app.hub.state === 'live' ? app.hub.call('reliability.get', {}).catch(() => undefined) : undefined;
  const counted = await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 1500))]);
  if (counted && now.stage !== 'searching') {
    if (counted.total) lines.push(phrase('ride.cancel.counted', { count: counted.total }));
    const { pause_at: limit, warn_at: warned } = /** @type {any} */ (counted);
    if (limit) lines.push(phrase('ride.cancel.pause', { count: limit }));
    else if (warned) lines.push(phrase('ride.cancel.warn', { count: warned }));
  }
  const title = phrase(now.kind === 'ride' ? 'ride.cancel.title' : 'ride.cancel.title.bus');
  if (!(await sure(title, lines, phrase('ride.cancel.yes'), phrase('ride.cancel.no')))) return;
  // It may have ended while the question was read.
  if (app.journey.now?.id !== now.id) return;
  if (now.kind === 'ride') app.act('ride.cancel', { ride: now.id });
  else app.act('seat.cancel', { booking: now.id });
}

/** @param {import('./ride.js').App} app */
export function waitView(app) {
  const { hub, ground } = app;
  const now = /** @type {Under} */ (app.journey.now);
  const asked = app.askedFor(now.id);
  const big = element('p', { className: 'big', id: 'minutes' });
  const note = element('p', { className: 'note' });
  const link = element('p', { className: 'alarm', id: 'since' });
  const trouble = element('p', { className: 'alarm', id: 'trouble', role: 'alert' });
  const buttons = element('div', { className: 'buttons' });
  const isComing = now.stage === 'coming';

  const search = element('button', { type: 'button', id: 'search-again' }, phrase('ride.lost.search'));
  search.addEventListener('click', () => app.act('ride.search', { ride: now.id }));
  if (now.lost && now.kind === 'ride') buttons.append(search);
  const cancel = element('button', { type: 'button', className: 'second', id: 'cancel' }, phrase('ride.cancel'));
  cancel.addEventListener('click', () => takeBack(app));
  buttons.append(cancel);

  function times() {
    const { eta, distance, notified, lost, route } = app.journey.now ?? now;
    if (lost) {
      return {
        big: [],
        note: [phrase(now.kind === 'ride' ? 'ride.lost' : 'ride.lost.bus', { since: clock(lost.since), until: clock(lost.until) })],
      };
    }
    if (now.stage === 'searching') return { big: [], note: [searchNote(app.journey.now ?? now)] };
    if (now.stage === 'aboard') return { big: [], note: [phrase('ride.aboard.note')] };
    if (notified === 20) return { big: [], note: [phrase('ride.here.note')] };
    /** @type {(Node | string)[]} */
    const words = [];
    if (eta) {
      const [from, to] = [minutesTo(eta.early ?? eta.at, hub.time), minutesTo(eta.late ?? eta.at, hub.time)];
      if (from < to) words.push(phrase('ride.between', { from, to }), ' ');
      words.push(phrase('ride.about', { time: clock(eta.at) }));
      if (distance !== undefined) words.push(' · ', phrase('ride.distance', { way: way(distance) }));
    } else words.push(phrase('ride.eta.unknown'));
    if (route !== undefined) words.push(' ', phrase('ride.route.changed'));
    return { big: eta ? [phrase('ride.minutes', { count: minutesTo(eta.at, hub.time) })] : [], note: words };
  }

  function update() {
    const told = times();
    put(big, ...told.big);
    big.hidden = !told.big.length;
    put(note, ...told.note);
    put(link, app.lostAt ? phrase('ride.old', { time: clock(app.lostAt) }) : '');
    const waits = hub.pending.some((one) => one.cmd === 'ride.cancel' || one.cmd === 'seat.cancel');
    cancel.disabled = waits;
    put(cancel, phrase(waits ? 'ride.cancel.waits' : 'ride.cancel'));
    put(trouble, app.problem ? reason(app.problem) : '');
    search.disabled = hub.pending.some((one) => one.cmd === 'ride.search');
    const known = app.journey.now;
    const car = known?.vehicle ? hub.vehicles.get(known.vehicle) : undefined;
    ground.show({ from: asked?.from, to: asked?.to });
    ground.taxi(known?.stage === 'searching' ? undefined : car, Boolean(app.lostAt));
  }
  const who = now.stage === 'searching' ? [] : [whoCard(now.card, now.vehicle)];
  const pulse = now.stage === 'searching' ? [element('div', { className: 'pulse', ariaHidden: 'true' })] : [];
  const heading = element(
    'h1',
    { id: 'title', tabIndex: -1, className: isComing && now.notified === 20 ? 'here' : '' },
    titleOf(now),
  );
  update();
  return {
    title: titleOf(now),
    nodes: [
      element('section', { className: `stage ${now.lost ? 'lost' : now.stage}` }, ...pulse, heading, big, note, link),
      trouble,
      ...who,
      wishList(asked, now),
      ...(now.kind === 'ride' ? [shareBox(app, now.id)] : []),
      buttons,
    ],
    update,
    close: () => ground.taxi(undefined),
  };
}

/**
 * It was asked for, and the hub has not answered yet.
 * @param {import('./ride.js').App} app
 */
export function sendingView(app) {
  const { hub, kept } = app;
  const isLive = hub.state === 'live';
  const note = element('p', { className: 'note' });
  const back = element('button', { type: 'button', className: 'second', id: 'cancel' }, phrase('ride.cancel'));
  const waits = hub.pending.find((one) => ['ride.request', 'seat.request', 'seat.book'].includes(one.cmd));
  const taken = waits?.cmd === 'ride.request' ? 'ride.cancel' : 'seat.cancel';
  back.addEventListener('click', () => app.act(/** @type {any} */ (taken), {}));
  const title = phrase(isLive ? 'ride.is.sending' : 'ride.is.waiting');
  return {
    title,
    nodes: [
      element(
        'section',
        { className: 'stage searching' },
        element('div', { className: 'pulse', ariaHidden: 'true' }),
        element('h1', { id: 'title', tabIndex: -1 }, title),
        note,
      ),
      wishList(kept.asked),
      ...(waits ? [element('div', { className: 'buttons' }, back)] : []),
    ],
    update() {
      const isBack = hub.pending.some((one) => one.cmd === taken);
      back.disabled = isBack;
      const words = isBack ? phrase('ride.sending.back') : phrase(
        isLive ? 'ride.sending' : 'ride.sending.waits',
        { time: clock(kept.asked?.at ?? Date.now()) },
      );
      put(note, words);
    },
    close() {},
  };
}
