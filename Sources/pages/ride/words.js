// How amounts, ways, times, places and refusals are said.

import { language, locales, phrase, say } from '../assets/language.js';
import { element, explained } from '../assets/page.js';
import { EARTH } from '../assets/places.js';

/** @param {number} metres */
export function way(metres) {
  if (metres < 995) return say('ride.metres', { count: Math.max(10, Math.round(metres / 10) * 10) });
  return say('ride.kilometres', { count: new Intl.NumberFormat(locales, { maximumFractionDigits: 1 }).format(metres / 1000) });
}

/**
 * Day and time.
 * @param {number} at @param {string} [zone]
 */
export const moment = (at, zone) => {
  /** @type {Intl.DateTimeFormatOptions} */
  const form = { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  return new Date(at).toLocaleString(locales, { ...form, ...(zone ? { timeZone: zone } : {}) });
};

/** @param {{ lat: number, lon: number }} place */
export const coordinates = ({ lat, lon }) => `${lat.toFixed(5)}, ${lon.toFixed(5)}`;

const EXPLAINED = [
  'already_requested', 'expired', 'forbidden', 'in_the_past', 'no_driver', 'not_available', 'not_found', 'not_yours',
  'outside_zones', 'rate_limited', 'same_place', 'seats_full', 'timeout', 'too_far_ahead', 'too_late', 'too_many_passengers',
  'too_soon', 'unavailable', 'zone_empty',
];

/**
 * Why something was refused, and how to go on. Of who has been shut out the hub says more, in English.
 * @param {any} error of the client, or with the code alone
 */
export function reason(error) {
  const { code, detail, retry_after_ms: wait } = error?.error ?? error ?? {};
  if (code === 'forbidden' && wait) return phrase('ride.error.until', { time: moment(Date.now() + wait) });
  if (code === 'forbidden' && detail && language === 'en') return element('span', {}, detail);
  if (code === 'rate_limited' && wait > 60_000) return phrase('ride.error.wait', { count: Math.ceil(wait / 60_000) });
  if (EXPLAINED.includes(code)) return phrase(`ride.error.${code}`);
  return explained(error?.error ? error : { error });
}

/** What a vehicle must have; cities may have other words for more. */
export const NEEDS = ['wheelchair', 'child_seat', 'estate'];

/** @param {string} need */
export const needName = (need) => (NEEDS.includes(need) ? phrase(`ride.need.${need}`) : need);

/**
 * That many metres away.
 * @param {{ lat: number, lon: number }} from @param {number} north @param {number} east
 */
export function moved({ lat, lon }, north, east) {
  const degrees = 180 / Math.PI / EARTH;
  return { lat: lat + north * degrees, lon: lon + (east * degrees) / Math.cos((lat * Math.PI) / 180) };
}

/**
 * The same words again would be drawn, and read aloud, again.
 * @param {HTMLElement} where @param {...(Node | string)} words
 */
export function put(where, ...words) {
  const fresh = element('span', {}, ...words);
  if (fresh.textContent !== where.textContent) where.replaceChildren(...fresh.childNodes);
}

/** @param {Node | string} words */
export const textOf = (words) => (typeof words === 'string' ? words : words.textContent ?? '');
