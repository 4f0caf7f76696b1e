// How it ended: the receipt with what the fare is made of, and the rating; or why nobody came, and the ways on.

import { money, phrase, say } from '../assets/language.js';
import { element } from '../assets/page.js';
import { fareParts } from './order.js';
import { whoCard } from './wait.js';
import { moment, reason, way } from './words.js';

/** @param {any} trip as the hub tells it */
function receiptCard(trip) {
  const { fare, payment, receipt, route } = trip;
  const head = element('p', { className: fare ? 'big' : 'note' }, fare ? money(fare) : phrase('ride.fare.none'));
  const list = element('dl', { className: 'wish' });
  /** @param {Node | string} name @param {Node | string} value */
  const row = (name, value) => list.append(element('div', {}, element('dt', {}, name), element('dd', {}, value)));
  row(phrase('ride.pay'), element('span', {}, phrase(`ride.pay.${payment.method}`), ', ', phrase(`ride.paid.${payment.state}`)));
  if (trip.estimate && fare) row(phrase('ride.fare.estimated'), money(trip.estimate));
  if (trip.distance_m !== undefined) row(phrase('ride.way'), way(trip.distance_m));
  row(phrase('ride.duration'), phrase('ride.minutes.long', { count: Math.max(1, Math.round(trip.duration_s / 60)) }));
  row(phrase('ride.when'), moment(trip.ended_at));
  if (trip.from_zone) row(phrase('ride.zones'), `${trip.from_zone} → ${trip.to_zone ?? '–'}`);
  if (route && !route.startsWith('way:')) row(phrase('ride.route'), route);
  row(phrase('ride.receipt.number'), receipt);
  return element('section', { className: 'card receipt' }, head, ...(fare?.parts?.length ? [fareParts(fare)] : []), list);
}

/**
 * One to five stars, by radio buttons.
 * @param {string} name @param {Node | string} legend @param {(stars: number) => void} then
 */
function stars(name, legend, then) {
  const row = element('div', { className: 'stars' });
  for (let count = 1; count <= 5; count += 1) {
    const radio = element('input', { type: 'radio', name, value: String(count), id: `${name}-${count}` });
    radio.setAttribute('aria-label', say('ride.stars', { count }));
    radio.addEventListener('change', () => {
      [...row.children].forEach((one, at) => one.classList.toggle('on', at < count));
      then(count);
    });
    row.append(element('label', {}, radio, element('span', { ariaHidden: 'true' }, '★')));
  }
  return element('fieldset', {}, element('legend', {}, legend), row);
}

/** @param {import('./ride.js').App} app @param {any} trip @param {() => void} isDone */
function ratingForm(app, trip, isDone) {
  /** @type {{ stars?: number, route_stars?: number }} */
  const given = {};
  const comment = element('textarea', { maxLength: 400, rows: 3, id: 'comment' });
  const said = element('p', { className: 'soft', role: 'status', id: 'rated' });
  const button = element('button', { id: 'rate' }, phrase('ride.rate.send'));
  const form = element(
    'form',
    { className: 'card rating', noValidate: true },
    stars('stars', phrase('ride.rate'), (count) => (given.stars = count)),
    ...(trip.kind === 'minibus' ? [stars('route', phrase('ride.rate.route'), (count) => (given.route_stars = count))] : []),
    element('label', {}, phrase('ride.rate.comment'), comment),
    element('p', { className: 'soft' }, phrase('ride.rate.who')),
    said,
    button,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (!given.stars) {
      said.replaceChildren(phrase('ride.rate.first'));
      return form.querySelector('input')?.focus();
    }
    button.disabled = true;
    said.replaceChildren(phrase(app.hub.state === 'live' ? 'ride.rate.sending' : 'ask.waits'));
    const text = comment.value.trim();
    try {
      await app.hub.call('trip.rate', { trip: trip.trip, stars: given.stars, ...given, ...(text ? { comment: text } : {}) });
      isDone();
    } catch (error) {
      button.disabled = false;
      said.replaceChildren(reason(error));
    }
    return undefined;
  });
  return form;
}

/** @param {number} count */
const thanks = (count) =>
  element('p', { className: 'card thanks', role: 'status' }, '★'.repeat(count), ' ', phrase('ride.rate.done', { count }));

/**
 * The receipt of a trip, with its rating; drawn anew when the payment changes.
 * @param {import('./ride.js').App} app @param {string} id
 */
