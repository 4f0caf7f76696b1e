// A minibus: how many seats are free, counted with one thumb, and who gets on and off where, in order.

import { phrase, say } from '../assets/language.js';
import { element } from '../assets/page.js';
import { distance } from '../assets/places.js';
import { button, navigate, people, section, way } from './views.js';

/** @typedef {import('./state.js').State} State @typedef {import('./state.js').Job} Job @typedef {import('./views.js').Around} Around */

/**
 * The stops as the hub proposes them; what it has not put in order yet comes behind, the nearest first.
 * @param {State} state @param {import('./state.js').Place | undefined} here
 * @returns {{ job: Job, isPickup: boolean }[]}
 */
export function stopsOf({ jobs, stops }, here) {
  const all = jobs.flatMap((job) => [...(job.isAboard ? [] : [{ job, isPickup: true }]), { job, isPickup: false }]);
  /** @param {{ job: Job, isPickup: boolean }} one */
  const order = ({ job, isPickup }) => {
    const index = stops.findIndex((stop) => stop.booking === job.id && (stop.what === 'pickup') === isPickup);
    const place = isPickup ? job.pickup : job.destination ?? job.pickup;
    // Nobody gets off before getting on.
    return index >= 0 ? index : 1e3 + (here ? distance(here, place) : 0) + (isPickup || job.isAboard ? 0 : 1e8);
  };
  return all.sort((a, b) => order(a) - order(b));
}

/** @param {State} state @param {Around} around */
export function bookings(state, around) {
  const { waits } = around;
  const rows = stopsOf(state, around.here).map(({ job, isPickup }, index) => {
    const { id, isThere, isAboard } = job;
    const place = isPickup ? job.pickup : job.destination ?? job.pickup;
    const disabled = waits('seat.', id);
    const word = isPickup ? (isThere ? 'drive.stop.there' : 'drive.stop.on') : 'drive.stop.off';
    const acts = isPickup
      ? [
          button('seat.aboard', 'drive.stop.aboard', { value: id, className: 'go', disabled }),
          button('seat.cancel', isThere ? 'drive.noshow' : 'drive.give', { value: id, className: 'second', disabled }),
        ]
      : isAboard ? [button('seat.end', 'drive.stop.end', { value: id, className: 'go', disabled })] : [];
    return element(
      'li',
      { className: `card stop ${isPickup ? 'on' : 'off'}` },
      element('h3', {}, phrase(word)),
      people(job),
      ...(index === 0 && !(isPickup && isThere) ? [way(place, around)] : []),
      element('div', { className: 'answers' }, ...(index === 0 ? [navigate(place, 'button second')] : []), ...acts),
    );
  });
  if (!rows.length) return [];
  return [section('bookings', '', element('h2', {}, phrase('drive.stops')), element('ol', {}, ...rows))];
}

/** What is to be added to the seats that are taken: as it was touched, until the hub has confirmed it. */
export class SeatCount {
  #wished = 0;
  #sent = 0;
  /** @type {number | undefined} */
  #last;

  get isWaiting() {
    return this.#wished !== 0 || this.#sent !== 0;
  }

  /** @param {{ capacity: number, taken: number }} seats how many are taken, with what was touched */
  taken({ capacity, taken }) {
    return Math.max(0, Math.min(capacity, taken + this.#sent + this.#wished));
  }

  /** @param {{ capacity: number, taken: number }} seats @param {number} free one more, or one less */
  touch(seats, free) {
    const before = this.taken(seats);
    if (before - free >= 0 && before - free <= seats.capacity) this.#wished -= free;
  }

  /**
   * What is to be sent, if nothing is under way.
   * @param {{ capacity: number, taken: number }} seats
   */
  next(seats) {
    if (this.#wished === 0 || this.#sent !== 0) return undefined;
    const taken = this.taken(seats);
    this.#sent = this.#wished;
    this.#wished = 0;
    this.#last = taken;
    return taken;
  }

  /**
   * The hub counts as was sent, by an event or a reply: whichever is first.
   * @param {number} taken
   */
  counted(taken) {
    if (taken === this.#last) this.answered();
  }

  /** It was answered, or refused. */
  answered() {
    this.#sent = 0;
    this.#last = undefined;
  }
}

/**
 * Large enough for a thumb.
 * @param {State} state @param {SeatCount} count
 */
export function seats({ seats: told }, count) {
  if (!told) return [];
  const free = told.capacity - count.taken(told);
  /** @param {string} act @param {string} sign @param {string} word @param {boolean} disabled */
  const key = (act, sign, word, disabled) => {
    const made = element('button', { type: 'button', className: 'key', ariaLabel: say(word), disabled }, sign);
    made.dataset.act = act;
    return made;
  };
  const number = element(
    'p',
    { className: count.isWaiting ? 'number waits' : 'number', role: 'status' },
    element('span', { className: 'big' }, String(free)),
    element('span', { className: 'soft' }, phrase(count.isWaiting ? 'drive.seats.sending' : 'drive.seats.free', { count: told.capacity })),
  );
  return [section('seats', '', key('seats.less', '−', 'drive.seats.less', free <= 0), number, key('seats.more', '+', 'drive.seats.more', free >= told.capacity))];
}
