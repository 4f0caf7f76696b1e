// The map of who drives, below what there is to do: the zones, one's own marked, the car, and where a ride begins or goes. It is
// loaded when it is opened for the first time, and whether it is open stays on the device.

import { phrase, say } from '../assets/language.js';
import { byId, element } from '../assets/page.js';

/** @typedef {import('./state.js').Place} Place */
/** @typedef {import('../assets/map.js').Zone} Zone */

const KEPT = 'kerbside.drive.map';

export class Ground {
  #area = element('div', { id: 'map', hidden: true });
  #button = element('button', { type: 'button', className: 'second wide', id: 'map-open' });
  /** @type {import('../assets/map.js').CityMap | undefined} */
  #map;
  /** @type {Zone[]} */
  #zones = [];
  #shown = '';
  #looked = '';
  #isHeld = false;
  #isOpen = localStorage.getItem(KEPT) === 'open';

  constructor() {
    byId('ground').append(this.#button, this.#area);
    this.#button.addEventListener('click', () => {
      this.#isOpen = !this.#isOpen;
      localStorage.setItem(KEPT, this.#isOpen ? 'open' : '');
      this.#isHeld = false;
      this.#looked = '';
      this.#turn();
    });
    this.#turn();
  }

  #turn() {
    this.#button.replaceChildren(phrase(this.#isOpen ? 'drive.map.close' : 'drive.map.open'));
    this.#button.setAttribute('aria-expanded', String(this.#isOpen));
    this.#area.hidden = !this.#isOpen;
    this.#shown = '';
    if (this.#isOpen && !this.#map) this.#load().catch(() => (byId('ground').hidden = true));
  }

  async #load() {
    const { CityMap, readZones } = await import('../assets/map.js');
    this.#map ??= new CityMap(this.#area, { label: say('drive.map') });
    for (const kind of ['pointerdown', 'wheel', 'keydown']) {
      this.#area.addEventListener(kind, () => (this.#isHeld = true), { passive: true });
    }
    this.#zones = await readZones().catch(() => []);
    this.#shown = '';
  }

  /**
   * @param {{ here?: Place & { at: number }, heading?: number, zone?: string, place?: Place, isAboard?: boolean, id: string }} seen `zone`: of
   *   one's queue; `place`: where to drive
   */
  draw({ here, heading, zone, place, isAboard, id }) {
    const map = this.#map;
    if (!map || !this.#isOpen) return;
    const state = JSON.stringify([zone, this.#zones.length, place, isAboard]);
    if (state !== this.#shown) {
      this.#shown = state;
      map.outlines(this.#zones, zone);
      const kind = isAboard ? 'destination' : 'pickup';
      if (place) map.marker('place', { ...place, kind, label: say(isAboard ? 'drive.map.destination' : 'drive.map.pickup') });
      else map.remove('place');
      this.#looked = '';
    }
    const look = { id, kind: 'taxi', state: 'busy', freshness: 'fresh', heading: heading ?? null };
    map.vehicles(here ? [/** @type {any} */ ({ ...look, lat: here.lat, lon: here.lon, at: here.at })] : []);
    const at = here ? `${here.lat.toFixed(3)} ${here.lon.toFixed(3)}` : 'nowhere';
    if (this.#isHeld || at === this.#looked) return;
    this.#looked = at;
    const own = this.#zones.find((one) => one.zone === zone);
    if (here && place) map.fit([here, place]);
    else if (here) map.look(here, 14);
    else if (own) map.look(own, 13);
    else map.fit();
  }
}
