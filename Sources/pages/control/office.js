// Notices to many, reports of incidents, and what the office has done.

import { language, phrase, say } from '../assets/language.js';
import { dotted, element, explained } from '../assets/page.js';
import { REASON, askFirst, button, hub, refill, time, way } from './desk.js';

/**
 * @typedef {import('./room.js').Room} Room
 * @typedef {import('./room.js').View} View
 * @typedef {import('../assets/kerbside/messages').Replies['office.audit']['entries'][number]} Act
 */

/**
 * Asks for the text of a notice, and sends it.
 * @param {'drivers' | 'bus_drivers' | 'passengers'} to
 * @param {string} [zone]
 */
export function notice(to, zone) {
  askFirst({
    title: phrase('control.notice'),
    text: zone === undefined ? phrase(`control.notice.ask.${to}`) : phrase('control.notice.ask.zone', { zone }),
    verb: phrase('control.notice.send'),
    fields: [{ name: 'text', label: phrase('control.notice.text'), isRequired: true, max: 400 }],
    send: ({ text }) => hub.call('broadcast', { to, text, ...(zone === undefined ? {} : { zone }) }),
    done: phrase('control.notice.done'),
  });
}

/** @param {number} [count] */
const people = (count = 0) => phrase('control.notice.people', { count });

/**
 * Date and time.
 * @param {number} at
 */
const day = (at) => `${new Date(at).toLocaleDateString(language, { day: 'numeric', month: 'short' })} ${time(at)}`;

/** @param {Room} _ @returns {View} */
export function messagesView(_) {
  const list = element('ul', { ariaLabel: say('control.notice.sent') });
  const none = element('p', { className: 'soft' }, phrase('control.notice.none'));
  const draw = async () => {
    const { entries } = await hub.call('office.audit', { limit: 100 }).catch(() => ({ entries: [] }));
    const sent = entries.filter(({ command }) => command === 'broadcast');
    none.hidden = sent.length > 0;
    refill(list, sent.map(({ time: at, operator, target, after }) => element(
      'li', { className: 'card note' }, element('p', {}, after.text ?? ''),
      element('p', { className: 'soft' }, ...dotted(day(at), target, people(after.people), operator)),
    )));
  };
  draw();
  const whom = /** @type {const} */ (['drivers', 'bus_drivers', 'passengers']);
  return {
    area: element(
      'div', {}, element('h2', {}, phrase('control.messages')), element('p', { className: 'soft' }, phrase('control.notice.how')),
      element('div', { className: 'acts' }, ...whom.map((to) => button(phrase(`control.notice.to.${to}`), () => notice(to)))),
      element('h3', {}, phrase('control.notice.sent')), none, list,
    ),
    update: (news) => void ((news.has('audit') || news.has('link')) && draw()),
  };
}

/** @param {Room} _ @returns {View} */
export function reportsView(_) {
  const list = element('ul', { ariaLabel: say('control.reports') });
  const none = element('p', { className: 'soft' });
  const draw = async () => {
    try {
      const { reports } = await hub.call('report.list', {});
      none.replaceChildren(reports.length ? '' : phrase('control.reports.none'));
      refill(list, reports.map(({ report, at, category, text, role, subject, ride, vehicle }) => {
        const close = button(phrase('control.report.close'), () => askFirst({
          title: phrase('control.report.close'), text: phrase('control.report.close.ask'), verb: phrase('control.report.close'),
          fields: [{ ...REASON, name: 'note', label: phrase('control.sos.note') }],
          send: async ({ note }) => {
            await hub.call('report.close', { report, note });
            await draw();
          },
          done: phrase('control.report.closed'),
        }));
        close.dataset.key = report;
        const from = subject ? `${say(`control.role.${role}`)} ${subject}` : say('control.report.anonymous');
        const about = [
          ...(ride ? [way(`#ride/${encodeURIComponent(ride)}`, phrase('control.ride.of', { ride }))] : []),
          ...(vehicle ? [phrase('control.vehicle.of', { vehicle })] : []),
        ];
        return element(
          'li', { className: 'card note' }, element('h3', {}, phrase(`control.category.${category}`)), element('p', {}, text),
          element('p', { className: 'soft' }, ...dotted(day(at), from, ...about)),
          element('div', { className: 'acts' }, close),
        );
      }));
    } catch (error) {
      none.replaceChildren(explained(error));
    }
  };
  draw();
  return {
    area: element('div', {}, element('h2', {}, phrase('control.reports')), none, list),
    update: (news) => void ((news.has('report') || news.has('link')) && draw()),
  };
}

/**
 * Where one looks at what an act was on.
 * @param {string} target
 */
function aim(target) {
  const [kind, ...rest] = target.split(':');
  const id = rest.join(':');
  return kind === 'driver' || kind === 'ride' ? way(`#${kind}/${encodeURIComponent(id)}`, id) : element('span', {}, target);
}

/** @param {Act} act */
const actRow = ({ time: at, operator, command, target, reason }) => element(
  'li', { className: 'card note' },
  element('p', {}, element('strong', {}, command), ' · ', aim(target)), reason ? element('p', {}, reason) : '',
  element('p', { className: 'soft' }, day(at), ' · ', operator),
);

/** @param {Room} _ @returns {View} */
export function auditView(_) {
  const list = element('ol', { ariaLabel: say('control.audit') });
  const more = button(phrase('control.more'), () => page());
  const said = element('p', { className: 'soft', role: 'status' });
  /** @type {string | undefined} */
  let next;
  let asked = 0;
  const page = async () => {
    const mine = ++asked;
    more.disabled = true;
    try {
      const found = await hub.call('office.audit', next ? { from: next } : {});
      // It was begun anew meanwhile.
      if (mine !== asked) return;
      list.append(...found.entries.map(actRow));
      next = found.next;
      more.hidden = !next;
      said.replaceChildren(list.childElementCount ? '' : phrase('control.audit.none'));
    } catch (error) {
      if (mine !== asked) return;
      said.replaceChildren(explained(error));
    }
    more.disabled = false;
  };
  const again = () => {
    next = undefined;
    list.replaceChildren();
    return page();
  };
  again();
  return {
    area: element('div', {}, element('h2', {}, phrase('control.audit')), said, list, more),
    update: (news) => void ((news.has('audit') || news.has('link')) && again()),
  };
}
