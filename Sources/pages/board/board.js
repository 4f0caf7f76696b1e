// The board of a stop: what leaves next, for people who stand before it. Nobody has to touch it.

import { delay, seatBand, seen } from '../assets/buses.js';
import { followStop } from '../assets/departures.js';
import { clock, phrase } from '../assets/language.js';
import { byId, connect, decoded, dotted, element, explained, linkState, read } from '../assets/page.js';

/** More are not written; how many of them are seen is a matter of the screen. */
const MOST = 12;
const RETRY = 15_000;
const main = byId('main');
const list = element('ol', { className: 'departures' });
/** @type {Awaited<ReturnType<typeof followStop>> | undefined} */
let stop;
/**
 * Since when there is no link, by the hub's time.
 * @type {number | undefined}
 */
let lost;
let wasLive = false;

/** The stop's id: of the path, /board/<id>, or after the #. */
function wanted() {
  const [, path = ''] = location.pathname.split('/board/');
  return decoded(path === 'index.html' ? '' : path) || decoded(location.hash.slice(1));
}

const hub = connect(undefined, linkWords);

/** @param {string} state */
function linkWords(state) {
  if (state === 'live') wasLive = true;
  lost = state === 'live' || !wasLive ? undefined : lost ?? hub.time;
  if (stop?.readAt !== undefined) return phrase('read', { time: clock(stop.readAt, stop.zone) });
  return stop && lost !== undefined ? phrase('lost', { time: clock(lost, stop.zone) }) : linkState(state);
}

/** From when what is shown is, where it is not live. */
const known = () => stop?.readAt ?? lost;

/**
 * For a line of big letters.
 * @param {string} text
 * @param {number} most
 */
const isLong = (text, most) => text.length > most;

/** @param {Node | string} title */
function show(title) {
  byId('title').replaceChildren(title);
  document.title = byId('title').textContent;
}

/** @param {import('../assets/departures.js').Departure} one */
function minutes(one) {
  // Without a link nobody knows how long a bus still takes.
  if (known() !== undefined && one.bus) return '';
  const left = Math.floor((one.at - hub.time) / 60_000);
  if (left < 1) return phrase('now');
  if (left > 12 * 60) return phrase('tomorrow');
  return left > 60 ? '' : phrase('minutes', { count: left });
}

/** @param {import('../assets/departures.js').Departure} one */
function notes({ by, bus, age, zone }) {
  if (by === 'timetable') return [phrase('timetable')];
  const seats = phrase(`seats.${seatBand(bus.seats)}`);
  const from = known();
  if (from !== undefined) return dotted(phrase('known', { time: clock(from, zone) }), seats);
  const when = age !== undefined && age !== Infinity ? [seen(Math.round(age / 5000) * 5000)] : [];
  return dotted(element('strong', { className: by }, phrase(by)), delay(bus.delay_s), seats, ...when);
}

/** @param {import('../assets/departures.js').Departure} one */
function row(one) {
  const sign = element('span', { className: 'sign' }, element('span', { className: 'unseen' }, phrase('line', { line: '' })), one.line);
  return element(
    'li',
    { className: known() !== undefined && one.bus ? `${one.by} old` : one.by },
    sign,
    element('span', { className: isLong(one.to, 18) ? 'to long' : 'to' }, one.to),
    element('span', { className: 'minutes' }, minutes(one)),
    element('time', { className: 'at' }, clock(one.at, one.zone)),
    element('span', { className: 'notes' }, ...notes(one)),
  );
}

function draw() {
  byId('clock').textContent = stop ? clock(hub.time, stop.zone) : '';
  if (!stop) return;
  const words = element('span', {}, linkWords(hub.state));
  if (words.textContent !== byId('link').textContent) byId('link').replaceChildren(...words.childNodes);
  const rows = stop.departures().slice(0, MOST).map(row);
  if (!rows.length && stop.isKnown()) rows.push(element('li', { className: 'none' }, phrase('departures.end')));
  // What is as it was stays, for those who read it by a screen reader.
  for (const [index, made] of rows.entries()) {
    const old = list.children[index];
    if (!old) list.append(made);
    else if (!old.isEqualNode(made)) old.replaceWith(made);
  }
  while (list.children.length > rows.length) list.lastChild?.remove();
}

/** Nobody stands there to do it. Only from a hub that answers: a browser's own page of errors would stay. */
async function reload() {
  if (await read('/v1/changes').catch(() => undefined)) location.reload();
  else setTimeout(reload, RETRY);
}

async function showStops() {
  const { stops } = await read('/v1/stops');
  document.body.classList.remove('board');
  show(phrase('departures'));
  const choice = element('ul');
  for (const one of stops) {
    // Some ids would be those of the page's own files.
    const isFile = /^(index\.html|board\.(js|css))$/.test(one.id);
    const href = isFile ? `#${encodeURIComponent(one.id)}` : encodeURIComponent(one.id) + location.search;
    const lines = element('span', { className: 'soft' }, one.lines.join(', '));
    choice.append(element('li', {}, element('a', { className: 'card', href }, element('span', { className: 'grow' }, one.name), lines)));
  }
  main.replaceChildren(element('h2', {}, phrase('stops.choose')), stops.length ? choice : element('p', {}, phrase('lines.none')));
}

/** @param {string} id */
async function showBoard(id) {
  document.body.classList.add('board');
  stop = await followStop(hub, id, draw);
  show(stop.name);
  byId('title').classList.toggle('long', isLong(stop.name, 24));
  main.replaceChildren(list);
  await stop.refresh();
  draw();
}

async function go() {
  try {
    const id = wanted();
    await (id ? showBoard(id) : showStops());
  } catch (error) {
    document.body.classList.remove('board');
    const isUnknown = /** @type {any} */ (error)?.error?.code === 'not_found';
    const all = element('a', { href: '/board/' }, phrase('stops.choose'));
    main.replaceChildren(element('p', { className: 'alarm' }, explained(error), ' ', ...(isUnknown ? [all] : [])));
    if (!isUnknown) setTimeout(reload, RETRY);
  }
}

hub.on('state', () => {
  stop?.refresh();
  draw();
});
// New timetables, and a new version of this page with them. Not all boards at once.
hub.subscribe('catalog').on('catalog.changed', () => setTimeout(reload, Math.random() * 30_000));
addEventListener('hashchange', () => location.reload());
setInterval(draw, 1000);
setInterval(() => stop?.refresh(), 5000);
go();
