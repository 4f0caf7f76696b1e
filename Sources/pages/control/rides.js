// Rides, bookings and stops on request, by how they stand; and one ride with what the office can do about it.

import { phrase, say } from '../assets/language.js';
import { dotted, element, explained } from '../assets/page.js';
import { REASON, addressOf, ago, askFirst, button, facts, hub, refill, time, way } from './desk.js';
import { block, unblock } from './drivers.js';
import { GROUPS, OVER } from './requests.js';

/**
 * @typedef {import('./requests.js').Request} Request
 * @typedef {import('./room.js').Room} Room
 * @typedef {import('./room.js').View} View
 * @typedef {import('../assets/kerbside/messages').Replies['office.ride']} Ride
 */

/** So many of each group are shown. */
const SHOWN = 40;
/** Of those that are over, as nobody has to do anything about them. */
const SHOWN_OVER = 12;

/** @param {Room} room @param {Request} one */
function row({ queues }, { kind, id, state, zone, line, driver, changed }) {
  const where = zone ? queues.name(zone) : line ? phrase('line', { line }) : '';
  const head = element('span', { className: 'grow' }, element('strong', {}, phrase(`control.kind.${kind}`)), ` ${id}`);
  const rest = dotted(phrase(`control.state.${state}`), ...(where ? [where] : []), ...(driver ? [driver] : []));
  const text = [head, element('span', { className: 'soft' }, ago(changed)), element('span', { className: 'notes soft' }, ...rest)];
  const made = kind === 'stop' ? element('div', {}, ...text) : way(`#ride/${encodeURIComponent(id)}`, ...text);
  made.className = `card item ${state}`;
  return element('li', {}, made);
}

/** @param {Room} room @returns {View} */
export function ridesView(room) {
  const lists = GROUPS.map(([group]) => {
    const count = element('span', { className: 'count' });
    const list = element('ul', { ariaLabel: say(`control.group.${group}`) });
    return { group, count, list, head: element('h3', {}, phrase(`control.group.${group}`), ' ', count) };
  });
  const none = element('p', { className: 'soft' }, phrase('control.rides.none'));
  const draw = () => {
    for (const { group, count, list, head } of lists) {
      const all = room.requests.of(group);
      count.textContent = String(all.length);
      head.hidden = !all.length;
      refill(list, all.slice(0, group === 'over' ? SHOWN_OVER : SHOWN).map((one) => row(room, one)));
    }
    none.hidden = room.requests.size > 0;
  };
  draw();
  const timer = setInterval(draw, 10_000);
  return {
    area: element('div', {}, element('h2', {}, phrase('control.rides')), none, ...lists.flatMap(({ head, list }) => [head, list])),
    update: (news) => void (news.has('requests') && draw()),
    close: () => clearInterval(timer),
  };
}

/**
 * What it does, who is told, and what is asked first.
 * @param {string} ride
 * @param {string} act
 * @param {import('./desk.js').Field[]} [fields]
 */
function ask(ride, act, fields = [REASON]) {
  askFirst({
    title: phrase(`control.act.${act}`),
    text: phrase(`control.act.${act}.ask`, { ride }),
    verb: phrase(`control.act.${act}`),
    fields,
    send: ({ reason, driver }) => {
      const whom = driver ? { driver } : {};
      if (act === 'offer') return hub.call('office.offer', { ride, driver });
      if (act === 'reassign') return hub.call('office.reassign', { ride, reason, ...whom });
      const which = ride.startsWith('b_') ? { booking: ride } : { ride };
      return hub.call(act === 'end' ? 'office.end' : 'office.cancel', { ...which, reason });
    },
    done: phrase(`control.act.${act}.done`),
  });
}

/**
 * What the office may do with a ride that stands so.
 * @param {string} state
 * @returns {string[]}
 */
export function actsOn(state) {
  if (['searching', 'offered', 'looking', 'asked'].includes(state)) return ['offer', 'cancel'];
  if (['accepted', 'near', 'arrived', 'lost'].includes(state)) return ['reassign', 'cancel'];
  return state === 'aboard' ? ['end'] : [];
}

