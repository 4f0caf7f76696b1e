// Where the car is, said by the driver: a zone or the place of a passenger from a list, or any place on the map.

import { ask } from '../assets/ask.js';
import { phrase, say } from '../assets/language.js';
import { element } from '../assets/page.js';
import { distance } from '../assets/places.js';

/** @typedef {import('./state.js').Place} Place @typedef {Place & { name: string }} Named */

/** Nearer than that it is the place itself, metres. */
const SAME = 1;

/** @param {Place} place */
const coordinates = ({ lat, lon }) => `${lat.toFixed(5)}, ${lon.toFixed(5)}`;

export class ByHand {
  #area = element('div', { id: 'hand-map' });
  /** @type {import('../assets/map.js').CityMap | undefined} */
  #map;
  /** @type {Named[]} */
  #places = [];
  /** @type {Place | undefined} */
  #pin;
  /** What the map tells while it is asked. */
  #picked = (/** @type {Place} */ _) => {};

  #isAsking = false;

  /** Once. Without it there are still the places of passengers. */
  async #load() {
    this.#area.hidden = !this.#map;
    if (this.#map) return;
    const { CityMap, readZones } = await import('../assets/map.js');
    const zones = await readZones();
    this.#map = new CityMap(this.#area, {
      label: say('drive.hand.map'),
      onPick: (place) => this.#picked(place),
      onZone: (zone) => this.#picked(zones.find((one) => one.zone === zone) ?? zones[0]),
    });
    this.#area.hidden = false;
    this.#map.outlines(zones);
    this.#map.zones(zones.map(({ zone, name, lat, lon }) => ({ zone, lat, lon, text: name, kind: 'empty' })));
    this.#places = zones.map(({ name, lat, lon }) => ({ name, lat, lon })).sort((a, b) => a.name.localeCompare(b.name));
  }

  /** @param {Place} place its name, or else its coordinates */
  name(place) {
    return this.#places.find((one) => distance(one, place) < SAME)?.name ?? coordinates(place);
  }

  /**
   * @param {Place | undefined} here as it is known now
   * @param {Named[]} own where the driver has to go
   * @returns {Promise<Place | undefined>}
   */
  async ask(here, own) {
    if (this.#isAsking) return undefined;
    this.#isAsking = true;
    await this.#load().catch(() => {});
    const places = [...own, ...this.#places];
    const options = places.map(({ name }, index) => element('option', { value: String(index) }, name));
    const choice = element('select', { className: 'wide' }, element('option', { value: '' }, say('drive.hand.choose')), ...options);
    const said = element('p', { className: 'soft', role: 'status' });
    const content = [element('label', {}, phrase('drive.hand.place'), choice), this.#area, said];
    const back = { value: '', label: phrase('back'), className: 'second' };
    const answer = ask(phrase('drive.hand.title'), content, [back, { value: 'yes', label: phrase('drive.hand.take'), className: 'go' }]);
    const yes = /** @type {HTMLButtonElement} */ (choice.closest('dialog')?.querySelector('[value=yes]'));
    /** @param {Place | undefined} place */
    const put = (place) => {
      this.#pin = place;
      yes.disabled = !place;
      choice.value = place ? String(places.findIndex((one) => distance(one, place) < SAME)) : '';
      if (choice.selectedIndex < 0) choice.value = '';
      said.replaceChildren(place ? phrase('drive.hand.at', { place: choice.value ? places[choice.value].name : coordinates(place) }) : phrase('drive.hand.how'));
      if (place) this.#map?.marker('hand', { lat: place.lat, lon: place.lon, kind: 'pickup', label: say('drive.hand.pin'), draggable: true });
      else this.#map?.remove('hand');
    };
    choice.addEventListener('change', () => {
      const place = places[choice.value];
      put(place);
      if (place) this.#map?.look(place, 14);
    });
    this.#picked = put;
    put(here);
    if (here) this.#map?.look(here, 14);
    else this.#map?.fit();
    choice.focus();
    const isSure = await answer;
    this.#isAsking = false;
    return isSure ? this.#pin : undefined;
  }
}
