// A request over the whole screen: what is known of it, how long it stands, and two buttons that nobody misses.

import { money, phrase, say } from '../assets/language.js';
import { byId, element } from '../assets/page.js';
import { far } from './words.js';

/** @typedef {import('./state.js').Offer} Offer */

/** Of the ring, in units of its drawing. */
const ROUND = 2 * Math.PI * 54;
const SVG = 'http://www.w3.org/2000/svg';

/**
 * What the driver may want to know before the answer.
 * @param {Offer} offer @param {(zone: string) => string} zoneName
 */
function facts(offer, zoneName) {
  const { zone, needs = [], distance, detour, length, fare, payment } = offer;
  /** @type {[string, Node | string | undefined][]} */
  const rows = [
    ['drive.offer.zone', zone && zoneName(zone)],
    ['drive.offer.distance', distance === undefined ? undefined : far(distance)],
    ['drive.offer.length', length === undefined ? undefined : far(length)],
    ['drive.offer.detour', detour === undefined ? undefined : far(detour)],
    ['drive.offer.fare', fare && money(fare)],
    ['drive.offer.payment', payment && phrase(payment === 'cash' ? 'drive.cash' : 'drive.digital')],
    ['drive.offer.needs', needs.length ? needs.map(needName).join(', ') : undefined],
  ];
  return rows.flatMap(([word, value]) => (value === undefined ? [] : [element('dt', {}, phrase(word)), element('dd', {}, value)]));
}

/** @type {Record<string, string>} */
const NEEDS = { wheelchair: 'drive.need.wheelchair', child_seat: 'drive.need.child', estate: 'drive.need.estate' };

/** @param {string} need as the city calls it, unless it is one that everybody knows */
export const needName = (need) => (NEEDS[need] ? say(NEEDS[need]) : need.replaceAll('_', ' '));

/** The time that is left, as a ring that grows short. */
function countdown() {
  const ring = document.createElementNS(SVG, 'svg');
  ring.setAttribute('viewBox', '0 0 120 120');
  ring.setAttribute('aria-hidden', 'true');
  for (const name of ['whole', 'left']) {
    const circle = document.createElementNS(SVG, 'circle');
    for (const [key, value] of Object.entries({ class: name, cx: 60, cy: 60, r: 54 })) circle.setAttribute(key, String(value));
    ring.append(circle);
  }
  return element('div', { className: 'countdown' }, ring, element('span', { id: 'seconds' }));
}

export class OfferScreen {
  #dialog = byId('offer');
  /** @type {Offer | undefined} */
  #offer;
  #shown = '';

  constructor() {
    // It waits for an answer, and not for the key Escape.
    this.#dialog.addEventListener('cancel', (/** @type {Event} */ event) => event.preventDefault());
  }

  /**
   * @param {Offer | undefined} offer
   * @param {{ now: number, answer: string, isLive: boolean, zoneName: (zone: string) => string }} more `answer`: what was answered, and
   *   waits for the hub
   */
  draw(offer, { now, answer, isLive, zoneName }) {
    this.#offer = offer;
    const shown = offer ? [offer.id, answer, isLive, zoneName(offer.zone ?? '')].join() : '';
    if (shown !== this.#shown) this.#draw(offer, answer, isLive, zoneName);
    this.#shown = shown;
    this.tick(now);
  }

  /** @param {number} now by the hub's clock */
  tick(now) {
    const offer = this.#offer;
    if (!offer || !this.#dialog.open) return;
    const left = Math.max(0, offer.until - now);
    byId('seconds').textContent = String(Math.ceil(left / 1000));
    const circle = this.#dialog.querySelector('.left');
    circle.style.strokeDasharray = String(ROUND);
    circle.style.strokeDashoffset = String(ROUND * (1 - Math.min(1, left / offer.lasts)));
  }

  /** @param {Offer | undefined} offer @param {string} answer @param {boolean} isLive @param {(zone: string) => string} zoneName */
  #draw(offer, answer, isLive, zoneName) {
    if (!offer) return this.#dialog.close();
    const { id, kind, passengers } = offer;
    const title = element('h2', { id: 'offer-title', tabIndex: -1 }, phrase(kind === 'ride' ? 'drive.offer' : 'drive.offer.seats'));
    const waits = answer && phrase(!isLive ? 'drive.offer.offline' : answer === 'accept' ? 'drive.offer.accepting' : 'drive.offer.declining');
    const said = element('p', { className: 'said', role: 'status' }, waits || (kind === 'ride' ? phrase('drive.offer.where') : ''));
    /** @param {string} word @param {string} act @param {string} className */
    const button = (word, act, className) => {
      const made = element('button', { type: 'button', className, disabled: Boolean(answer), value: id }, phrase(word));
      made.dataset.act = `${kind === 'ride' ? 'offer' : 'seat'}.${act}`;
      return made;
    };
    const known = element(
      'div',
      { className: 'known' },
      element('p', { className: 'people' }, phrase('drive.people', { count: passengers })),
      element('dl', {}, ...facts(offer, zoneName)),
    );
    const answers = element('div', { className: 'answers' }, button('drive.accept', 'accept', 'go'), button('drive.decline', 'decline', 'second'));
    this.#dialog.replaceChildren(element('div', { className: 'top' }, title, countdown()), known, said, answers);
    if (!this.#dialog.open) this.#dialog.showModal();
    title.focus();
  }
}