/** @param {Room} room @param {string} id @returns {View} */
export function rideView(room, id) {
  const [what, story, acts] = [element('div'), element('ol', { className: 'story' }), element('div', { className: 'acts' })];
  const isRide = !room.requests.has(id) || room.requests.get(id).kind === 'ride';
  const driverField = { name: 'driver', label: phrase('control.driver.which'), max: 64 };
  const passenger = element('div', { className: 'acts' });
  let state = '';

  /** @param {string} now */
  const offerActs = (now) => {
    if (now === state) return;
    state = now;
    const possible = actsOn(now).filter((act) => isRide || !['offer', 'reassign'].includes(act));
    const fields = {
      offer: [{ ...driverField, isRequired: true }], reassign: [REASON, { ...driverField, label: phrase('control.driver.or') }],
    };
    acts.replaceChildren(...possible.map((act) => {
      const isGrave = act === 'cancel' || act === 'end';
      const asked = /** @type {Record<string, import('./desk.js').Field[]>} */ (fields)[act];
      return button(phrase(`control.act.${act}`), () => ask(id, act, asked), isGrave ? 'second grave' : 'second');
    }));
  };

  /** @param {Ride} ride */
  const tellRide = (ride) => {
    const driver = ride.driver ?? ride.offered_to;
    const marks = [
      [ride.requested_at, 'requested'], [ride.accepted_at, 'accepted'], [ride.arrived_at, 'arrived'], [ride.aboard_at, 'aboard'],
      [ride.closed_at, 'closed'],
    ].flatMap(([at, name]) => /** @type {any} */ (at ? [[phrase(`control.at.${name}`), time(Number(at))]] : []));
    const who = room.calls.name(ride.passenger);
    const now = ride.state === 'searching' ? 'looking' : ride.state;
    what.replaceChildren(facts(
      [phrase('control.state'), element('strong', {}, phrase(`control.state.${now}`))],
      [phrase('control.role.passenger'), who ? `${who} (${ride.passenger})` : ride.passenger],
      [phrase('control.passengers'), ride.passengers],
      [phrase('control.zone'), way(`#zone/${encodeURIComponent(ride.zone)}`, room.queues.name(ride.zone))],
      [phrase(ride.driver ? 'control.role.driver' : 'control.asked'), driver && way(addressOf(driver), driver)],
      [phrase('control.needs'), ride.needs?.join(', ')],
      ...marks,
    ));
    if (!passenger.childElementCount) {
      passenger.append(
        button(phrase('control.act.block.passenger'), () => block('passenger', ride.passenger), 'second grave'),
        button(phrase('control.act.unblock.passenger'), () => unblock('passenger', ride.passenger)),
      );
    }
    room.map.marker('pickup', { ...ride.pickup, label: say('control.pickup'), kind: 'pickup' });
    const { destination } = ride;
    if (destination) room.map.marker('destination', { ...destination, label: say('control.destination'), kind: 'destination' });
    room.map.mark(driver);
    offerActs(ride.state);
  };

  const draw = async () => {
    const known = /** @type {Request | undefined} */ (room.requests.get(id));
    refill(story, (known?.story ?? []).slice(-30).reverse().map(([at, type, whom]) => {
      const text = [phrase(`control.event.${type}`), ...(whom ? [whom] : [])];
      return element('li', {}, element('span', { className: 'soft' }, time(at)), ' ', ...dotted(...text));
    }));
    if (!isRide) {
      const state = known?.state ?? 'asked';
      const stands = phrase(`control.state.${state}`);
      what.replaceChildren(facts([phrase('control.state'), stands], [phrase('control.role.driver'), known?.driver]));
      offerActs(state);
      return;
    }
    try {
      tellRide(await hub.call('office.ride', { ride: id }));
    } catch (error) {
      if (!what.childElementCount) what.replaceChildren(element('p', { className: 'alarm' }, explained(error)));
      if (known && OVER.includes(known.state)) offerActs(known.state);
    }
  };
  draw();
  return {
    area: element(
      'div', {}, way('#rides', phrase('back')),
      element('h2', {}, phrase(isRide ? 'control.ride.of' : 'control.seats.of', { ride: id })), what, acts,
      element('h3', {}, phrase('control.story')), story, passenger,
    ),
    update: (news) => void ((news.has(id) || news.has('link')) && draw()),
    close: () => {
      room.map.remove('pickup');
      room.map.remove('destination');
      room.map.mark();
    },
  };
}
