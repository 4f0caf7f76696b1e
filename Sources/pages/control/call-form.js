// What somebody who telephones wants: a taxi now or later, seats in a minibus, or a bus that stops. Places are chosen on the map,
// or by the name of a stop.

import { phrase, say } from '../assets/language.js';
import { element, explained, read } from '../assets/page.js';
import { hub, input, refill, tell, valuesOf } from './desk.js';

/**
 * @typedef {import('./room.js').Room} Room
 * @typedef {{ lat: number, lon: number }} Place
 * @typedef {'taxi' | 'later' | 'seat' | 'stop'} Wish
 */

/** @type {Wish[]} */
const WISHES = ['taxi', 'later', 'seat', 'stop'];
/** @type {('pickup' | 'destination')[]} */
const PLACES = ['pickup', 'destination'];
const LABELS = { pickup: 'control.pickup', destination: 'control.destination' };

/**
 * The command for a wish, or what is missing.
 * @param {Wish} wish @param {Record<string, string>} values @param {Partial<Record<'pickup' | 'destination', Place>>} places
 * @returns {{ command: any, fields: any } | { missing: string }}
 */
export function commandOf(wish, values, { pickup, destination }) {
  const passengers = Number(values.passengers);
  if (wish === 'stop') {
    const { line, stop, name } = values;
    return { command: 'stop.request', fields: { line, stop, name, passengers } };
  }
  if (!pickup) return { missing: 'pickup' };
  if (wish === 'taxi') {
    return { command: 'ride.request', fields: { ...pickup, passengers, wait: true, ...(destination ? { destination } : {}) } };
  }
  if (!destination) return { missing: 'destination' };
  if (wish === 'seat') return { command: 'seat.request', fields: { pickup, destination, passengers } };
  return { command: 'reservation.make', fields: { pickup, destination, passengers, at: new Date(values.at).getTime() } };
}

/**
 * The event that says the same to who is called back.
 * @type {Record<string, string>}
 */
const EVENTS = {
  'ride.request': 'ride.searching', 'seat.request': 'seat.searching', 'stop.request': 'stop.pending',
  'reservation.make': 'reservation.made',
};

