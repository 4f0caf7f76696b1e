// How far it is.

/** Metres: the mean radius. */
export const EARTH = 6_371_008.8;

/** @param {number} degrees */
export const radians = (degrees) => (degrees * Math.PI) / 180;

/**
 * Metres, by haversine.
 * @param {{ lat: number, lon: number }} a @param {{ lat: number, lon: number }} b
 */
export function distance(a, b) {
  const [north, east] = [radians(b.lat - a.lat), radians(b.lon - a.lon)];
  const h = Math.sin(north / 2) ** 2 + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.sin(east / 2) ** 2;
  return 2 * EARTH * Math.asin(Math.sqrt(h));
}
