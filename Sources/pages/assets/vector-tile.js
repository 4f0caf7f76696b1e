// Vector tiles (Mapbox Vector Tile 2.1), as far as a map needs them. What can't be read throws.

/** What is read of a feature, and not its name in thirty languages. */
const WANTED = new Set(['kind', 'kind_detail', 'name', 'ref', 'population_rank', 'sort_key']);

/**
 * @typedef {Record<string, string | number>} Properties texts and whole numbers
 * @typedef {{ type: number, properties: Properties, lines: () => number[][] }} Feature `type`: 1 points, 2 lines, 3 rings;
 *   `lines`: each as x, y, x, y…, from 0 to the layer's extent
 */

const DAMAGED = new RangeError('a tile is damaged');

class Reader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  get isMore() {
    return this.at < this.bytes.length;
  }

  /** Above 2^53 not exactly. */
  number() {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = this.bytes[this.at];
      if (byte === undefined || factor > 2 ** 63) throw DAMAGED;
      this.at += 1;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  }

  /** @param {number} count */
  take(count) {
    if (count > this.bytes.length - this.at) throw DAMAGED;
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  /** @returns {[number, any]} the next field's number, and what it holds: bytes, or a whole number */
  field() {
    const key = this.number();
    const [name, type] = [Math.floor(key / 8), key % 8];
    if (type === 0) return [name, this.number()];
    if (type === 1) return [name, this.take(8)];
    if (type === 2) return [name, this.take(this.number())];
    if (type === 5) return [name, this.take(4)];
    throw DAMAGED;
  }

}

const text = new TextDecoder();
/** @param {number} value */
const signed = (value) => (value % 2 ? -(value + 1) / 2 : value / 2);

/** @param {Uint8Array} bytes the geometry @param {boolean} isRing */
function linesOf(bytes, isRing) {
  const reader = new Reader(bytes);
  /** @type {number[][]} */
  const lines = [];
  /** @type {number[]} */
  let line = [];
  let [x, y] = [0, 0];
  while (reader.isMore) {
    const command = reader.number();
    const [id, count] = [command % 8, Math.floor(command / 8)];
    if (id === 7) {
      if (isRing && line.length) line.push(line[0], line[1]);
      continue;
    }
    if (id !== 1 && id !== 2) throw DAMAGED;
    for (let index = 0; index < count; index += 1) {
      x += signed(reader.number());
      y += signed(reader.number());
      if (id === 1) lines.push((line = []));
      line.push(x, y);
    }
  }
  return lines;
}

class TileLayer {
  name = '';
  extent = 4096;
  /** @type {string[]} */
  #keys = [];
  /** @type {Uint8Array[]} */
  #values = [];
  /** @type {Uint8Array[]} */
  #features = [];

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    const reader = new Reader(bytes);
    while (reader.isMore) {
      const [name, value] = reader.field();
      if (name === 1) this.name = text.decode(value);
      else if (name === 2) this.#features.push(value);
      else if (name === 3) this.#keys.push(text.decode(value));
      else if (name === 4) this.#values.push(value);
      else if (name === 5) this.extent = value || 4096;
    }
  }

  /** @returns {Generator<Feature>} */
  * features() {
    for (const bytes of this.#features) {
      const reader = new Reader(bytes);
      /** @type {Properties} */
      const properties = {};
      let type = 0;
      /** @type {Uint8Array | undefined} */
      let geometry;
      while (reader.isMore) {
        const [name, value] = reader.field();
        if (name === 2) this.#read(new Reader(value), properties);
        else if (name === 3) type = value;
        else if (name === 4) geometry = value;
      }
      const known = geometry;
      if (known) yield { type, properties, lines: () => linesOf(known, type === 3) };
    }
  }

  /** @param {Reader} tags @param {Properties} properties */
  #read(tags, properties) {
    while (tags.isMore) {
      const [key, value] = [this.#keys[tags.number()], this.#values[tags.number()]];
      if (!WANTED.has(key) || !value) continue;
      const [name, read] = new Reader(value).field();
      properties[key] = name === 1 ? text.decode(read) : read;
    }
  }
}

/**
 * The layers of a tile by their names.
 * @param {Uint8Array} bytes
 */
export function readTile(bytes) {
  /** @type {Map<string, TileLayer>} */
  const layers = new Map();
  const reader = new Reader(bytes);
  while (reader.isMore) {
    const [name, value] = reader.field();
    if (name !== 3) continue;
    const layer = new TileLayer(value);
    layers.set(layer.name, layer);
  }
  return layers;
}
