/// <reference path="leaflet.d.ts" />
// The map of the city: lines, stops, zones, pins and vehicles in the page's colours, on the ground that the hub has, or a blank one.

import {
  canvas, circleMarker, control, divIcon, latLngBounds, layerGroup, map, marker, polygon, polyline, tileLayer,
} from './leaflet/leaflet.esm.min.js';
import { say } from './language.js';
import { element, read } from './page.js';
import { VehicleLayer } from './vehicles.js';

/**
 * @typedef {{ lat: number, lon: number }} Place
 * @typedef {Place & { label: string, kind: string, draggable?: boolean }} Pin `kind`: `pickup`, `destination`, `alarm`, or another
 *   one that the page's style has as `.pin-…`
 * @typedef {object} ZoneSign
 * @property {string} zone
 * @property {number} lat where its sign stands
 * @property {number} lon
 * @property {string} [text] on the sign
 * @property {string} [kind] `.zone-…`
 * @typedef {{ zone: string, name: string, lat: number, lon: number, outline: [number, number][][][] }} Zone with a place inside it, and its
 *   outline: polygons of rings of [lat, lon]
 * @typedef {object} Wishes
 * @property {string} [label] what the map shows, for who can't see it
 * @property {(place: Place, pin?: string) => void} [onPick] somebody has chosen a place, or moved a pin there
 * @property {(id: string) => void} [onVehicle]
 * @property {(zone: string) => void} [onZone]
 */

/** Above so many lines their ways are too much to load at once; their stops are shown. */
const LINES_AT_MOST = 40;
/** No city is wider, degrees. */
const CITY_AT_MOST = 10;
/** From this zoom on stops are shown. */
const STOPS_FROM = 13;
/** How far the keys move a pin, pixels. */
const STEP = 12;
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/** @returns {Promise<Zone[]>} the zones of the city */
export async function readZones() {
  const { features } = await read('/v1/zones/outlines');
  const turned = (/** @type {number[]} */ [lon, lat]) => [lat, lon];
  return features.map((/** @type {any} */ { properties: { zone, name, middle: [lon, lat] }, geometry }) => {
    const outline = geometry.coordinates.map((/** @type {number[][][]} */ rings) => rings.map((ring) => ring.map(turned)));
    return { zone, name, lat, lon, outline };
  });
}

/** @param {{ lat: number, lng: number }} place @returns {Place} to 7 digits, a centimetre */
const rounded = ({ lat, lng }) => ({ lat: Number(lat.toFixed(7)), lon: Number(lng.toFixed(7)) });

export class CityMap {
  #map;
  #wishes;
  #vehicles = new VehicleLayer();
  #lines = layerGroup();
  #stops = layerGroup();
  #outlines = layerGroup();
  #signs = layerGroup();
  /** @type {Map<string, { sign: ZoneSign, layer: import('./leaflet/leaflet.esm.min.js').Marker }>} by zone */
  #signed = new Map();
  /** @type {Map<string, { pin: Pin, layer: import('./leaflet/leaflet.esm.min.js').Marker }>} */
  #pins = new Map();
  /**
   * All that stands still.
   * @type {Place[]}
   */
  #known = [];
  /** @type {Iterable<Place>} */
  #moving = [];
  /**
   * What the ground has tiles of.
   * @type {import('./leaflet/leaflet.esm.min.js').LatLngBounds | undefined}
   */
  #city;
  /** Whether it was said what to look at. */
  #isPlaced = false;

  /**
   * Whether the map has a ground, and so shows the city, whatever else is known.
   * @type {Promise<boolean>}
   */
  ground;

