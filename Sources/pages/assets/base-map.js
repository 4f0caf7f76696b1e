/// <reference path="leaflet.d.ts" />
// The ground of the map: tiles in the schema of Protomaps' basemap, each drawn once onto a canvas of its own, in the colours of
// map.css. Above them are names (map-names.js).

import { GridLayer, latLngBounds } from './leaflet/leaflet.esm.min.js';
import { NameLayer, ratioOf } from './map-names.js';
import { readTile } from './vector-tile.js';

/**
 * @typedef {{ tiles: string[], minzoom: number, maxzoom: number, bounds: number[], attribution: string, vector_layers?: object[] }}
 *   About TileJSON
 * @typedef {{ text: string, kind: string, rank: number, lines: number[][] }} Name along lines of a tile, from 0 to 1
 * @typedef {{ paths: Map<string, Path2D>, names: Name[], extent: number }} Scene what a tile shows
 */

/** Pixels of a tile. */
const SIDE = 512;
/** Tiles whose content is kept. */
const KEPT = 64;

const GREEN = /^(cemetery|forest|garden|golf.*|grass.*|.*park|nature_reserve|pitch|playground|protected.*|scrub|wetland|wood)$/;
const BUILT = /^(aerodrome|college|commercial|hospital|industrial|military|pedestrian|pier|railway|school|university)$/;

/**
 * Roads from the lowest up: from which zoom of a tile on they are drawn, and how wide at zoom 14, pixels.
 * @type {[string, number, number][]}
 */
const ROADS = [
  ['path', 14.5, 1], ['service', 14, 1.6], ['minor', 12, 3], ['tertiary', 11, 4], ['major', 8, 5.5], ['highway', 5, 7.5],
];

/** @param {import('./vector-tile.js').Properties} properties of a road */
function roadOf({ kind, kind_detail: detail = '' }) {
  if (kind === 'major_road') return String(detail).startsWith('tertiary') ? 'tertiary' : 'major';
  if (kind === 'minor_road') return detail === 'service' ? 'service' : 'minor';
  if (kind === 'highway' || kind === 'path' || kind === 'rail') return kind;
  return kind === 'aeroway' ? 'minor' : '';
}

/**
 * What a feature is drawn as; '': not at all.
 * @param {string} layer @param {import('./vector-tile.js').Feature} feature
 */
function lookOf(layer, { type, properties }) {
  const kind = String(properties.kind ?? '');
  if (layer === 'water') return ['', '', 'river', 'water'][type] ?? '';
  if (layer === 'buildings') return type === 3 && kind === 'building' ? 'building' : '';
  if (layer === 'roads') return type === 2 ? roadOf(properties) : '';
  if (layer === 'landuse' && type === 3) return GREEN.test(kind) ? 'green' : BUILT.test(kind) ? 'built' : '';
  return layer === 'boundaries' && (kind === 'country' || kind === 'region') ? 'border' : '';
}

/** @param {Path2D} path @param {number[]} line */
function trace(path, line) {
  path.moveTo(line[0], line[1]);
  for (let at = 2; at < line.length; at += 2) path.lineTo(line[at], line[at + 1]);
}

/** @param {Uint8Array} bytes @returns {Scene} */
function sceneOf(bytes) {
  const layers = readTile(bytes);
  /** @type {Scene} */
  const scene = { paths: new Map(), names: [], extent: layers.values().next().value?.extent ?? 4096 };
  for (const [name, layer] of layers) {
    for (const feature of layer.features()) {
      const look = lookOf(name, feature);
      const { name: own, ref, kind, population_rank: people = 0, sort_key: order = 0 } = feature.properties;
      const text = String((look === 'highway' ? ref : undefined) ?? own ?? '');
      const isPlace = name === 'places' && feature.type === 1;
      const isNamed = text && (isPlace || (name === 'roads' && look && look !== 'rail' && look !== 'path'));
      if (!look && !isNamed) continue;
      const lines = feature.lines();
      if (look) {
        const path = scene.paths.get(look) ?? new Path2D();
        scene.paths.set(look, path);
        for (const line of lines) trace(path, line);
      }
      if (!isNamed) continue;
      const rank = isPlace ? Number(people) * 1e9 - Number(order) : ROADS.findIndex(([road]) => road === look);
      const parts = lines.map((line) => line.map((number) => number / layer.extent));
      // A place beyond the edge is the next tile's, too.
      if (isPlace && parts[0].some((part) => part < 0 || part >= 1)) continue;
      scene.names.push({ text, kind: isPlace ? String(kind) : look, rank, lines: parts });
    }
  }
  return scene;
}

export class BaseMap extends GridLayer {
  #about;
  /** @type {Map<string, Promise<Scene | undefined>>} by z/x/y; the oldest first */
  #scenes = new Map();
  /** @type {Map<string, Scene>} */
  #ready = new Map();
  #names = new NameLayer((z, x, y) => this.#ready.get(`${z}/${x}/${y}`));
  #dark = matchMedia('(prefers-color-scheme: dark)');
  #recolour = () => this.redraw();

