// Names of streets and places on one canvas, so that no tile's edge cuts one, and none stands upon another: what finds no room is left
// out. Drawn when the map is at rest.

import { DomUtil, Layer } from './leaflet/leaflet.esm.min.js';

/** @typedef {import('./base-map.js').Name} Name */
/** @typedef {{ text: string, x: number, y: number, angle: number, font: string, width: number, height: number }} Placed */

/**
 * From which zoom of a tile to which; size, weight, order.
 * @type {Record<string, [number, number, number, number, number]>}
 */
const STYLES = {
  country: [0, 6, 14, 600, 0], locality: [4, 13.5, 14, 600, 2], macrohood: [11.5, 15.5, 12, 600, 3], highway: [11, 22, 11, 600, 4],
  major: [12.5, 22, 11, 500, 5], neighbourhood: [12.5, 16.5, 12, 500, 6], tertiary: [13.5, 22, 11, 500, 7],
  minor: [14.5, 22, 11, 500, 8],
};
/** Finer is not seen on the ground, and takes memory. */
export const ratioOf = () => Math.min(2, Math.max(1, devicePixelRatio));
/** A street is named again after so many pixels. */
const AGAIN = 360;
/** A name bends by no more than this, as the cosine. */
const STRAIGHT = Math.cos(Math.PI / 9);

/**
 * The longest part of a line that is nearly straight, pixels.
 * @param {number[]} line x, y, x, y…
 */
function straightest(line) {
  let best = { length: 0, x: 0, y: 0, angle: 0 };
  let start = 0;
  for (let at = 2; at < line.length; at += 2) {
    const [dx, dy] = [line[at] - line[at - 2], line[at + 1] - line[at - 1]];
    const [fx, fy] = [line[at] - line[start], line[at + 1] - line[start + 1]];
    const [step, far] = [Math.hypot(dx, dy), Math.hypot(fx, fy)];
    if (step > 0 && at - 2 > start && (dx * fx + dy * fy) / (step * far || 1) < STRAIGHT) {
      start = at - 2;
      at -= 2;
      continue;
    }
    if (far <= best.length) continue;
    const angle = Math.atan(fx ? fy / fx : Infinity);
    best = { length: far, x: (line[at] + line[start]) / 2, y: (line[at + 1] + line[start + 1]) / 2, angle };
  }
  return best;
}

/** What is taken, in boxes: left, top, right, bottom. */
class Room {
  /** @type {number[][]} */
  #taken = [];

  /**
   * Takes the place of a text, if it is free; small boxes along a slanted one.
   * @param {Placed} name
   */
  takes({ x, y, angle, width, height }) {
    const count = angle ? Math.max(1, Math.round(width / height)) : 1;
    const [dx, dy] = [Math.cos(angle) * width, Math.sin(angle) * width];
    const [w, h] = [(angle ? height : width) / 2 + 3, height / 2 + 2];
    const boxes = Array.from({ length: count }, (_, index) => {
      const part = (index + 0.5) / count - 0.5;
      return [x + dx * part - w, y + dy * part - h, x + dx * part + w, y + dy * part + h];
    });
    const isFree = boxes.every(([l, t, r, b]) => !this.#taken.some((one) => l < one[2] && r > one[0] && t < one[3] && b > one[1]));
    if (isFree) this.#taken.push(...boxes);
    return isFree;
  }
}

export class NameLayer extends Layer {
  /** The deepest zoom that there are tiles of. */
  deepest = 14;
  #sceneAt;
  #canvas = document.createElement('canvas');
  #frame = 0;
  /** @type {import('./leaflet/leaflet.esm.min.js').Map | undefined} */
  #map;
  /** @param {(z: number, x: number, y: number) => { names: Name[] } | undefined} sceneAt what is there of a tile */
  constructor(sceneAt) {
    super();
    this.#sceneAt = sceneAt;
  }