export function receipt(app, id) {
  const box = element(
    'div',
    { className: 'receipt-box' },
    element('p', { className: 'soft', role: 'status' }, phrase('ride.receipt.loading')),
  );
  /** @type {any} */
  let rating;
  async function load() {
    try {
      const trip = await app.hub.call('receipt.get', { trip: id });
      const done = () => rating.replaceWith(thanks(Number(/** @type {any} */ (box.querySelector('[name=stars]:checked')).value)));
      // What somebody fills in stays.
      rating ??= trip.stars ? thanks(trip.stars) : ratingForm(app, trip, done);
      const kept = box.querySelector('.receipt');
      if (kept) return kept.replaceWith(receiptCard(trip));
      const print = element('a', { href: `#print/${encodeURIComponent(id)}`, id: 'print' }, phrase('ride.receipt.print'));
      print.addEventListener('click', (event) => {
        event.preventDefault();
        window.print();
      });
      return box.replaceChildren(receiptCard(trip), rating, whoCard(trip.card, trip.driver), print);
    } catch (error) {
      const again = element('button', { type: 'button', className: 'second' }, phrase('again'));
      again.addEventListener('click', load);
      const isNone = /** @type {any} */ (error).code === 'not_found';
      return box.replaceChildren(
        element('p', { className: 'note' }, isNone ? phrase('ride.receipt.none') : reason(error)),
        ...(isNone ? [] : [again]),
      );
    }
  }
  load();
  return { box, load };
}

/** @param {import('./journey.js').Over} over */
function endWords({ how, why, by: who, kind }) {
  if (how === 'ended') {
    const by = phrase(why === 'operator' ? 'ride.over.office' : 'ride.over.lost');
    return { title: phrase('ride.over.ended'), note: why ? by : '' };
  }
  if (how === 'gone') return { title: phrase('ride.over.gone'), note: phrase('ride.over.gone.note') };
  if (how === 'cancelled') {
    if (why === 'noshow') return { title: phrase('ride.over.noshow'), note: phrase('ride.over.noshow.note') };
    if (who === 'operator') return { title: phrase('ride.over.cancelled'), note: phrase('ride.over.office') };
    if (who === 'driver') return { title: phrase('ride.over.cancelled'), note: phrase('ride.over.driver') };
    return { title: phrase('ride.over.back'), note: '' };
  }
  if (how === 'declined') {
    const note = phrase(why === 'full' ? 'ride.error.seats_full' : 'ride.over.declined.note');
    return { title: phrase('ride.over.declined'), note };
  }
  return { title: phrase(kind === 'ride' ? 'ride.over.failed' : 'ride.over.failed.bus'), note: reason({ code: why }) };
}

/** @param {import('./ride.js').App} app */
export function overView(app) {
  const over = /** @type {import('./journey.js').Over} */ (app.journey.over);
  const { title, note } = endWords(over);
  const buttons = element('div', { className: 'buttons' });
  /** @param {string} key @param {() => void} then */
  const button = (key, then) => {
    const made = element(
      'button',
      { type: 'button', className: buttons.children.length ? 'second' : '', id: `on-${key}` },
      phrase(`ride.on.${key}`),
    );
    made.addEventListener('click', then);
    buttons.append(made);
  };
  const hasTrip = over.how === 'ended' || over.how === 'gone';
  /** @param {'now' | 'later' | 'seats'} mode @param {object} [more] */
  const again = (mode, more) => {
    app.refill(mode);
    app.done();
    if (more) app.ask('ride.request', more);
  };
  const isNobody = over.how === 'failed' && over.kind === 'ride';
  if (isNobody) {
    if (app.repeat()) button('wait', () => again('now', { ...app.repeat(), wait: true }));
    button('again', () => again('now'));
    button('seats', () => again('seats'));
    button('later', () => again('later'));
  } else if (over.kind === 'seats' && !hasTrip) {
    button('again', () => again('seats'));
    button('taxi', () => again('now'));
  } else if (hasTrip) button('done', () => app.done());
  else {
    button('again', () => again('now'));
    button('done', () => app.done());
  }
  const paper = hasTrip ? receipt(app, over.id) : undefined;
  const words = over.text ? [element('blockquote', {}, over.text)] : [];
  return {
    title,
    nodes: [
      element(
        'section',
        { className: `stage over ${over.how}` },
        element('h1', { id: 'title', tabIndex: -1 }, title),
        ...(note ? [element('p', { className: 'note' }, note)] : []),
        ...words,
      ),
      ...(paper ? [paper.box] : []),
      buttons,
    ],
    update() {},
    /** @param {string} trip */
    paid: (trip) => (trip === over.id ? paper?.load() : undefined),
    close() {},
  };
}
