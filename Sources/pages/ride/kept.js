// What the page keeps on the device for who has signed in: what was asked for, favourite places, and the trip to be looked at.

/**
 * A place, and how it was chosen; `at`: when the device was there.
 * @typedef {{ lat: number, lon: number, name?: string, by?: string, at?: number }} Place
 *
 * What was asked for, as the hub does not tell it again. `id` once it is known; `isDone` when it is over.
 * @typedef {{ cmd: string, from?: Place, to?: Place, passengers: number, needs?: string[], payment?: string,
 *   id?: string, at: number, isDone?: boolean }} Asked
 */

export class Kept {
  #name;

  /** @param {string} who has signed in */
  constructor(who) {
    this.#name = `kerbside.ride.${who}.`;
  }

  /** @param {string} what @returns {any} */
  #read(what) {
    try {
      return JSON.parse(localStorage.getItem(this.#name + what) ?? 'null');
    } catch {
      return null;
    }
  }

  /** @param {string} what @param {unknown} value */
  #write(what, value) {
    if (value === undefined) localStorage.removeItem(this.#name + what);
    else localStorage.setItem(this.#name + what, JSON.stringify(value));
  }

  /** @returns {Asked | undefined} */
  get asked() {
    return this.#read('asked') ?? undefined;
  }

  set asked(asked) {
    this.#write('asked', asked);
  }

  /**
   * The trip that has ended, until its receipt was looked at.
   * @returns {string | undefined}
   */
  get ended() {
    return this.#read('ended') ?? undefined;
  }

  set ended(trip) {
    this.#write('ended', trip);
  }

  /**
   * The link by which friends follow a ride.
   * @returns {{ ride: string, link: string } | undefined}
   */
  get shared() {
    return this.#read('shared') ?? undefined;
  }

  set shared(shared) {
    this.#write('shared', shared);
  }

  /** @returns {Place[]} */
  get favourites() {
    return this.#read('favourites') ?? [];
  }

  /**
   * Of two with one name the later counts.
   * @param {Place} place
   */
  addFavourite(place) {
    this.#write('favourites', [...this.favourites.filter((one) => one.name !== place.name), place].slice(-20));
  }

  /** @param {string} name */
  removeFavourite(name) {
    this.#write('favourites', this.favourites.filter((one) => one.name !== name));
  }
}
