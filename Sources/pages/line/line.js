// Lines, their stops, the buses on them, and a stop on request: for everybody, without an account.

import { delay, followLine, seatBand, seen } from '../assets/buses.js';
import { keep } from '../assets/closed.js';
import { localStore } from '../assets/kerbside/kerbside.js';
import { clock, phrase, say } from '../assets/language.js';
import { byId, connect, decoded, dotted, element, explained, read } from '../assets/page.js';

const main = byId('main');
const hub = connect(localStore());

/** Its requests for stops, as they stand: by id. */
const requests = new Map();
/** Of lines, by id. */
const names = new Map();
/**
 * The one that is shown.
 * @type {import('../assets/buses.js').Line | undefined}
 */
let line;

/** @param {{ at: number }} eta */
const isTomorrow = (eta) => eta.at - hub.time > 12 * 3_600_000;

/** @param {{ early?: number, late?: number }} eta */
function span(eta) {
  if (eta.early === undefined || eta.late === undefined) return '';
  /** @param {number} ms */
  const minutes = (ms) => Math.max(0, Math.round((ms - hub.time) / 60_000));
  const [from, to] = [minutes(eta.early), minutes(eta.late)];
  return from === to ? phrase('in.minutes', { count: to }) : phrase('in.range', { from, to });
}

// Views

/** @param {Node | string} title @param {string} [back] */
function show(title, back) {
  byId('title').replaceChildren(title);
  document.title = byId('title').textContent;
  byId('back').hidden = back === undefined;
  byId('back').href = back ?? '#';
  main.replaceChildren();
}

/** @param {unknown} error */
function fail(error) {
  const again = element('a', { href: location.hash || '#' }, phrase('again'));
  again.addEventListener('click', go);
  main.querySelector('.alarm')?.remove();
  main.prepend(element('p', { className: 'alarm' }, explained(error), ' ', again));
}

async function showLines() {
  show(phrase('buses'));
  const [{ lines }, { stops }] = await Promise.all([read('/v1/lines'), read('/v1/stops')]);
  for (const one of lines) names.set(one.id, one.name);
  if (!lines.length) main.append(element('p', {}, phrase('lines.none')));
  const list = element('ul');
  for (const one of lines) {
    const ways = one.directions.map((/** @type {any} */ way) => way.headsign || way.to).join(' – ');
    const sign = element('span', { className: 'sign' }, one.name || one.id);
    const text = element('span', { className: 'grow' }, one.long_name || ways);
    list.append(element('li', {}, element('a', { className: 'card', href: `#${encodeURIComponent(one.id)}` }, sign, text)));
  }
  const found = element('ul');
  const field = element('input', { type: 'search', autocomplete: 'off' });
  field.addEventListener('input', () => {
    const wanted = field.value.trim().toLowerCase();
    const hits = wanted ? stops.filter((/** @type {any} */ stop) => stop.name.toLowerCase().includes(wanted)).slice(0, 20) : [];
    found.replaceChildren(
      ...hits.flatMap((/** @type {any} */ stop) =>
        stop.lines.map((/** @type {string} */ id) => {
          const href = `#${encodeURIComponent(id)}/${encodeURIComponent(stop.id)}`;
          const on = element('span', { className: 'soft' }, phrase('line', { line: names.get(id) ?? id }));
          return element('li', {}, element('a', { className: 'card', href }, stop.name, on));
        }),
      ),
    );
    if (wanted && !hits.length) found.append(element('li', { className: 'soft' }, phrase('find.none')));
  });
  const search = stops.length ? [element('label', {}, phrase('find'), field), found] : [];
  main.append(requestList(), ...search, element('h2', {}, phrase('lines')), list);
}

/** @param {string} id */
async function load(id) {
  if (line?.id === id) return line;
  line?.channel.close();
  line = undefined;
  const loaded = await followLine(hub, id, draw);
  names.set(id, loaded.name);
  line = loaded;
  return loaded;
}

/** @param {any} bus */
function busText(bus) {
  const age = bus.position ? [seen(hub.time - bus.position.at)] : [];
  return dotted(phrase('bus', { bus: bus.bus }), delay(bus.delay_s), phrase(`seats.${seatBand(bus.seats)}`), ...age);
}

/** @param {string} id */
async function showLine(id) {
  const { name, route, buses, stop: stopName, zone } = await load(id);
  // Who goes from stop to stop by the keyboard stays where they are.
  const focused = document.activeElement?.getAttribute('href');
  show(phrase('line', { line: name }), '#');
  for (const pattern of route.patterns) {
    const list = element('ol', { className: 'string' });
    for (const [index, { stop }] of pattern.stops.entries()) {
      const coming = [...buses.values()].filter((bus) => bus.pattern === pattern.id);
      const here = coming.filter((bus) => bus.next_stop?.index === index);
      for (const bus of here) list.append(element('li', { className: 'bus' }, ...busText(bus)));
      const next = coming.flatMap((bus) => bus.etas ?? []).filter((eta) => eta.index === index).sort((a, b) => a.at - b.at)[0];
      const href = `#${encodeURIComponent(id)}/${encodeURIComponent(stop)}`;
      const time = element('span', { className: 'time' }, next ? clock(next.at, zone) : '');
      list.append(element('li', {}, element('a', { href }, element('span', { className: 'grow' }, stopName(stop)), time)));
    }
    main.append(element('h2', {}, pattern.headsign ? phrase('towards', { place: pattern.headsign }) : phrase('stops.all')), list);
  }
  if (focused?.includes('/')) [...main.querySelectorAll('a')].find((one) => one.getAttribute('href') === focused)?.focus();
}

