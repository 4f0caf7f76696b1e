// Amounts, and the receipt of a trip.

import { money, phrase } from '../assets/language.js';
import { element } from '../assets/page.js';
import { facts, hub, time } from './desk.js';

/** @param {string} trip */
export async function receipt(trip) {
  const one = await hub.call('receipt.get', { trip });
  const metres = one.distance_m;
  return element(
    'section', { className: 'card receipt' },
    element('h4', {}, phrase('control.receipt', { number: one.receipt })),
    facts(
      [phrase('control.role.driver'), one.driver],
      [phrase('control.at.closed'), time(one.ended_at)],
      [phrase('control.lasted'), phrase('control.minutes', { count: Math.round(one.duration_s / 60) })],
      [phrase('control.way'), metres !== undefined && phrase('control.kilometres', { count: Math.round(metres / 100) / 10 })],
      [phrase('control.fare'), one.fare ? element('strong', {}, money(one.fare)) : phrase('control.fare.none')],
      [phrase('control.payment'), phrase(`control.payment.${one.payment.method}`)],
    ),
  );
}