  /** @param {About} about */
  constructor(about) {
    const [west, south, east, north] = about.bounds;
    const bounds = west < east && south < north ? latLngBounds([[south, west], [north, east]]) : undefined;
    super({ bounds, keepBuffer: 1, minZoom: about.minzoom + 1, tileSize: SIDE, updateWhenZooming: false });
    this.#about = about;
    this.on('load', () => this.#names.ask());
  }

  /** @param {import('./leaflet/leaflet.esm.min.js').Map} map */
  onAdd(map) {
    super.onAdd(map);
    this.#names.deepest = this.#about.maxzoom;
    this.#names.addTo(map);
    this.#dark.addEventListener('change', this.#recolour);
    return this;
  }

  /** @param {import('./leaflet/leaflet.esm.min.js').Map} map */
  onRemove(map) {
    this.#dark.removeEventListener('change', this.#recolour);
    this.#names.remove();
    super.onRemove(map);
    return this;
  }

  /**
   * Beyond the deepest tiles a part of one is drawn larger.
   * @param {{ x: number, y: number, z: number }} at @param {(error?: Error, tile?: HTMLElement) => void} done
   */
  createTile({ x, y, z }, done) {
    const canvas = document.createElement('canvas');
    canvas.setAttribute('aria-hidden', 'true');
    const zoom = z - 1;
    const parts = 2 ** Math.max(0, zoom - this.#about.maxzoom);
    this.#scene(Math.min(zoom, this.#about.maxzoom), Math.floor(x / parts), Math.floor(y / parts)).then((scene) => {
      if (scene) paint(canvas, scene, zoom, parts, x % parts, y % parts, getComputedStyle(this.getPane()));
      done(undefined, canvas);
    });
    return canvas;
  }

  /** @param {number} z @param {number} x @param {number} y */
  #scene(z, x, y) {
    const key = `${z}/${x}/${y}`;
    const known = this.#scenes.get(key) ?? this.#load(key);
    this.#scenes.delete(key);
    this.#scenes.set(key, known);
    for (const old of this.#scenes.keys()) {
      if (this.#scenes.size <= KEPT) break;
      this.#scenes.delete(old);
      this.#ready.delete(old);
    }
    return known;
  }

  /**
   * Nothing: there is none, or it can't be read, and is asked for when it is wanted again.
   * @param {string} key
   */
  async #load(key) {
    const at = key.split('/');
    try {
      const answer = await fetch(this.#about.tiles[0].replace(/\{([zxy])\}/g, (_, one) => at['zxy'.indexOf(one)]));
      if (answer.status === 204) return undefined;
      if (!answer.ok) throw answer;
      const scene = sceneOf(new Uint8Array(await answer.arrayBuffer()));
      this.#ready.set(key, scene);
      return scene;
    } catch {
      this.#scenes.delete(key);
      return undefined;
    }
  }
}

/**
 * A tile, or one of `parts` × `parts` of it.
 * @type {(canvas: HTMLCanvasElement, scene: Scene, zoom: number, parts: number, x: number, y: number, style: CSSStyleDeclaration) => void}
 */
function paint(canvas, { paths, extent }, zoom, parts, x, y, style) {
  const ratio = ratioOf();
  canvas.width = canvas.height = SIDE * ratio;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const scale = (SIDE * ratio * parts) / extent;
  context.setTransform(scale, 0, 0, scale, -x * SIDE * ratio, -y * SIDE * ratio);
  context.lineJoin = context.lineCap = 'round';
  const pixel = ratio / scale;
  const color = (/** @type {string} */ name) => style.getPropertyValue(`--map-${name}`);
  const fill = (/** @type {string} */ look) => {
    const path = paths.get(look);
    context.fillStyle = color(look);
    if (path) context.fill(path);
  };
  /** @type {(look: string, shade: string, width: number, dash?: number[]) => void} */
  const stroke = (look, shade, width, dash = []) => {
    const path = paths.get(look);
    if (!path) return;
    context.strokeStyle = color(shade);
    context.lineWidth = width * pixel;
    context.setLineDash(dash.map((length) => length * pixel));
    context.stroke(path);
  };
  for (const look of ['built', 'green', 'water']) fill(look);
  stroke('river', 'water', Math.max(1, 1.5 ** (zoom - 12)));
  if (zoom >= 14) fill('building');
  const roads = ROADS.filter(([, from]) => zoom >= from).map(([look, , at14]) => ({
    look, width: Math.max(0.6, at14 * 1.45 ** (zoom - 14)), shade: look === 'highway' || look === 'path' ? look : 'road',
  }));
  for (const { look, width } of roads) if (zoom >= 12 && look !== 'path') stroke(look, 'edge', width + 1.6);
  if (zoom >= 12) stroke('rail', 'rail', 1);
  for (const { look, shade, width } of roads) stroke(look, shade, width, look === 'path' ? [3, 3] : []);
  stroke('border', 'rail', 1, [6, 4]);
}
