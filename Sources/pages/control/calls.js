// Who telephones: what is asked for them, and what they are to be told. Each number is a passenger of its own.

import { phrase, say } from '../assets/language.js';
import { dotted, element, explained } from '../assets/page.js';
import { askFirst, button, hub, refill, time, way } from './desk.js';
import { callForm } from './call-form.js';
import { receipt } from './receipts.js';

/**
 * @typedef {import('./room.js').Room} Room
 * @typedef {import('./room.js').View} View
 * @typedef {{ name: string, number: string }} Caller
 * @typedef {object} Call
 * @property {string} passenger
 * @property {Caller} caller
 * @property {number} at of the latest
 * @property {string} [ride]
 * @property {string} [booking]
 * @property {string} [request]
 * @property {string} [reservation]
 * @property {string} [ended] a trip that has a receipt
 * @property {boolean} isOpen
 * @property {{ at: number, event: string, data: any }[]} story
 */

/** After these a caller has nothing open of that kind. */
const LAST = /\.(ended|cancelled|failed|declined|expired|completed|noshow)$/;
/** What names the thing that an event is about. */
const THINGS = /** @type {const} */ (['ride', 'booking', 'request', 'reservation']);

/**
 * The passenger that the hub makes of a number: digits alone, 00 for +.
 * @param {string} number
 */
export const passengerOf = (number) => `tel:${number.trim().replace(/^\+/, '00').replace(/\D/g, '')}`;

/**
 * The call after an event of it.
 * @param {Call | undefined} before @param {any} data @param {number} at @returns {Call}
 */
export function told(before, data, at) {
  const isLast = LAST.test(data.event);
  const isTrip = data.event === 'ride.ended' || data.event === 'seat.ended';
  const kept = Object.fromEntries(THINGS.map((thing) => [thing, data[thing] ?? before?.[thing]]));
  const isOpen = (/** @type {string} */ thing) => kept[thing] !== undefined && !(isLast && data[thing] === kept[thing]);
  const things = Object.fromEntries(Object.entries(kept).filter(([thing]) => isOpen(thing)));
  return {
    passenger: data.passenger,
    caller: { name: data.name ?? before?.caller.name ?? data.passenger, number: data.number ?? before?.caller.number ?? '' },
    at,
    ...things,
    ended: isTrip ? data.ride ?? data.booking : before?.ended,
    isOpen: Object.keys(things).length > 0,
    story: [...(before?.story ?? []), { at, event: data.event, data }].slice(-20),
  };
}

export class Calls {
  /** @type {Map<string, Call>} by passenger */
  calls = new Map();
  #changed;

  /** @param {() => void} changed */
  constructor(changed) {
    this.#changed = changed;
  }

  /** @param {any} data of `caller.told` @param {number} at */
  apply(data, at) {
    this.calls.set(data.passenger, told(this.calls.get(data.passenger), data, at));
    this.#changed();
  }

  /**
   * What the hub has answered to a request for somebody.
   * @param {Caller} caller
   * @param {string} event
   * @param {any} reply
   */
  asked(caller, event, reply) {
    const passenger = passengerOf(caller.number);
    const known = this.calls.get(passenger);
    // Its own event may have come first.
    if (known && THINGS.some((thing) => reply[thing] !== undefined && known[thing] === reply[thing])) return;
    this.apply({ ...reply, passenger, ...caller, event }, hub.time);
  }

  /** @param {string} passenger @returns {string | undefined} */
  name(passenger) {
    return this.calls.get(passenger)?.caller.name;
  }
}

/** @param {any} data */
function details({ taxi, vehicle, bus, eta_s: eta, card, code, detail, text }) {
  const who = taxi ?? vehicle ?? bus;
  return [
    who && phrase('control.vehicle.of', { vehicle: who }), card?.plate, card?.name,
    eta !== undefined && phrase('control.minutes', { count: Math.max(1, Math.round(eta / 60)) }), text ?? detail ?? code,
  ].filter((one) => one instanceof Node || (typeof one === 'string' && one));
}

/** @param {Call} call */
function takeBack({ caller, ride, booking, request, reservation }) {
  const on = { on_behalf_of: caller };
  const text = phrase('control.call.cancel.ask', { name: caller.name });
  const send = () => {
    if (ride) return hub.call('ride.cancel', { ride, ...on });
    if (booking) return hub.call('seat.cancel', { booking, ...on });
    if (request) return hub.call('stop.cancel', { request, ...on });
    return hub.call('reservation.cancel', { reservation: String(reservation), ...on });
  };
  const [title, verb, done] = [phrase('control.call.cancel'), phrase('control.call.cancel'), phrase('control.call.cancelled')];
  askFirst({ title, text, verb, send, done });
}

/** @param {Call} call */
function card(call) {
  const { caller, passenger, ride, story, isOpen, ended } = call;
  const lines = [...story].reverse().map(({ at, event, data }) => {
    const text = dotted(phrase(`control.event.${event}`), ...details(data));
    return element('li', {}, element('span', { className: 'soft' }, time(at)), ' ', ...text);
  });
  const last = story.at(-1)?.event;
  const acts = element('div', { className: 'acts' });
  if (isOpen) acts.append(button(phrase('control.call.cancel'), () => takeBack(call), 'second grave'));
  if (ride) acts.append(way(`#ride/${encodeURIComponent(ride)}`, phrase('control.ride.of', { ride })));
  if (last === 'ride.driver_lost' && ride) {
    const [title, text, verb] = [phrase('control.call.search'), phrase('control.call.search.ask'), say('control.call.search')];
    const send = () => hub.call('ride.search', { ride, on_behalf_of: caller });
    const done = phrase('control.act.reassign.done');
    acts.append(button(phrase('control.call.search'), () => askFirst({ title, text, verb, send, done })));
  }
  const bill = element('div');
  if (ended && !isOpen) {
    acts.append(button(phrase('control.receipt.show'), async () => {
      bill.replaceChildren(await receipt(ended).catch((error) => element('p', { className: 'alarm' }, explained(error))));
    }));
  }
  [...acts.children].forEach((one, index) => one.setAttribute('data-key', `${passenger}:${index}`));
  const made = element(
    'li', { className: isOpen ? 'card call' : 'card call over' },
    element('h4', {}, caller.name, ' ', element('a', { href: `tel:${caller.number}` }, caller.number)),
    element('ol', { className: 'story', ariaLabel: say('control.story') }, ...lines), bill, acts,
  );
  return made;
}

/** @param {Room} room @returns {View} */
export function callView(room) {
  const list = element('ul', { ariaLabel: say('control.calls'), ariaLive: 'polite' });
  const none = element('p', { className: 'soft' }, phrase('control.calls.none'));
  /**
   * What is shown, so that a receipt which somebody reads stays.
   * @type {Map<string, [Call, HTMLElement]>}
   */
  const shown = new Map();
  const draw = () => {
    const all = [...room.calls.calls.values()].sort((a, b) => Number(b.isOpen) - Number(a.isOpen) || b.at - a.at).slice(0, 30);
    none.hidden = all.length > 0;
    refill(list, all.map((call) => {
      const known = shown.get(call.passenger);
      const made = known?.[0] === call ? known[1] : card(call);
      shown.set(call.passenger, [call, made]);
      return made;
    }));
  };
  draw();
  const form = callForm(room);
  return {
    area: element(
      'div', {}, element('h2', {}, phrase('control.call')), form.area, element('h3', {}, phrase('control.calls')), none, list,
    ),
    update: (news) => void (news.has('calls') && draw()),
    close: form.close,
  };
}