/** @param {string} id @param {string} stop */
async function showStop(id, stop) {
  const { name, stop: stopName, zone } = await load(id);
  show(stopName(stop), `#${encodeURIComponent(id)}`);
  const list = element('ul');
  main.append(requestList(), element('h2', {}, phrase('stop.comes', { line: name })), list);
  const { arrivals } = await hub.call('line.eta', { line: id, stop });
  for (const one of arrivals) {
    const text = one.scheduled ? phrase(isTomorrow(one.eta) ? 'timetable.tomorrow' : 'timetable') : span(one.eta);
    const note = element('span', { className: 'soft' }, text);
    const way = element('span', { className: 'grow' }, one.headsign ?? '', element('br'), note);
    list.append(element('li', { className: 'card row' }, way, element('span', { className: 'time' }, clock(one.eta.at, zone))));
  }
  if (!arrivals.length) list.append(element('li', {}, phrase('departures.none')));
  main.append(element('h2', {}, phrase('ask')), requestForm(id, stop));
}

/**
 * Events that say more than the state.
 * @type {Record<string, string>}
 */
const WORDS = { 'stop.near': 'near', 'stop.arrived': 'arrived' };

/** What was asked for, and how it stands. */
function requestList() {
  const rows = [...requests.values()].map((one) => {
    const due = one.eta?.clock ?? '';
    const where = phrase('line', { line: names.get(one.line) ?? one.line });
    const text = element('span', { className: 'grow' }, where, ': ', phrase(`request.${one.word ?? one.state}`));
    const row = element('li', { className: 'card row' }, text, element('span', { className: 'time' }, due));
    if (one.state === 'requested' || one.state === 'accepted') {
      const isOut = hub.pending.some(({ cmd, fields }) => cmd === 'stop.cancel' && fields.request === one.request);
      const button = element('button', { className: 'second', type: 'button', disabled: isOut }, phrase('request.back'));
      button.addEventListener('click', async () => {
        if (!confirm(say('request.confirm'))) return;
        button.disabled = true;
        await hub.call('stop.cancel', { request: one.request }).catch(fail);
        draw();
      });
      row.append(button);
    }
    return row;
  });
  return element('ul', { ariaLive: 'polite', className: 'requests' }, ...rows);
}

/** @param {string} id @param {string} stop */
function requestForm(id, stop) {
  const name = element('input', { type: 'text', autocomplete: 'name', required: true, maxLength: 64 });
  const help = element('input', { type: 'checkbox' });
  const said = element('p', { role: 'status' });
  const send = element('button', {}, phrase('ask.send'));
  const form = element(
    'form',
    { className: 'card' },
    element('label', {}, phrase('ask.name'), name),
    element('label', { className: 'check' }, help, phrase('ask.wheelchair')),
    send,
    said,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    // Touched twice it would be asked twice.
    send.disabled = true;
    try {
      const fields = { line: id, stop, name: name.value.trim(), ...(help.checked ? { help: ['wheelchair'] } : {}) };
      said.replaceChildren(phrase(hub.state === 'live' ? 'ask.asking' : 'ask.waits'));
      await hub.call('stop.request', /** @type {any} */ (fields));
      said.replaceChildren(phrase('ask.done'));
    } catch (error) {
      said.replaceChildren(explained(error));
    }
    send.disabled = false;
  });
  return form;
}

/** What is shown is drawn anew; a form that somebody fills in stays. */
function draw() {
  const [id, stop] = location.hash.slice(1).split('/').map(decoded);
  const list = main.querySelector('.requests');
  if (list) list.replaceWith(requestList());
  if (id && stop === undefined) showLine(id).catch(fail);
}

async function go() {
  const [id, stop] = location.hash.slice(1).split('/').map(decoded);
  try {
    if (stop !== undefined) await showStop(id, stop);
    else if (id) await showLine(id);
    else await showLines();
    byId('title').focus();
  } catch (error) {
    show(phrase('buses'), '#');
    fail(error);
  }
}

// What comes

hub.on('snapshot', (data) => {
  requests.clear();
  for (const one of /** @type {any} */ (data).requests ?? []) requests.set(one.request, one);
  draw();
});
hub.on(/** @type {any} */ ('*'), (/** @type {any} */ data, /** @type {any} */ message) => {
  const type = message?.type ?? '';
  if (!type.startsWith('stop.') || !data.request) return;
  const word = WORDS[type];
  const state = type === 'stop.pending' ? 'requested' : data.state ?? type.slice(5);
  requests.set(data.request, { ...requests.get(data.request), ...data, state, word });
  draw();
});

addEventListener('hashchange', go);
go();
// How old a position is goes on without the hub.
setInterval(draw, 10_000);
keep();