/** @param {Room} room */
export function callForm(room) {
  /** @type {Partial<Record<'pickup' | 'destination', Place>>} */
  const places = {};
  /**
   * Which one a click on the map sets.
   * @type {'pickup' | 'destination'}
   */
  let wanted = 'pickup';
  /** @type {any[]} */
  let stops = [];
  /** @type {any[]} */
  let lines = [];

  const names = element('datalist', { id: 'stops' });
  const rows = PLACES.map((kind) => {
    const field = element('input', { type: 'text', autocomplete: 'off', placeholder: say('control.place.hint') });
    field.setAttribute('list', 'stops');
    field.addEventListener('focus', () => choose(kind));
    field.addEventListener('change', () => {
      const found = stops.find((one) => one.name === field.value.trim());
      if (found) return set(kind, { lat: found.lat, lon: found.lon }, found.name);
      // A text that is no stop's name is no place.
      field.value = '';
      return forget(kind);
    });
    const pick = element('button', { type: 'button', className: 'second' }, phrase('control.place.map'));
    pick.setAttribute('aria-label', `${say('control.place.map')}: ${say(LABELS[kind])}`);
    pick.addEventListener('click', () => {
      choose(kind);
      document.getElementById('map')?.focus();
    });
    const label = element('label', {}, phrase(LABELS[kind]), field);
    return { kind, field, pick, area: element('div', { className: 'place' }, label, pick) };
  });

  /** @param {'pickup' | 'destination'} kind */
  function choose(kind) {
    wanted = kind;
    for (const row of rows) row.pick.setAttribute('aria-pressed', String(row.kind === kind));
  }
  /** @param {'pickup' | 'destination'} kind @param {Place} place @param {string} text */
  function set(kind, place, text) {
    places[kind] = place;
    const row = rows.find((one) => one.kind === kind);
    if (row) row.field.value = text;
    room.map.marker(kind, { ...place, label: say(LABELS[kind]), kind, draggable: true });
    if (kind === 'pickup' && !places.destination) choose('destination');
  }
  /** @param {'pickup' | 'destination'} kind */
  function forget(kind) {
    delete places[kind];
    room.map.remove(kind);
  }
  room.picked = (place, pin) => set(pin === 'pickup' || pin === 'destination' ? pin : wanted, place, say('control.place.chosen'));

  const wishes = WISHES.map((one) => element('option', { value: one }, phrase(`control.wish.${one}`)));
  const wish = element('select', { name: 'wish' }, ...wishes);
  const at = input({ name: 'at', label: phrase('control.call.at'), type: 'datetime-local' });
  const [line, stop] = [element('select', { name: 'line' }), element('select', { name: 'stop' })];
  const lineFields = [element('label', {}, phrase('control.line'), line), element('label', {}, phrase('control.stop'), stop)];
  const said = element('p', { role: 'status' });
  const send = element('button', {}, phrase('control.call.send'));
  const form = /** @type {HTMLFormElement} */ (element(
    'form', { className: 'card call-form' },
    element('div', { className: 'pair' },
      input({ name: 'name', label: phrase('control.name'), isRequired: true, max: 60 }),
      input({ name: 'number', label: phrase('control.phone'), isRequired: true, type: 'tel', max: 32 })),
    element('div', { className: 'pair' },
      element('label', {}, phrase('control.wish'), wish),
      input({ name: 'passengers', label: phrase('control.passengers'), isRequired: true, type: 'number', value: '1', max: 16 })),
    at, ...rows.map((row) => row.area), names, ...lineFields, said, send,
  ));

  const shape = () => {
    const now = wish.value;
    at.hidden = now !== 'later';
    for (const row of rows) row.area.hidden = now === 'stop';
    for (const one of lineFields) one.hidden = now !== 'stop';
    at.querySelector('input')?.toggleAttribute('required', now === 'later');
  };
  const fillStops = () => {
    const own = stops.filter((/** @type {any} */ one) => one.lines.includes(line.value));
    refill(stop, own.map((/** @type {any} */ one) => element('option', { value: one.id }, one.name)));
  };
  wish.addEventListener('change', shape);
  line.addEventListener('change', fillStops);
  shape();
  choose('pickup');
  Promise.all([read('/v1/stops'), read('/v1/lines')]).then(([one, other]) => {
    [stops, lines] = [one.stops, other.lines];
    refill(names, [...new Set(stops.map((one) => one.name))].slice(0, 2000).map((value) => element('option', { value })));
    refill(line, lines.map((one) => element('option', { value: one.id }, one.name || one.id)));
    fillStops();
  }).catch(() => {});

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const values = valuesOf(form);
    const made = commandOf(/** @type {Wish} */ (values.wish), values, places);
    if ('missing' in made) {
      said.replaceChildren(element('span', { className: 'alarm' }, phrase(`control.missing.${made.missing}`)));
      return;
    }
    const caller = { name: values.name, number: values.number };
    said.replaceChildren(phrase(hub.state === 'live' ? 'control.doing' : 'ask.waits'));
    send.disabled = true;
    try {
      const reply = await hub.call(made.command, { ...made.fields, on_behalf_of: caller });
      room.calls.asked(caller, EVENTS[made.command], reply);
      tell(phrase('control.call.asked', { name: caller.name }));
      said.replaceChildren();
      form.reset();
      for (const kind of PLACES) forget(kind);
      shape();
      choose('pickup');
    } catch (error) {
      said.replaceChildren(element('span', { className: 'alarm' }, explained(error)));
    }
    send.disabled = false;
  });
  return {
    area: form,
    close() {
      for (const kind of PLACES) forget(kind);
    },
  };
}
