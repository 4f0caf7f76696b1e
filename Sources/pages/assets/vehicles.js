// Vehicles on a map: all of them on one canvas, each a picture that was drawn before, and drawn anew only when one has moved by a
// pixel. Between two fixes they glide; who wants no motion sees them jump. The pictures are copied pixel by pixel: without a
// graphics card that is ten times as fast as `drawImage`, and thousands have to fit into a frame.

import { DomUtil, Layer } from './leaflet/leaflet.esm.min.js';

/**
 * @typedef {import('./kerbside/feeds.js').Vehicle} Vehicle
 * @typedef {{ pixels: Uint32Array, wide: number, cell: number }} Atlas all pictures in one, and how large each is
 */

/** How vehicles look: rows of pictures. */
const LOOKS = ['taxi-available', 'taxi-busy', 'taxi-unavailable', 'minibus', 'bus', 'taxi-old', 'minibus-old', 'bus-old'];
/** Columns of pictures: a heading each, and none. */
const HEADINGS = 24;
/** Glides last as long as from fix to fix, within these, ms. */
const GLIDE = [250, 3000];
/** Who is further away than this was not seen on its way, and jumps; in parts of the earth's circumference, some 2 km. */
const JUMP = 5e-5;
/** Nobody is faster in a city, m/s. */
const FASTEST = 20;
/** So near to a vehicle a click means it, pixels. */
const REACH = 18;
/** From which zoom on vehicles are how large, pixels. */
const SIZES = [[15, 22], [13, 16], [11, 12], [0, 9]];

/**
 * @param {Pick<Vehicle, 'kind' | 'state' | 'freshness'>} vehicle
 * @returns {string} one of LOOKS
 */
export function lookOf({ kind, state, freshness }) {
  if (freshness === 'stale') return `${kind}-old`;
  return kind === 'taxi' ? `taxi-${state}` : kind;
}

/**
 * Web Mercator, the world from 0 to 1.
 * @param {number} lon
 */
const worldX = (lon) => lon / 360 + 0.5;
/** @param {number} lat */
const worldY = (lat) => 0.5 - Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360)) / (2 * Math.PI);

/**
 * The pictures: looks × headings.
 * @param {number} size of a vehicle @param {CSSStyleDeclaration} style with its colours
 */
function draw(size, style) {
  const cell = Math.ceil(size * 1.6);
  const atlas = document.createElement('canvas');
  atlas.width = cell * (HEADINGS + 1);
  atlas.height = cell * LOOKS.length;
  const context = /** @type {CanvasRenderingContext2D} */ (atlas.getContext('2d', { willReadFrequently: true }));
  context.lineWidth = Math.max(1, size / 11);
  context.lineJoin = 'round';
  context.strokeStyle = style.getPropertyValue('--vehicle-edge');
  LOOKS.forEach((look, row) => {
    const [kind] = look.split('-');
    context.fillStyle = style.getPropertyValue(`--vehicle-${look}`);
    for (let column = 0; column <= HEADINGS; column += 1) {
      context.setTransform(1, 0, 0, 1, (column + 0.5) * cell, (row + 0.5) * cell);
      if (column < HEADINGS) context.rotate((column / HEADINGS) * 2 * Math.PI);
      context.beginPath();
      outline(context, kind, size / 2, column < HEADINGS);
      context.fill();
      context.stroke();
    }
  });
  const { data } = context.getImageData(0, 0, atlas.width, atlas.height);
  return { pixels: new Uint32Array(data.buffer), wide: atlas.width, cell };
}

/**
 * A taxi is round, a minibus square, a bus long; the point shows where it goes.
 * @param {CanvasRenderingContext2D} context
 * @param {string} kind
 * @param {number} r
 * @param {boolean} hasPoint
 */