  /** @param {import('./leaflet/leaflet.esm.min.js').Map} map */
  onAdd(map) {
    this.#map = map;
    this.#canvas.setAttribute('aria-hidden', 'true');
    this.#canvas.className = 'map-names';
    (map.getPane('names') ?? map.createPane('names')).append(this.#canvas);
    map.on('zoomstart', this.#hide, this);
    map.on('moveend zoomend viewreset resize', this.ask, this);
    return this;
  }

  /** @param {import('./leaflet/leaflet.esm.min.js').Map} map */
  onRemove(map) {
    map.off('zoomstart', this.#hide, this);
    map.off('moveend zoomend viewreset resize', this.ask, this);
    cancelAnimationFrame(this.#frame);
    this.#canvas.remove();
    this.#map = undefined;
    return this;
  }

  ask() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  }

  #hide() {
    this.#canvas.hidden = true;
  }

  /**
   * The names for a zoom, with their places in pixels of the map.
   * @param {import('./leaflet/leaflet.esm.min.js').Map} map @param {number} zoom of a tile
   */
  #candidates(map, zoom) {
    const { min, max } = map.getPixelBounds();
    const z = Math.max(0, Math.min(this.deepest, Math.round(map.getZoom()) - 1));
    const side = (256 * 2 ** map.getZoom()) / 2 ** z;
    /** @type {{ name: Name, lines: number[][] }[]} */
    const found = [];
    for (let y = Math.floor(min.y / side); y * side < max.y; y += 1) {
      for (let x = Math.floor(min.x / side); x * side < max.x; x += 1) {
        for (const name of this.#sceneAt(z, x, y)?.names ?? []) {
          const [from, to] = STYLES[name.kind] ?? [99, 0];
          if (zoom < from || zoom > to) continue;
          const lines = name.lines.map((line) => line.map((part, index) => (
            index % 2 ? (y + part) * side - min.y : (x + part) * side - min.x)));
          found.push({ name, lines });
        }
      }
    }
    const order = (/** @type {Name} */ name) => STYLES[name.kind][4];
    return found.sort((a, b) => order(a.name) - order(b.name) || b.name.rank - a.name.rank);
  }

  #paint() {
    const map = this.#map;
    if (!map) return;
    const [canvas, ratio] = [this.#canvas, ratioOf()];
    const { x: width, y: height } = map.getSize();
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    canvas.hidden = false;
    DomUtil.setPosition(canvas, map.containerPointToLayerPoint([0, 0]));
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    const style = getComputedStyle(canvas);
    Object.assign(context, { textAlign: 'center', textBaseline: 'middle', lineJoin: 'round', lineWidth: 3 });
    context.fillStyle = style.getPropertyValue('--map-name');
    context.strokeStyle = style.getPropertyValue('--map-halo');
    const room = new Room();
    /** @type {Map<string, Placed[]>} */
    const before = new Map();
    for (const { name, lines } of this.#candidates(map, map.getZoom() - 1)) {
      const [, , size, weight] = STYLES[name.kind];
      const font = `${weight} ${size}px ${style.fontFamily}`;
      context.font = font;
      const wide = context.measureText(name.text).width;
      for (const line of lines) {
        const spot = line.length > 2 ? straightest(line) : { length: Infinity, x: line[0], y: line[1], angle: 0 };
        const isInside = spot.x > 0 && spot.y > 0 && spot.x < width && spot.y < height;
        if (!isInside || spot.length < wide + 8) continue;
        const others = before.get(name.text) ?? [];
        if (others.some((one) => Math.hypot(one.x - spot.x, one.y - spot.y) < AGAIN)) continue;
        const placed = { ...spot, text: name.text, font, width: wide, height: size };
        if (!room.takes(placed)) continue;
        before.set(name.text, [...others, placed]);
      }
    }
    for (const { text, x, y, angle, font } of [...before.values()].flat()) {
      context.font = font;
      context.setTransform(ratio, 0, 0, ratio, x * ratio, y * ratio);
      context.rotate(angle);
      context.strokeText(text, 0, 0);
      context.fillText(text, 0, 0);
    }
  }
}
