// How a driver is told distances, times, money and refusals.

import { language, phrase, say } from '../assets/language.js';
import { element } from '../assets/page.js';

/** @param {number} metres */
export function far(metres) {
  if (metres < 1000) return say('drive.metres', { count: metres < 100 ? Math.round(metres) : Math.round(metres / 10) * 10 });
  return say('drive.kilometres', { count: metres < 10_000 ? Math.round(metres / 100) / 10 : Math.round(metres / 1000) });
}

/** @param {number} seconds */
export const minutes = (seconds) => say('drive.minutes', { count: Math.max(1, Math.round(seconds / 60)) });

/** @param {number} seconds as 2:05 */
export const left = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

/** @type {Record<string, string>} */
const REFUSED = {
  bad_position: 'drive.error.position', clock_skew: 'drive.error.clock', forbidden: 'drive.error.forbidden', no_position: 'drive.error.position',
  not_available: 'drive.error.state', not_found: 'drive.error.state', outside_zones: 'drive.error.outside', rate_limited: 'drive.error.often',
};

/**
 * What to do now; and what the hub has said of it, which is in English: which paper has ended, and when.
 * @param {any} error
 */
export function why(error) {
  const detail = element('span', { lang: 'en' }, error.detail ?? error.title ?? String(error.code));
  if (language === 'en') return [detail];
  return [phrase(REFUSED[error.code] ?? 'drive.error.other'), element('br'), element('small', {}, detail)];
}
