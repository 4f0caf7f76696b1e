// Finds a driver, a car or a ride: by id, by a driver's name, by a number plate.

import { phrase, say } from '../assets/language.js';
import { element } from '../assets/page.js';
import { addressOf, hub, refill, way } from './desk.js';

/** So many are shown, and so many pages of records are read. */
const [SHOWN, PAGES] = [8, 20];

export class Search {
  /** @type {import('../assets/kerbside/messages').DriverRecord[]} */
  #drivers = [];
  /** @type {import('../assets/kerbside/messages').VehicleRecord[]} */
  #cars = [];
  #room;
  #list = element('ul', { className: 'found', ariaLabel: say('control.found') });
  #field = element('input', { type: 'search', autocomplete: 'off', placeholder: say('control.search') });
  #isLoaded = false;

  /** @param {HTMLElement} area @param {import('./room.js').Room} room */
  constructor(area, room) {
    this.#room = room;
    this.#field.setAttribute('aria-label', say('control.search'));
    this.#field.addEventListener('input', () => this.#draw());
    this.#field.addEventListener('focus', () => this.load());
    const form = element('form', { role: 'search' }, this.#field, this.#list);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const first = this.#list.querySelector('a');
      if (first) location.hash = first.hash;
      this.#clear();
    });
    form.addEventListener('keydown', (event) => event.key === 'Escape' && this.#clear());
    this.#list.addEventListener('click', () => this.#clear());
    area.append(form);
  }

  /** The records of the fleet, once. */
  async load() {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    try {
      for (let [page, from] = /** @type {[number, any]} */ ([0, {}]); page < PAGES && from; page += 1) {
        const { drivers, next } = await hub.call('drivers.list', { limit: 100, ...from });
        this.#drivers.push(...drivers);
        from = next && { from: next };
      }
      for (let [page, from] = /** @type {[number, any]} */ ([0, {}]); page < PAGES && from; page += 1) {
        const { vehicles, next } = await hub.call('vehicles.list', { limit: 100, ...from });
        this.#cars.push(...vehicles);
        from = next && { from: next };
      }
    } catch {
      // Asked again with the next search; ids are found without.
      this.#isLoaded = false;
    }
  }

  #clear() {
    this.#field.value = '';
    this.#draw();
  }

  /** @param {string} wanted @returns {[string, string, string][]} address, what it is called, what it is */
  #find(wanted) {
    const bare = wanted.replace(/[\s-]/g, '');
    /** @type {Map<string, [string, string, string]>} */
    const found = new Map();
    const add = (/** @type {string} */ href, /** @type {string} */ id, /** @type {string} */ about) => {
      if (!found.has(href)) found.set(href, [href, id, about]);
    };
    const has = (/** @type {string} */ text) => text.toLowerCase().replace(/[\s-]/g, '').includes(bare);
    for (const { driver, name, vehicle } of this.#drivers) {
      if (has(driver) || has(name) || (vehicle && has(vehicle))) add(`#driver/${encodeURIComponent(driver)}`, driver, name);
    }
    for (const { vehicle, plate } of this.#cars) {
      if (!has(plate) && !has(vehicle)) continue;
      const whose = this.#drivers.find((one) => (one.vehicle ?? one.driver) === vehicle)?.driver ?? vehicle;
      add(`#driver/${encodeURIComponent(whose)}`, whose, plate);
    }
    for (const { id, kind } of hub.vehicles.values()) {
      if (has(id)) add(addressOf(id, kind), id, say(`control.kind.${kind}`));
      if (found.size > SHOWN) break;
    }
    for (const { id, kind } of this.#room.requests.values()) {
      if (kind !== 'stop' && has(id)) add(`#ride/${encodeURIComponent(id)}`, id, say(`control.kind.${kind}`));
    }
    // A ride of before is known to the hub alone.
    const id = this.#field.value.trim();
    if (/^r_\w+$/.test(id)) add(`#ride/${encodeURIComponent(id)}`, id, say('control.kind.ride'));
    return [...found.values()].slice(0, SHOWN);
  }

  #draw() {
    const wanted = this.#field.value.trim().toLowerCase();
    const found = wanted ? this.#find(wanted) : [];
    refill(this.#list, found.map(([href, name, about]) =>
      element('li', {}, way(href, element('strong', {}, name), ' ', element('span', { className: 'soft' }, about)))));
    if (wanted && !found.length) this.#list.append(element('li', { className: 'soft' }, phrase('control.found.none')));
  }
}
