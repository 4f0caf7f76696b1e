// Trips that have ended, page by page, with their receipts; and what is reserved.

import { sure } from '../assets/ask.js';
import { clock, money, phrase } from '../assets/language.js';
import { element } from '../assets/page.js';
import { receipt } from './over.js';
import { wishList } from './wait.js';
import { moment, reason, way } from './words.js';

const PAGE = 20;

/** @param {Node | string} text */
const heading = (text) => element('h1', { id: 'title', tabIndex: -1 }, text);

/** @param {import('./ride.js').App} app */
export function tripsView(app) {
  const list = element('ul', { id: 'trips' });
  const said = element('p', { className: 'soft', role: 'status' }, phrase('ride.trips.loading'));
  const more = element('button', { type: 'button', className: 'second wide', hidden: true, id: 'more' }, phrase('ride.trips.more'));
  /** @type {string | undefined} */
  let next;
  /** @param {any} trip */
  function row(trip) {
    const amount = trip.fare ? money(trip.fare) : '–';
    const kind = phrase(trip.kind === 'taxi' ? 'ride.kind.taxi' : 'ride.kind.minibus');
    const length = trip.distance_m === undefined ? [] : [' · ', way(trip.distance_m)];
    const state = trip.payment.state === 'paid' ? [] : [' · ', phrase(`ride.paid.${trip.payment.state}`)];
    const stars = trip.stars ? [' · ', element('span', { ariaHidden: 'true' }, '★'.repeat(trip.stars))] : [];
    const text = element(
      'span',
      { className: 'grow' },
      element('b', {}, moment(trip.ended_at)),
      element('br'),
      element('span', { className: 'soft' }, kind, ...length, ...state, ...stars),
    );
    return element(
      'li',
      {},
      element(
        'a',
        { className: 'card', href: `#trip/${trip.trip}` },
        text,
        element('span', { className: 'time' }, amount),
      ),
    );
  }
  async function load() {
    more.disabled = true;
    try {
      const answer = await app.hub.call('trips.list', { limit: PAGE, ...(next ? { from: next } : {}) });
      const first = list.children.length;
      list.append(...answer.trips.map(row));
      next = answer.next;
      more.hidden = !next;
      said.replaceChildren(list.children.length ? '' : phrase('ride.trips.none'));
      // Who asked for more goes on reading there.
      if (first) /** @type {HTMLElement | null} */ (list.children[first]?.querySelector('a'))?.focus();
    } catch (error) {
      said.replaceChildren(reason(error));
      more.hidden = false;
    }
    more.disabled = false;
  }
  more.addEventListener('click', load);
  load();
  return { title: phrase('ride.trips'), nodes: [heading(phrase('ride.trips')), said, list, more], update() {}, close() {} };
}

/** @param {import('./ride.js').App} app @param {string} id */
export function tripView(app, id) {
  const paper = receipt(app, id);
  return {
    title: phrase('ride.receipt'),
    nodes: [element('a', { className: 'back', href: '#trips' }, phrase('back')), heading(phrase('ride.receipt')), paper.box],
    update() {},
    /** @param {string} trip */
    paid: (trip) => (trip === id ? paper.load() : undefined),
    close() {},
  };
}

/**
 * What is reserved.
 * @param {import('./ride.js').App} app
 */
export function plannedView(app) {
  const list = element('ul', { id: 'reservations' });
  const said = element('p', { className: 'soft', role: 'status' });
  let shown = '';
  /** @param {any} one */
  async function takeBack(one) {
    const time = moment(one.at, one.time_zone);
    const lines = [phrase('ride.planned.cancel.note', { time: clock(one.at - 600_000) })];
    const title = phrase('ride.planned.cancel.title', { time });
    if (!(await sure(title, lines, phrase('ride.cancel.yes'), phrase('ride.cancel.no')))) return;
    app.act('reservation.cancel', { reservation: one.reservation });
  }
  /** @param {any} one */
  function row(one) {
    const asked = {
      cmd: '',
      from: one.pickup,
      to: one.destination,
      passengers: one.passengers,
      needs: one.needs,
      payment: one.payment,
      at: 0,
    };
    const cancel = element(
      'button',
      { type: 'button', className: 'second', id: `off-${one.reservation}` },
      phrase('ride.planned.cancel'),
    );
    const waits = app.hub.pending.some(({ fields }) => /** @type {any} */ (fields).reservation === one.reservation);
    cancel.disabled = waits;
    if (waits) cancel.replaceChildren(phrase('ride.cancel.waits'));
    cancel.addEventListener('click', () => takeBack(one));
    const state = element('p', { className: 'soft' }, phrase(`ride.planned.${one.state}`, { time: clock(one.search_at) }));
    const time = element('h2', {}, moment(one.at, one.time_zone));
    return element('li', { className: 'card planned' }, time, state, wishList(asked), cancel);
  }
  function update() {
    const { reservations } = app.journey;
    const making = app.hub.pending.some((one) => one.cmd === 'reservation.make');
    const state = JSON.stringify([reservations, making, app.hub.pending.length, app.problem?.code]);
    if (state === shown) return;
    shown = state;
    const focused = document.activeElement?.id;
    list.replaceChildren(...reservations.map(row));
    if (focused?.startsWith('off-')) (document.getElementById(focused) ?? document.getElementById('title'))?.focus();
    const words = app.problem
      ? reason(app.problem)
      : making ? phrase('ride.planned.sending') : reservations.length ? '' : phrase('ride.planned.none');
    said.className = app.problem ? 'alarm' : 'soft';
    said.replaceChildren(words);
  }
  update();
  return { title: phrase('ride.planned'), nodes: [heading(phrase('ride.planned')), said, list], update, close() {} };
}
