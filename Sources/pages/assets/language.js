// Texts in the reader's language. A catalog has messages by their ids; what it lacks is said in English, and marked as such.

/** @type {Record<string, string>} */
const NAMES = { en: 'English', de: 'Deutsch', fr: 'Français', it: 'Italiano', st: 'Sesotho', zu: 'isiZulu' };
/** Where the choice is kept. */
const CHOICE = 'kerbside.language';

/**
 * A text, or one for each plural form of `count`. Values stand in it as `{name}`.
 * @typedef {string | Record<string, string>} Message
 * @typedef {Record<string, string | number>} Values
 */

function choose() {
  const wishes = [new URLSearchParams(location.search).get('lang'), localStorage.getItem(CHOICE), ...navigator.languages];
  const tags = wishes.map((wish) => (wish ?? '').toLowerCase().split('-')[0]);
  return tags.find((tag) => Object.hasOwn(NAMES, tag)) ?? 'en';
}

export const language = choose();

/** @param {string} tag */
async function load(tag) {
  const answer = await fetch(new URL(`languages/${tag}.json`, import.meta.url)).catch(() => undefined);
  /** @type {Record<string, Message>} */
  const messages = answer?.ok ? await answer.json() : {};
  // Not every browser has every language's numbers.
  const locales = tag === 'en' ? ['en-GB'] : [tag, 'en-GB'];
  return { messages, locales, plurals: new Intl.PluralRules(locales), numbers: new Intl.NumberFormat(locales) };
}

const [english, own] = await Promise.all([load('en'), load(language)]);
document.documentElement.lang = language;
/** For `Intl`. */
export const { locales } = own;

/** @param {string} id */
const isOwn = (id) => language === 'en' || id in own.messages;

/** @param {string} id @param {Values} [values] */
export function say(id, values = {}) {
  const { messages, plurals, numbers } = isOwn(id) ? own : english;
  const message = messages[id] ?? id;
  const text = typeof message === 'string' ? message : message[plurals.select(Number(values.count))] ?? message.other;
  return text.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? '';
    return typeof value === 'number' ? numbers.format(value) : value;
  });
}

/**
 * The same for the page, where English text says so to screen readers.
 * @param {string} id
 * @param {Values} [values]
 */
export function phrase(id, values) {
  if (isOwn(id)) return say(id, values);
  return Object.assign(document.createElement('span'), { lang: 'en', textContent: say(id, values) });
}

/**
 * Hours and minutes.
 * @param {number} at Unix ms
 * @param {string} [zone] of the timetable, as Europe/Rome; that of the device without it
 */
export function clock(at, zone) {
  return new Date(at).toLocaleTimeString(own.locales, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone });
}

/** @param {{ amount: number, currency: string }} fare in hundredths */
export const money = ({ amount, currency }) => new Intl.NumberFormat(locales, { style: 'currency', currency }).format(amount / 100);

/** The texts of the HTML, and the choice of a language in its footer. */
export function translate() {
  for (const one of document.querySelectorAll('[data-message]')) one.replaceChildren(phrase(one.getAttribute('data-message') ?? ''));
  const choice = document.createElement('select');
  for (const [tag, name] of Object.entries(NAMES)) {
    choice.append(Object.assign(document.createElement('option'), { value: tag, lang: tag, textContent: name, selected: tag === language }));
  }
  choice.addEventListener('change', () => {
    localStorage.setItem(CHOICE, choice.value);
    const here = new URL(location.href);
    here.searchParams.delete('lang');
    history.replaceState(null, '', here);
    location.reload();
  });
  const label = document.createElement('label');
  label.append(phrase('language'), choice);
  document.querySelector('footer')?.append(label);
}