  /** @param {HTMLElement} area @param {Wishes} [wishes] */
  constructor(area, wishes = {}) {
    this.#wishes = wishes;
    area.classList.add('city-map');
    area.setAttribute('role', 'application');
    area.setAttribute('aria-label', wishes.label ?? say('map'));
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#map = map(area, {
      attributionControl: false, fadeAnimation: false, inertia: !isCalm, markerZoomAnimation: false, maxZoom: 18, minZoom: 3,
      zoomAnimation: false, zoomControl: false, zoomSnap: 0.5,
    }).setView([0, 0], 3);
    control.zoom({ zoomInTitle: say('map.closer'), zoomOutTitle: say('map.further') }).addTo(this.#map);
    control.scale({ imperial: false, position: 'bottomright' }).addTo(this.#map);
    this.#map.createPane('vehicles').classList.add('vehicles-pane');
    for (const layer of [this.#outlines, this.#signs, this.#lines, this.#stops, this.#vehicles]) layer.addTo(this.#map);
    this.#map.on('zoomend', () => this.#showStops());
    this.#map.on('click', (event) => this.#clicked(event));
    area.addEventListener('keydown', (event) => this.#pressed(event, area));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#paintStops());
    this.ground = this.#layGround();
    new ResizeObserver(() => {
      this.#map.invalidateSize({ animate: false });
      // It was hidden until now.
      if (!this.#isPlaced) this.fit();
    }).observe(area);
  }

  /** For who measures. */
  get cost() {
    return this.#vehicles.cost;
  }

  /** Tiles of the hub, or pictures of the host that it names; and on them whose they are. @returns whether there are any */
  async #layGround() {
    const answer = await fetch('/tiles/tiles.json').catch(() => undefined);
    if (answer?.status !== 200) return false;
    /** @type {import('./base-map.js').About} */
    const about = await answer.json();
    const [west, south, east, north] = about.bounds;
    const isCity = west < east && south < north && east - west < CITY_AT_MOST;
    if (isCity) this.#city = latLngBounds([[south, west], [north, east]]);
    // Before there are tiles: nobody needs those of the whole world.
    if (!this.#isPlaced) this.fit();
    const area = this.#map.getContainer();
    area.classList.add('has-ground');
    if (about.vector_layers) {
      const { BaseMap } = await import('./base-map.js');
      new BaseMap(about).addTo(this.#map);
    } else {
      tileLayer(about.tiles[0], { className: 'pictures', maxNativeZoom: about.maxzoom }).addTo(this.#map);
    }
    // It may come as HTML, of which the words and one link count.
    const { body } = new DOMParser().parseFromString(about.attribution, 'text/html');
    const [href, words] = [body.querySelector('a')?.href ?? '', body.textContent ?? ''];
    const isLink = href.startsWith('https:');
    const said = isLink ? element('a', { href, rel: 'noopener', target: '_blank' }, words) : words;
    const credit = element('p', { className: 'map-credit' }, said);
    // What is pressed here chooses no place.
    for (const kind of ['click', 'dblclick', 'mousedown', 'pointerdown', 'touchstart', 'keydown']) {
      credit.addEventListener(kind, (event) => event.stopPropagation(), { passive: true });
    }
    if (words.trim()) area.append(credit);
    return this.#city !== undefined;
  }

  /** The ways of the lines and their stops, as the hub has them. */
  async showLines() {
    const [{ lines }, { stops }] = await Promise.all([read('/v1/lines'), read('/v1/stops')]);
    const few = lines.length > LINES_AT_MOST ? [] : lines;
    const routes = await Promise.all(few.map((/** @type {any} */ one) => read(`/v1/routes/${encodeURIComponent(one.id)}`)));
    this.#lines.clearLayers();
    this.#stops.clearLayers();
    routes.forEach(({ route }, index) => {
      for (const { shape } of route.patterns) {
        const color = lines[index].color;
        const className = color ? 'line-way' : 'line-way plain';
        polyline(shape, { className, color, interactive: false, smoothFactor: 1.5 }).addTo(this.#lines);
      }
    });
    const renderer = canvas({ pane: 'overlayPane' });
    for (const stop of stops) circleMarker([stop.lat, stop.lon], { renderer, radius: 4, interactive: false }).addTo(this.#stops);
    this.#known = stops;
    this.#paintStops();
    this.#showStops();
  }

  /**
   * The outlines of zones, which stay as they are.
   * @param {Zone[]} zones all of them @param {string} [own] the one that is marked
   */
  outlines(zones, own) {
    this.#outlines.clearLayers();
    for (const { zone, outline } of zones) {
      const className = zone === own ? 'zone-outline own' : 'zone-outline';
      polygon(outline, { className, interactive: false, smoothFactor: 1.5 }).addTo(this.#outlines);
    }
  }

  /** @param {ZoneSign[]} signs all that are to be seen */
  zones(signs) {
    const left = new Set(this.#signed.keys());
    for (const sign of signs) {
      left.delete(sign.zone);
      this.#sign(sign);
    }
    for (const zone of left) this.#unsign(zone);
  }

  /** @param {string} zone */
  #unsign(zone) {
    const known = this.#signed.get(zone);
    // Out of its group, which keeps what is only taken off the map.
    if (known) this.#signs.removeLayer(known.layer);
    this.#signed.delete(zone);
  }

  /** @param {ZoneSign} sign */
  #sign(sign) {
    const { zone, lat, lon, text = zone, kind = 'plain' } = sign;
    const known = this.#signed.get(zone);
    if (known && known.sign.text === sign.text && known.sign.kind === sign.kind) {
      known.sign = sign;
      return void known.layer.setLatLng([lat, lon]);
    }
    this.#unsign(zone);
    const icon = divIcon({ className: `zone-sign zone-${kind}`, html: element('span', {}, text), iconSize: [0, 0] });
    const layer = marker([lat, lon], { icon, keyboard: false }).addTo(this.#signs);
    // The page has a list of them for the keyboard and for who listens.
    layer.getElement()?.setAttribute('aria-hidden', 'true');
    layer.on('click', () => this.#wishes.onZone?.(zone));
    return void this.#signed.set(zone, { sign, layer });
  }

  /** @param {Iterable<import('./kerbside/feeds.js').Vehicle>} vehicles all that are to be seen */
  vehicles(vehicles) {
    this.#moving = vehicles;
    this.#vehicles.set(vehicles);
  }

  /** @param {string} [id] the one that is marked; nothing: none */
  mark(id) {
    this.#vehicles.mark(id);
  }

  /** @param {boolean} isOld whether what moves is shown as it was, as the link is lost */
  old(isOld) {
    this.#map.getContainer().classList.toggle('is-old', isOld);
  }

  /**
   * Shows a pin, or moves it.
   * @param {string} id
   * @param {Pin} pin
   */
  marker(id, pin) {
    const known = this.#pins.get(id);
    if (known && known.pin.kind === pin.kind && Boolean(known.pin.draggable) === Boolean(pin.draggable)) {
      known.layer.setLatLng([pin.lat, pin.lon]);
      known.pin = pin;
      known.layer.getElement()?.setAttribute('aria-label', pin.label);
      return;
    }
    this.remove(id);
    const draggable = Boolean(pin.draggable);
    const icon = divIcon({ className: `pin pin-${pin.kind}`, html: element('span', {}), iconSize: [44, 44], iconAnchor: [22, 40] });
    const layer = marker([pin.lat, pin.lon], { icon, draggable, keyboard: draggable, interactive: draggable, autoPan: true });
    layer.addTo(this.#map);
    this.#pins.set(id, { pin, layer });
    const drawn = layer.getElement();
    drawn?.setAttribute('role', draggable ? 'button' : 'img');
    drawn?.setAttribute('aria-label', pin.label);
    if (!draggable) return;
    drawn?.setAttribute('aria-description', say('map.move'));
    layer.on('dragend', () => this.#moved(id));
    drawn?.addEventListener('keydown', (event) => {
      const way = ARROWS[event.key];
      if (!way) return;
      event.preventDefault();
      event.stopPropagation();
      const at = this.#map.latLngToContainerPoint(layer.getLatLng());
      layer.setLatLng(this.#map.containerPointToLatLng([at.x + way[0] * STEP, at.y + way[1] * STEP]));
      this.#map.panTo(layer.getLatLng(), { animate: false });
      this.#moved(id);
    });
  }

  /** @param {string} id of a pin */
  remove(id) {
    this.#pins.get(id)?.layer.remove();
    this.#pins.delete(id);
  }

  /**
   * Shows these places, or else all that is known; the zones, or the whole ground, where nothing is.
   * @param {Iterable<Place>} [places]
   */
  fit(places) {
    const found = places ? [...places] : [...this.#known, ...this.#moving, ...[...this.#pins.values()].map(({ pin }) => pin)];
    const bounds = latLngBounds(found.map(({ lat, lon }) => [lat, lon]));
    if (!places) {
      const widen = (/** @type {any} */ layer) => bounds.extend(layer.getBounds?.() ?? layer.getLatLng());
      this.#lines.eachLayer(widen);
      if (!bounds.isValid()) this.#outlines.eachLayer(widen);
      if (!bounds.isValid() && this.#city) bounds.extend(this.#city);
    }
    // What is hidden has no size, and nothing fits into it.
    if (!bounds.isValid() || !this.#map.getSize().x) return;
    this.#isPlaced = true;
    this.#map.fitBounds(bounds, { animate: false, maxZoom: 16, padding: [32, 32] });
  }

  /** @param {Place} place @param {number} [zoom] */
  look(place, zoom = Math.max(15, this.#map.getZoom())) {
    this.#isPlaced = true;
    this.#map.setView([place.lat, place.lon], zoom, { animate: false });
  }

  /** @param {string} id */
  #moved(id) {
    const one = this.#pins.get(id);
    if (!one) return;
    const place = rounded(one.layer.getLatLng());
    Object.assign(one.pin, place);
    this.#wishes.onPick?.(place, id);
  }

  /** @param {import('./leaflet/leaflet.esm.min.js').PointerEvent} event */
  #clicked({ containerPoint, latlng }) {
    const vehicle = this.#wishes.onVehicle && this.#vehicles.at(containerPoint);
    if (vehicle) this.#wishes.onVehicle?.(vehicle);
    else this.#wishes.onPick?.(rounded(latlng));
  }

  /**
   * By keyboard the middle is chosen, which is marked then.
   * @param {KeyboardEvent} event
   * @param {HTMLElement} area
   */
  #pressed(event, area) {
    if (event.target !== area || event.key !== 'Enter') return;
    event.preventDefault();
    const { x, y } = this.#map.getSize();
    this.#clicked({ containerPoint: { x: x / 2, y: y / 2 }, latlng: this.#map.getCenter(), originalEvent: event });
  }

  #showStops() {
    if (this.#map.getZoom() >= STOPS_FROM) this.#stops.addTo(this.#map);
    else this.#stops.remove();
  }

  #paintStops() {
    const style = getComputedStyle(this.#map.getContainer());
    const [color, fillColor] = ['--soft', '--ground'].map((name) => style.getPropertyValue(name));
    this.#stops.eachLayer((layer) => layer.setStyle({ color, fillColor, fillOpacity: 1, weight: 2 }));
  }
}
