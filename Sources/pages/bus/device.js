// What the driver's device does during a tour: it tells where it is.

import { distance } from '../assets/places.js';

/** A fix goes out when the bus has moved so far, m; or less, or has just come to stand, after some seconds; or stands for long. */
const [FAR, SOME, AFTER_SOME, AFTER_NONE] = [30, 10, 5_000, 15_000];
const POLL = 5_000;

/** @typedef {{ lat: number, lon: number, at: number }} Fix */

/**
 * Data are dear: of many fixes that say the same one is enough.
 * @param {Fix[]} sent the last two that were @param {Fix} fix
 */
export function isWorthSending(sent, fix) {
  const [last, before] = [...sent].reverse();
  if (!last) return true;
  const moved = distance(last, fix);
  const waited = fix.at - last.at;
  // That it stands was said already.
  const stands = before !== undefined && distance(before, last) < SOME && moved < SOME;
  return moved >= FAR || waited >= (stands ? AFTER_NONE : AFTER_SOME);
}

/** @param {GeolocationPosition} position */
function fixOf({ coords, timestamp }) {
  const { latitude: lat, longitude: lon, accuracy, heading, speed } = coords;
  return {
    lat,
    lon,
    at: Math.round(timestamp),
    accuracy,
    ...(heading !== null && heading >= 0 && heading < 360 ? { heading } : {}),
    ...(speed !== null && speed >= 0 ? { speed } : {}),
  };
}

/** Tells the hub where the bus is. */
export class Fixes {
  #hub;
  #changed;
  /** @type {number | undefined} */
  #watch;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #poll;
  /** @type {Fix[]} */
  #sent = [];
  /**
   * The last one of the device, whether it was sent or not.
   * @type {ReturnType<typeof fixOf> | undefined}
   */
  last;
  /**
   * Why there is none.
   * @type {'denied' | 'missing' | undefined}
   */
  failure;

  /** @param {import('../assets/kerbside/kerbside.js').Kerbside} hub @param {() => void} changed */
  constructor(hub, changed) {
    this.#hub = hub;
    this.#changed = changed;
  }

  /** @param {boolean} isOn */
  set isOn(isOn) {
    if (isOn === (this.#poll !== undefined)) return;
    if (!isOn) {
      if (this.#watch !== undefined) navigator.geolocation.clearWatch(this.#watch);
      clearInterval(this.#poll);
      this.#watch = this.#poll = this.last = this.failure = undefined;
      this.#sent = [];
      return;
    }
    const options = { enableHighAccuracy: true, maximumAge: 0 };
    /** @param {GeolocationPosition} position */
    const took = (position) => this.#took(position);
    /** @param {GeolocationPositionError} error */
    const failed = (error) => this.#failed(error);
    this.#watch = navigator.geolocation?.watchPosition(took, failed, options);
    if (this.#watch === undefined) this.failure = 'missing';
    // A device that stands may say nothing by itself.
    this.#poll = setInterval(() => {
      if (Date.now() - (this.last?.at ?? 0) < AFTER_SOME) return;
      navigator.geolocation?.getCurrentPosition(took, failed, { ...options, timeout: POLL });
    }, POLL);
  }

  /** @param {GeolocationPosition} position */
  #took(position) {
    if (this.#poll === undefined) return;
    const fix = fixOf(position);
    this.last = fix;
    this.failure = undefined;
    if (isWorthSending(this.#sent, fix)) {
      this.#sent = [...this.#sent.slice(-1), fix];
      this.#hub.position(fix);
    }
    this.#changed();
  }

  /** @param {GeolocationPositionError} error */
  #failed(error) {
    if (this.#poll === undefined) return;
    this.failure = error.code === error.PERMISSION_DENIED ? 'denied' : 'missing';
    this.#changed();
  }
}
