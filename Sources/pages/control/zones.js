// Zones and who waits in them, and what the office can do about a queue.

import { phrase, say } from '../assets/language.js';
import { dotted, element } from '../assets/page.js';
import { ago, button, refill, way } from './desk.js';
import { putBack, takeOut } from './drivers.js';
import { notice } from './office.js';

/**
 * @typedef {import('./room.js').Room} Room
 * @typedef {import('./room.js').View} View
 */

/** @param {Room} room @returns {View} */
export function zonesView({ queues }) {
  const list = element('ul', { ariaLabel: say('control.zones') });
  const sum = element('p', { className: 'soft' });
  const draw = () => {
    sum.replaceChildren(phrase('control.waiting', { count: queues.waiting }));
    refill(list, queues.zones.map(({ zone, name }) => {
      const queue = queues.queues.get(zone);
      const first = queue?.drivers[0]?.since;
      const rest = first === undefined ? '' : element('span', { className: 'soft' }, phrase('control.longest'), ' ', ago(first));
      const size = element('span', { className: 'sign' }, queue ? String(queue.size) : '–');
      const card = way(`#zone/${encodeURIComponent(zone)}`, size, element('span', { className: 'grow' }, name), rest);
      card.className = queue?.size ? 'card' : 'card empty';
      return element('li', {}, card);
    }));
  };
  draw();
  return {
    area: element('div', {}, element('h2', {}, phrase('control.zones')), sum, list),
    update: (news) => void ([...news].some((one) => one.startsWith('zone:')) && draw()),
  };
}

/** @param {Room} room @param {string} zone @returns {View} */
export function zoneView({ queues, map }, zone) {
  const list = element('ol', { className: 'queue', ariaLabel: say('control.queue') });
  const sum = element('p', { className: 'soft' });
  const draw = () => {
    const queue = queues.queues.get(zone);
    sum.replaceChildren(phrase('control.waiting', { count: queue?.size ?? 0 }));
    refill(list, (queue?.drivers ?? []).map(({ driver, rank, state, since }) => {
      const text = dotted(phrase(`control.waits.${state}`), ...(since === undefined ? [] : [ago(since)]));
      const link = way(`#driver/${encodeURIComponent(driver)}`, driver);
      const acts = [
        button(phrase('control.act.remove'), () => takeOut(driver)),
        ...(rank > 1 ? [button(phrase('control.act.first'), () => putBack(driver, 1))] : []),
      ];
      acts.forEach((one, index) => Object.assign(one.dataset, { key: `${driver}:${index}` }));
      acts.forEach((one) => one.setAttribute('aria-label', `${one.textContent}: ${driver}`));
      return element(
        'li', { className: 'card row' }, element('span', { className: 'sign' }, String(rank)),
        element('span', { className: 'grow' }, link, element('br'), element('span', { className: 'soft' }, ...text)),
        element('span', { className: 'acts' }, ...acts),
      );
    }));
  };
  draw();
  const place = queues.places.get(zone);
  const acts = element('div', { className: 'acts' }, button(phrase('control.notice.zone'), () => notice('drivers', zone)));
  if (place) acts.append(button(phrase('control.look'), () => map.look(place, 14)));
  const title = element('h2', {}, queues.name(zone));
  return {
    area: element('div', {}, way('#zones', phrase('back')), title, sum, acts, list),
    update(news) {
      if (news.has(`zone:${zone}`)) draw();
      title.textContent = queues.name(zone);
    },
  };
}
