// The map beside what is asked and told. The page works without it, too.

import { say } from '../assets/language.js';
import { byId, read } from '../assets/page.js';

/** @typedef {import('./kept.js').Place} Place */

const KINDS = { from: 'pickup', to: 'destination' };

/**
 * A corner more, so that no pin is behind the buttons at the left, nor above the edge.
 * @param {{ lat: number, lon: number }[]} places
 */
function withRoom(places) {
  const [lats, lons] = [places.map((one) => one.lat), places.map((one) => one.lon)];
  const [north, west] = [Math.max(...lats), Math.min(...lons)];
  return [...places, { lat: north + (north - Math.min(...lats)) * 0.15, lon: west - (Math.max(...lons) - west) * 0.25 }];
}

export class Ground {
  /** @type {import('../assets/map.js').CityMap | undefined} */
  #map;
  /** @type {((place: Place) => void) | undefined} */
  #picker;
  /** Whether somebody has moved the map, and wants to look there. */
  #isHeld = false;
  #shown = '';
  #looked = '';
  /** @type {{ from?: Place, to?: Place }} */
  #pins = {};

  /** @param {() => Place | undefined} home where to look while nothing else is known */
  async open(home) {
    const area = byId('ground');
    try {
      const { CityMap } = await import('../assets/map.js');
      this.#map = new CityMap(area, { label: say('ride.map'), onPick: (place) => this.#picker?.(place) });
    } catch {
      area.hidden = true;
      return;
    }
    const hold = () => (this.#isHeld = true);
    for (const kind of ['pointerdown', 'wheel', 'keydown']) area.addEventListener(kind, hold, { passive: true });
    const at = home();
    if (at) this.#map.look(at, 14);
    const [{ stops }] = await Promise.all([read('/v1/stops'), this.#map.showLines()]).catch(() => [{ stops: [] }]);
    // Without a place, stops and a ground nobody knows which city this is.
    if (at || stops.length || (await this.#map.ground)) area.hidden = false;
    this.#shown = '';
    this.show(this.#pins);
    if (!at && !this.#pins.from) this.#map.fit();
  }

  get isThere() {
    return this.#map !== undefined && !byId('ground').hidden;
  }

  /**
   * Who wants to know which place is chosen, until it says no more.
   * @param {(place: Place) => void} picker
   */
  pick(picker) {
    this.#picker = picker;
    return () => {
      if (this.#picker === picker) this.#picker = undefined;
    };
  }

  /**
   * Where from and where to. `moving` is the end that is being chosen.
   * @param {{ from?: Place, to?: Place }} pins @param {string} [moving]
   */
  show(pins, moving) {
    this.#pins = pins;
    const state = JSON.stringify([pins, moving]);
    if (!this.#map || state === this.#shown) return;
    this.#shown = state;
    if (pins.from || pins.to) byId('ground').hidden = false;
    for (const end of /** @type {('from' | 'to')[]} */ (['from', 'to'])) {
      const place = pins[end];
      const label = say(end === 'from' ? 'ride.from' : 'ride.to');
      if (!place) this.#map.remove(end);
      else this.#map.marker(end, { lat: place.lat, lon: place.lon, label, kind: KINDS[end], draggable: end === moving });
    }
    // A pin that somebody moves stays under the finger.
    if (moving && this.#isHeld) return;
    const places = [pins.from, pins.to].flatMap((one) => (one ? [one] : []));
    if (places.length > 1) this.#map.fit(withRoom(places));
    else if (places.length) this.#map.look(places[0]);
  }

  /** Another view: what was moved by hand may be moved by the page again. */
  release() {
    this.#isHeld = false;
    this.#looked = '';
    this.#shown = '';
  }

  /** @param {any[]} list */
  vehicles(list) {
    this.#map?.vehicles(list);
  }

  /**
   * The one that comes.
   * @param {any} [car] @param {boolean} [isOld] seen before the link was lost
   */
  taxi(car, isOld = false) {
    if (!this.#map) return;
    this.#map.vehicles(car ? [car] : []);
    this.#map.mark(car?.id);
    this.#map.old(isOld);
    const place = JSON.stringify([car?.lat, car?.lon]);
    if (!car || place === this.#looked || this.#isHeld) return;
    this.#looked = place;
    this.#map.fit(withRoom([car, ...(this.#pins.from ? [this.#pins.from] : [])]));
  }
}
