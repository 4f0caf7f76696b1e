// What a bus driver has to do, by what the hub tells: the tour, and the places where it is asked to stop. Pure.

/**
 * @typedef {import('../assets/kerbside/messages').Tour} Tour
 * @typedef {import('../assets/kerbside/messages').StopPlaces} Places
 * @typedef {Places[number]} Place
 * @typedef {Place['requests'][number]} Request
 *
 * @typedef {object} Duty
 * @property {boolean} isKnown whether the hub has said how things stand
 * @property {Tour} [tour]
 * @property {Places} places
 * @property {{ tour: string, line: string, stop?: string, trip?: string, reason: string }} [ended] the last tour that was driven
 * @property {string[]} hushed requests that are not to ring
 * @property {string[]} silent those that are not to be read aloud either
 */

/** @type {Duty} */
export const UNKNOWN = { isKnown: false, places: [], hushed: [], silent: [] };

/** @param {Duty} duty @param {any} tour */
export const withTour = (duty, tour) =>
  tour?.state === 'running' ? { ...duty, isKnown: true, tour, ended: undefined } : { ...duty, isKnown: true };

/**
 * The list without one request, or with what it is now.
 * @param {Places} places @param {string} request @param {string} state
 */
function changed(places, request, state) {
  return places.flatMap((place) => {
    const requests = place.requests.flatMap((one) => {
      if (one.request !== request) return [one];
      return state === 'accepted' ? [{ ...one, state: /** @type {'accepted'} */ ('accepted') }] : [];
    });
    return requests.length ? [{ ...place, requests }] : [];
  });
}

/** @param {Duty} duty @param {string} type @param {any} data */
function asked(duty, type, data) {
  // Of one tour only: what is told late of the one before is of no interest.
  if (duty.tour && data.tour !== duty.tour.tour) return duty;
  const hushed = data.quiet || data.silent ? [...duty.hushed, data.request] : duty.hushed;
  const silent = data.silent ? [...duty.silent, data.request] : duty.silent;
  if (data.places) return { ...duty, places: data.places, hushed, silent };
  // Without the list it is empty now, or follows.
  const isOpen = type === 'stop.requested' || type === 'stop.unanswered';
  return { ...duty, hushed, silent, places: isOpen ? duty.places : changed(duty.places, data.request, data.state ?? 'gone') };
}

/**
 * What there is to do after a message of the driver's own channel.
 * @param {Duty} duty @param {string} type @param {any} data
 * @returns {Duty}
 */
export function told(duty, type, data) {
  switch (type) {
    case 'snapshot':
      if (!data.tour) return { ...duty, isKnown: true, tour: undefined, places: [], ...ending(duty, 'gone') };
      return { ...withTour(duty, data.tour), places: data.places ?? [] };
    case 'gap':
      return { ...UNKNOWN, ended: duty.ended };
    case 'tour':
      return duty.tour && duty.tour.tour !== data.tour ? duty : withTour(duty, data);
    case 'tour.ended':
      if (duty.tour && duty.tour.tour !== data.tour) return duty;
      return { ...duty, tour: undefined, places: [], ...ending(duty, data.reason) };
    default:
      return type.startsWith('stop.') ? asked(duty, type, data) : duty;
  }
}

/** @param {Duty} duty @param {string} reason */
function ending({ tour }, reason) {
  if (!tour) return {};
  const { line, trip } = tour;
  const stop = tour.next_stop?.stop ?? tour.etas.at(-1)?.stop;
  return { ended: { tour: tour.tour, line, reason, ...(stop ? { stop } : {}), ...(trip ? { trip } : {}) } };
}

/** @param {Places} places @param {Request['state']} state @returns {Places} */
export const inState = (places, state) =>
  places.flatMap((place) => {
    const requests = place.requests.filter((one) => one.state === state);
    return requests.length ? [{ ...place, requests }] : [];
  });

/**
 * The places with requests of which the driver has not heard yet, and whether they are to ring and to be read aloud.
 * @param {Duty} duty @param {Set<string>} heard
 */
export function unheard({ places, hushed, silent }, heard) {
  return inState(places, 'requested').flatMap((place) => {
    const requests = place.requests.filter((one) => !heard.has(one.request));
    const rings = requests.some((one) => !hushed.includes(one.request));
    const isSaid = requests.some((one) => !silent.includes(one.request));
    return requests.length ? [{ place: { ...place, requests }, rings, isSaid }] : [];
  });
}

/** @param {Request[]} requests @returns {string[]} what help they need, each once */
export const helpOf = (requests) => [...new Set(requests.flatMap((one) => one.help ?? []))];

/** @param {Request[]} requests */
export const people = (requests) => requests.reduce((sum, one) => sum + one.passengers, 0);
