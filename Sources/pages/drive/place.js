// Places: which way, when a fix is to be sent, and the device's own position, or the one that the driver has set by hand.

import { distance, radians } from '../assets/places.js';

/** @typedef {import('./state.js').Place} Place */
/** @typedef {{ lat: number, lon: number, at: number, accuracy?: number, heading?: number, speed?: number }} Fix */

/**
 * Degrees from north, 0 to 359.
 * @param {Place} a @param {Place} b
 */
export function bearing(a, b) {
  const east = radians(b.lon - a.lon);
  const y = Math.sin(east) * Math.cos(radians(b.lat));
  const x = Math.cos(radians(a.lat)) * Math.sin(radians(b.lat)) - Math.sin(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.cos(east);
  return (Math.round((Math.atan2(y, x) * 180) / Math.PI) + 360) % 360;
}

/**
 * One of the eight directions, from 0 (north) clockwise.
 * @param {number} degrees
 */
export const eighth = (degrees) => Math.round(degrees / 45) % 8;

/** How often a fix is sent: after so many metres, but not within `least` ms, or after `most` ms. */
const IDLE = { metres: 75, least: 5000, most: 60_000 };
const CLOSE = { metres: 20, least: 1000, most: 5000 };

/**
 * Whether a fix that is newer than the last one is to be sent.
 * @param {Fix | undefined} last that was sent
 * @param {Fix} fix
 * @param {boolean} isClose passengers wait or are aboard
 * @param {number} since ms since the last was sent
 */
export function isDue(last, fix, isClose, since) {
  if (!last) return true;
  const { metres, least, most } = isClose ? CLOSE : IDLE;
  return fix.at > last.at && (since >= most || (since >= least && distance(last, fix) >= metres));
}

/** Slower than that a device does not know which way it goes. */
const DRIVING = 2;

/** Follows the device's position while it is wanted, and sends what is due. */
export class Position {
  /** @type {Fix | undefined} */
  fix;
  /**
   * Which way the car went last.
   * @type {number | undefined}
   */
  heading;
  /** Why the device has none: `denied`, `unavailable`. */
  fault = '';
  /** Whether the driver has said where the car is. It counts until the device knows it. */
  isByHand = false;
  isClose = false;
  #isWanted = false;
  /** @type {Fix | undefined} */
  #sent;
  #sentAt = 0;
  /** @type {number | undefined} */
  #watch;
  #tell;
  /** @type {(() => void)[]} */
  #waiting = [];

  /** @param {{ send: (fix: Fix) => void, changed: () => void }} tell */
  constructor(tell) {
    this.#tell = tell;
    setInterval(() => this.#refresh(), 1000);
  }

  /** @param {boolean} isWanted @param {boolean} [isClose] */
  want(isWanted, isClose = false) {
    this.isClose = isClose;
    this.#isWanted = isWanted;
    // What was denied is asked for anew only by who goes on duty.
    if (isWanted && this.#watch === undefined && this.fault !== 'denied') {
      const options = { enableHighAccuracy: true, maximumAge: 2000, timeout: 60_000 };
      this.#watch = navigator.geolocation.watchPosition((got) => this.#got(got), (error) => this.#failed(error), options);
    } else if (!isWanted && this.#watch !== undefined) {
      this.#stop();
    }
  }

  #stop() {
    if (this.#watch !== undefined) navigator.geolocation.clearWatch(this.#watch);
    this.#watch = undefined;
    this.#sent = undefined;
  }

  /**
   * By hand.
   * @param {Place} place
   */
  put({ lat, lon }) {
    this.isByHand = true;
    this.heading = undefined;
    this.fix = { lat, lon, at: Date.now() };
    this.#settle();
  }

  /** Kept when there is a fix, or it is known why there is none. */
  found() {
    this.fault = '';
    this.want(true, this.isClose);
    if (this.isByHand || (this.fix && Date.now() - this.fix.at < IDLE.most)) return Promise.resolve();
    return new Promise((/** @type {(value: void) => void} */ resolve) => this.#waiting.push(resolve));
  }

  /** To be sent in any case: what follows goes by it. */
  sendNow() {
    // Nobody has said anything else since.
    if (this.isByHand && this.fix) this.fix = { ...this.fix, at: Date.now() };
    if (this.fix) this.#send(this.fix);
  }

  /** A device that stands still tells nothing of itself. */
  #refresh() {
    // A jump by hand is believed later, when a car can have driven so far: it is to be said again.
    const { most } = this.isClose || this.isByHand ? CLOSE : IDLE;
    if (!this.#isWanted || !this.fix) return;
    const since = Date.now() - this.#sentAt;
    if (this.isByHand && since >= most) this.sendNow();
    if (this.isByHand || this.#watch === undefined) return;
    if (isDue(this.#sent, this.fix, this.isClose, since)) this.#send(this.fix);
    else if (since >= most) this.#ask();
  }

  #ask() {
    const options = { enableHighAccuracy: true, maximumAge: 1000, timeout: 10_000 };
    navigator.geolocation.getCurrentPosition((got) => this.#got(got), () => {}, options);
  }

  /** @param {GeolocationPosition} got */
  #got({ coords, timestamp }) {
    if (this.#watch === undefined) return;
    /** @type {Fix} */
    const fix = { lat: coords.latitude, lon: coords.longitude, at: Math.round(timestamp), accuracy: Math.round(coords.accuracy) };
    if (this.fix && fix.at < this.fix.at) return;
    const before = this.isByHand ? undefined : this.fix;
    this.isByHand = false;
    if (coords.speed !== null && coords.speed >= DRIVING && coords.heading !== null && coords.heading >= 0) {
      fix.speed = Math.round(coords.speed * 10) / 10;
      this.heading = fix.heading = Math.round(coords.heading) % 360;
    } else if (before && distance(before, fix) > 3 * CLOSE.metres) {
      this.heading = bearing(before, fix);
    }
    this.fix = fix;
    this.fault = '';
    if (isDue(this.#sent, fix, this.isClose, Date.now() - this.#sentAt)) this.#send(fix);
    this.#settle();
  }

  /** @param {GeolocationPositionError} error */
  #failed(error) {
    this.fault = error.code === error.PERMISSION_DENIED ? 'denied' : 'unavailable';
    if (this.fault === 'denied') this.#stop();
    this.#settle();
  }

  #settle() {
    for (const resolve of this.#waiting.splice(0)) resolve();
    this.#tell.changed();
  }

  /** @param {Fix} fix */
  #send(fix) {
    this.#sent = fix;
    this.#sentAt = Date.now();
    this.#tell.send(fix);
  }
}