function outline(context, kind, r, hasPoint) {
  if (kind === 'taxi') {
    if (!hasPoint) return context.arc(0, 0, r * 0.8, 0, 2 * Math.PI);
    context.arc(0, 0, r * 0.8, -0.25 * Math.PI, 1.25 * Math.PI);
    context.lineTo(0, -r * 1.4);
    return context.closePath();
  }
  const [half, back] = kind === 'bus' ? [r * 0.6, r * 1.2] : [r * 0.75, r * 0.75];
  const front = hasPoint ? -back * 0.6 : -back;
  context.moveTo(-half, back);
  context.lineTo(half, back);
  context.lineTo(half, front);
  if (hasPoint) context.lineTo(0, -back - r * 0.15);
  context.lineTo(-half, front);
  return context.closePath();
}

export class VehicleLayer extends Layer {
  /** @type {Map<string, number>} id → place in the lists below */
  #places = new Map();
  /** @type {Vehicle[]} as they were told */
  #told = [];
  #count = 0;
  /** From x, y to x, y; from when on, for how long. */
  #ways = new Float64Array(6 * 64);
  #pictures = new Uint16Array(2 * 64);
  #seen = new Uint32Array(64);
  #turn = 0;
  #until = 0;
  #drawn = 0;
  #frame = 0;
  #isDue = false;
  /** @type {Map<number, Atlas>} by the size of a vehicle */
  #atlases = new Map();
  /** What is on the canvas. */
  #image = new ImageData(1, 1);
  #pixels = new Uint32Array(1);
  #canvas = document.createElement('canvas');
  #context = /** @type {CanvasRenderingContext2D} */ (this.#canvas.getContext('2d', { willReadFrequently: true }));
  /** @type {import('./leaflet/leaflet.esm.min.js').Map | undefined} */
  #map;
  #calm = matchMedia('(prefers-reduced-motion: reduce)');
  #dark = matchMedia('(prefers-color-scheme: dark)');
  /**
   * The one that is marked.
   * @type {string | undefined}
   */
  #marked;
  /** What the last pictures took, for who measures: how many, and the longest, ms. */
  cost = { pictures: 0, longest: 0 };

  /** @param {import('./leaflet/leaflet.esm.min.js').Map} map */
  onAdd(map) {
    this.#map = map;
    this.#canvas.setAttribute('aria-hidden', 'true');
    map.getPane('vehicles').append(this.#canvas);
    map.on('move zoom viewreset resize', this.#paint, this);
    this.#dark.addEventListener('change', this.#recolour);
    this.#paint();
    return this;
  }

  /** @param {import('./leaflet/leaflet.esm.min.js').Map} map */
  onRemove(map) {
    map.off('move zoom viewreset resize', this.#paint, this);
    this.#dark.removeEventListener('change', this.#recolour);
    cancelAnimationFrame(this.#frame);
    this.#canvas.remove();
    this.#map = undefined;
    return this;
  }

  /**
   * All that are to be seen. One that is the same object as before has not changed.
   * @param {Iterable<Vehicle>} vehicles
   */
  set(vehicles) {
    const now = performance.now();
    this.#turn += 1;
    for (const vehicle of vehicles) {
      const place = this.#places.get(vehicle.id) ?? this.#add(vehicle, now);
      this.#seen[place] = this.#turn;
      if (this.#told[place] !== vehicle) this.#change(place, vehicle, now);
    }
    for (let place = this.#count - 1; place >= 0; place -= 1) if (this.#seen[place] !== this.#turn) this.#drop(place);
    this.#ask();
  }

  /** @param {string | undefined} id of the one that is marked */
  mark(id) {
    this.#marked = id;
    this.#isDue = true;
    this.#ask();
  }

  /** @param {{ x: number, y: number }} point in the map @returns {string | undefined} which vehicle is meant there */
  at(point) {
    const { scale, left, top } = this.#view();
    const now = performance.now();
    let [best, nearest] = [-1, REACH ** 2];
    for (let place = 0; place < this.#count; place += 1) {
      const x = this.#now(place, 0, now) * scale - left - point.x;
      const y = this.#now(place, 1, now) * scale - top - point.y;
      if (x * x + y * y < nearest) [best, nearest] = [place, x * x + y * y];
    }
    return this.#told[best]?.id;
  }

  /** @param {Vehicle} vehicle @param {number} now */
  #add(vehicle, now) {
    const place = this.#count;
    this.#count += 1;
    if (this.#count > this.#seen.length) {
      this.#ways = grown(this.#ways);
      this.#pictures = grown(this.#pictures);
      this.#seen = grown(this.#seen);
    }
    this.#places.set(vehicle.id, place);
    this.#told[place] = vehicle;
    this.#place(place, vehicle, now, 0);
    return place;
  }

  /** @param {number} place @param {Vehicle} vehicle @param {number} now */
  #change(place, vehicle, now) {
    const before = this.#told[place];
    this.#told[place] = vehicle;
    this.#place(place, vehicle, now, Math.min(GLIDE[1], Math.max(GLIDE[0], vehicle.at - before.at)));
  }

  /** @param {number} place @param {Vehicle} vehicle @param {number} now @param {number} took since the fix before; 0: it is new */
  #place(place, vehicle, now, took) {
    const [toX, toY] = [worldX(vehicle.lon), worldY(vehicle.lat)];
    const fromX = took ? this.#now(place, 0, now) : toX;
    const fromY = took ? this.#now(place, 1, now) : toY;
    const far = Math.hypot(toX - fromX, toY - fromY);
    const glides = took > 0 && !this.#calm.matches && far > 0 && far < JUMP;
    const at = 6 * place;
    this.#ways[at] = glides ? fromX : toX;
    this.#ways[at + 1] = glides ? fromY : toY;
    this.#ways[at + 2] = toX;
    this.#ways[at + 3] = toY;
    this.#ways[at + 4] = now;
    this.#ways[at + 5] = glides ? took : 0;
    const { heading } = vehicle;
    this.#pictures[2 * place] = heading === null ? HEADINGS : Math.round((heading / 360) * HEADINGS) % HEADINGS;
    this.#pictures[2 * place + 1] = Math.max(0, LOOKS.indexOf(lookOf(vehicle)));
    if (glides) this.#until = Math.max(this.#until, now + took);
    this.#isDue = true;
  }

  /**
   * The last one takes its place.
   * @param {number} place
   */
  #drop(place) {
    this.#places.delete(this.#told[place].id);
    this.#count -= 1;
    const last = this.#count;
    if (place !== last) {
      this.#places.set(this.#told[last].id, place);
      this.#told[place] = this.#told[last];
      this.#ways.copyWithin(6 * place, 6 * last, 6 * last + 6);
      this.#pictures.copyWithin(2 * place, 2 * last, 2 * last + 2);
      this.#seen[place] = this.#seen[last];
    }
    this.#told.length = last;
    this.#isDue = true;
  }

  /**
   * Where it is on its glide.
   * @param {number} place
   * @param {0 | 1} axis
   * @param {number} now
   */
  #now(place, axis, now) {
    const at = 6 * place;
    const took = this.#ways[at + 5];
    const part = took > 0 ? Math.min(1, (now - this.#ways[at + 4]) / took) : 1;
    return this.#ways[at + axis] + (this.#ways[at + 2 + axis] - this.#ways[at + axis]) * part;
  }

  #view() {
    const map = /** @type {import('./leaflet/leaflet.esm.min.js').Map} */ (this.#map);
    const { min } = map.getPixelBounds();
    return { scale: 256 * 2 ** map.getZoom(), left: min.x, top: min.y, zoom: map.getZoom() };
  }

  #recolour = () => {
    this.#atlases.clear();
    this.#paint();
  };

  #ask() {
    if (!this.#frame && this.#map) this.#frame = requestAnimationFrame(this.#step);
  }

  #step = () => {
    this.#frame = 0;
    const map = this.#map;
    if (!map) return;
    const now = performance.now();
    // Not more often than the fastest moves by a pixel.
    const metres = (40_075_017 * Math.cos((map.getCenter().lat * Math.PI) / 180)) / (256 * 2 ** map.getZoom());
    const isMoving = now < this.#until;
    if (now - this.#drawn >= Math.min(250, (metres / FASTEST) * 1000)) {
      if (this.#isDue || isMoving) this.#paint();
      this.#isDue = isMoving;
    }
    if (this.#isDue || isMoving) this.#ask();
  };

  /** @param {number} size */
  #atlas(size) {
    const kept = this.#atlases.get(size);
    if (kept) return kept;
    const made = draw(size, getComputedStyle(this.#canvas));
    this.#atlases.set(size, made);
    return made;
  }

  /**
   * One picture onto the canvas. Its soft edge is mixed with the ground only: upon another vehicle it is hard.
   * @param {Atlas} atlas
   * @param {number} column
   * @param {number} row
   * @param {number} x
   * @param {number} y
   */
  #copy({ pixels, wide, cell }, column, row, x, y) {
    const { width, height } = this.#image;
    const shown = this.#pixels;
    const [left, right] = [Math.max(0, -x), Math.min(cell, width - x)];
    for (let dy = Math.max(0, -y); dy < Math.min(cell, height - y); dy += 1) {
      const from = (row * cell + dy) * wide + column * cell;
      const to = (y + dy) * width + x;
      for (let dx = left; dx < right; dx += 1) {
        const pixel = pixels[from + dx];
        const alpha = pixel >>> 24;
        if (!alpha) continue;
        if (!shown[to + dx]) shown[to + dx] = pixel;
        else if (alpha > 127) shown[to + dx] = pixel | 0xff000000;
      }
    }
  }

  #paint() {
    const map = this.#map;
    if (!map) return;
    const now = performance.now();
    const { x: width, y: height } = map.getSize();
    const ratio = devicePixelRatio;
    const canvas = this.#canvas;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      this.#image = new ImageData(Math.max(1, canvas.width), Math.max(1, canvas.height));
      this.#pixels = new Uint32Array(this.#image.data.buffer);
    }
    DomUtil.setPosition(canvas, map.containerPointToLayerPoint([0, 0]));
    const { scale, left, top, zoom } = this.#view();
    const size = (SIZES.find(([from]) => zoom >= from)?.[1] ?? 9) * ratio;
    const atlas = this.#atlas(size);
    const { cell } = atlas;
    const context = this.#context;
    this.#pixels.fill(0);
    const [sx, dx, sy, dy] = [scale * ratio, left * ratio + cell / 2, scale * ratio, top * ratio + cell / 2];
    for (let place = 0; place < this.#count; place += 1) {
      const x = Math.round(this.#now(place, 0, now) * sx - dx);
      const y = Math.round(this.#now(place, 1, now) * sy - dy);
      if (x <= -cell || y <= -cell || x >= canvas.width || y >= canvas.height) continue;
      this.#copy(atlas, this.#pictures[2 * place], this.#pictures[2 * place + 1], x, y);
    }
    context.putImageData(this.#image, 0, 0);
    const marked = this.#marked === undefined ? undefined : this.#places.get(this.#marked);
    if (marked !== undefined) {
      context.lineWidth = 3 * ratio;
      context.strokeStyle = getComputedStyle(canvas).getPropertyValue('--ink');
      context.beginPath();
      const [x, y] = [this.#now(marked, 0, now) * sx - left * ratio, this.#now(marked, 1, now) * sy - top * ratio];
      context.arc(x, y, size, 0, 2 * Math.PI);
      context.stroke();
    }
    this.#drawn = now;
    this.cost.pictures += 1;
    this.cost.longest = Math.max(this.cost.longest, performance.now() - now);
  }
}

/**
 * Twice as long.
 * @template {Float64Array | Uint16Array | Uint32Array} A
 * @param {A} list @returns {A}
 */
function grown(list) {
  const longer = /** @type {any} */ (new /** @type {any} */ (list.constructor)(list.length * 2));
  longer.set(list);
  return longer;
}
