// Lines, their stops, the buses on them, and a stop on request: for everybody, without an account.

import { Kerbside, localStore } from '../assets/kerbside/kerbside.js';
import { guestToken } from '../assets/sign-in.js';

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);
const main = byId('main');
const hub = new Kerbside({
  url: `${location.origin.replace(/^http/, 'ws')}/v1/connect`,
  token: guestToken,
  storage: localStore(),
});

/** Its requests for stops, as they stand: by id. */
const requests = new Map();
/** Of lines, by id. */
const names = new Map();
/** The buses of the line that is shown, by tour. */
const buses = new Map();
/** @type {any} */
let line;
/** @type {any} */
let channel;

/**
 * An element. Text is never read as HTML.
 * @param {string} name @param {Record<string, any>} [properties] @param {...(Node | string)} content
 */
function element(name, properties = {}, ...content) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...content);
  return made;
}

/** @param {string} path */
async function read(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error((await answer.json()).detail ?? 'The hub does not answer.');
  return answer.json();
}

/** @param {{ at: number }} eta */
const isTomorrow = (eta) => eta.at - hub.time > 12 * 3_600_000;

/** @param {{ clock: string, early?: number, late?: number, at: number }} eta */
function span(eta) {
  if (eta.early === undefined || eta.late === undefined) return '';
  /** @param {number} ms */
  const minutes = (ms) => Math.max(0, Math.round((ms - hub.time) / 60_000));
  const [from, to] = [minutes(eta.early), minutes(eta.late)];
  return from === to ? `in ${to} min` : `in ${from} to ${to} min`;
}

const SEATS = [
  [0.5, 'many seats free'],
  [0.2, 'some seats free'],
  [0.001, 'few seats free'],
  [0, 'no seat free'],
];

/** @param {{ free: number, total: number }} [seats] */
function seatText(seats) {
  if (!seats?.total) return 'seats not known';
  return String(SEATS.find(([least]) => seats.free / seats.total >= Number(least))?.[1]);
}

/** @param {number} at */
function age(at) {
  const seconds = Math.max(0, Math.round((hub.time - at) / 1000));
  return seconds < 90 ? `seen ${seconds} s ago` : `seen ${Math.round(seconds / 60)} min ago`;
}

// Views

/** @param {string} title @param {string} [back] */
function show(title, back) {
  byId('title').textContent = title;
  document.title = title;
  byId('back').hidden = back === undefined;
  byId('back').href = back ?? '#';
  main.replaceChildren();
}

/** @param {unknown} error */
function fail(error) {
  const text = error instanceof Error ? error.message : String(error);
  main.append(element('p', { className: 'alarm' }, `${text} `), element('a', { href: location.hash || '#' }, 'Try again'));
}

async function showLines() {
  show('Buses');
  const [{ lines }, { stops }] = await Promise.all([read('/v1/lines'), read('/v1/stops')]);
  for (const one of lines) names.set(one.id, one.name);
  if (!lines.length) main.append(element('p', {}, 'No line runs here yet.'));
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
          const on = element('span', { className: 'soft' }, `line ${names.get(id) ?? id}`);
          return element('li', {}, element('a', { className: 'card', href }, stop.name, on));
        }),
      ),
    );
    if (wanted && !hits.length) found.append(element('li', { className: 'soft' }, 'No stop has that in its name.'));
  });
  const search = stops.length ? [element('label', {}, 'Find a stop by its name', field), found] : [];
  main.append(requestList(), ...search, element('h2', {}, 'Lines'), list);
}

/** @param {string} id */
async function load(id) {
  if (line?.id === id) return;
  channel?.close();
  buses.clear();
  const { route, stops } = await read(`/v1/routes/${encodeURIComponent(id)}`);
  const stopNames = new Map(stops.map((/** @type {any} */ stop) => [stop.id, stop.name]));
  line = { id, route, name: route.name || id, stop: (/** @type {string} */ stop) => stopNames.get(stop) ?? stop };
  names.set(id, line.name);
  channel = hub.subscribe(`line:${id}`);
  channel.on('snapshot', (/** @type {any} */ data) => {
    buses.clear();
    for (const bus of data.buses) buses.set(bus.tour, bus);
    draw();
  });
  channel.on('*', (/** @type {any} */ data, /** @type {any} */ message) => {
    if (!data?.tour) return;
    if (message.type === 'bus') buses.set(data.tour, data);
    else if (/ended|lost/.test(message.type)) buses.delete(data.tour);
    draw();
  });
}

/** @param {any} bus */
function busText(bus) {
  const late = Math.round((bus.delay_s ?? 0) / 60);
  const delay = late > 1 ? `${late} min late` : late < -1 ? `${-late} min early` : 'on time';
  return `Bus ${bus.bus} · ${delay} · ${seatText(bus.seats)} · ${age(bus.position.at)}`;
}

/** @param {string} id */
async function showLine(id) {
  await load(id);
  show(`Line ${line.name}`, '#');
  for (const pattern of line.route.patterns) {
    const list = element('ol', { className: 'string' });
    for (const [index, { stop }] of pattern.stops.entries()) {
      const coming = [...buses.values()].filter((bus) => bus.pattern === pattern.id);
      const here = coming.filter((bus) => bus.next_stop?.index === index);
      for (const bus of here) list.append(element('li', { className: 'bus' }, busText(bus)));
      const next = coming.flatMap((bus) => bus.etas ?? []).filter((eta) => eta.index === index).sort((a, b) => a.at - b.at)[0];
      const href = `#${encodeURIComponent(id)}/${encodeURIComponent(stop)}`;
      const time = element('span', { className: 'time' }, next ? next.clock : '');
      list.append(element('li', {}, element('a', { href }, element('span', { className: 'grow' }, line.stop(stop)), time)));
    }
    main.append(element('h2', {}, pattern.headsign ? `To ${pattern.headsign}` : 'All stops'), list);
  }
}

/** @param {string} id @param {string} stop */
async function showStop(id, stop) {
  await load(id);
  show(line.stop(stop), `#${encodeURIComponent(id)}`);
  const list = element('ul');
  main.append(requestList(), element('h2', {}, `Line ${line.name} comes at`), list);
  const { arrivals } = await hub.call('line.eta', { line: id, stop });
  for (const one of arrivals) {
    const day = isTomorrow(one.eta) ? 'tomorrow, ' : '';
    const text = one.scheduled ? `${day}by the timetable` : span(one.eta);
    const note = element('span', { className: 'soft' }, text);
    const way = element('span', { className: 'grow' }, one.headsign ?? '', element('br'), note);
    list.append(element('li', { className: 'card row' }, way, element('span', { className: 'time' }, one.eta.clock)));
  }
  if (!arrivals.length) list.append(element('li', {}, 'No bus comes in the next 24 hours.'));
  main.append(element('h2', {}, 'Ask the bus to stop'), requestForm(id, stop));
}

/** @type {Record<string, string>} */
const WORDS = { 'stop.near': 'the bus is near', 'stop.arrived': 'the bus is here' };
/** @type {Record<string, string>} */
const STATES = {
  requested: 'waits for the driver’s answer',
  accepted: 'the bus will stop',
  declined: 'the bus will not stop',
  expired: 'has lapsed',
  completed: 'you are on the bus',
  noshow: 'the bus waited in vain',
  cancelled: 'taken back',
};

/** What was asked for, and how it stands. */
function requestList() {
  const rows = [...requests.values()].map((one) => {
    const state = one.word ?? STATES[one.state] ?? one.state;
    const due = one.eta?.clock ?? '';
    const text = element('span', { className: 'grow' }, `Line ${names.get(one.line) ?? one.line}: ${state}`);
    const row = element('li', { className: 'card row' }, text, element('span', { className: 'time' }, due));
    if (one.state === 'requested' || one.state === 'accepted') {
      const button = element('button', { className: 'second', type: 'button' }, 'Take back');
      button.addEventListener('click', async () => {
        if (confirm('Take this request back?')) await hub.call('stop.cancel', { request: one.request }).catch(fail);
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
  const form = element(
    'form',
    { className: 'card' },
    element('label', {}, 'Your name, for the driver', name),
    element('label', { className: 'check' }, help, 'I come with a wheelchair'),
    element('button', {}, 'Ask for this stop'),
    said,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      const fields = { line: id, stop, name: name.value.trim(), ...(help.checked ? { help: ['wheelchair'] } : {}) };
      said.textContent = hub.state === 'live' ? 'Asking …' : 'It is sent as soon as there is a connection.';
      await hub.call('stop.request', /** @type {any} */ (fields));
      said.textContent = 'Asked. The answer appears above.';
    } catch (error) {
      said.textContent = /** @type {any} */ (error).error?.detail ?? String(error);
    }
  });
  return form;
}

/** What is shown is drawn anew; a form that somebody fills in stays. */
function draw() {
  const [id, stop] = location.hash.slice(1).split('/').map(decodeURIComponent);
  const list = main.querySelector('.requests');
  if (list) list.replaceWith(requestList());
  if (id && stop === undefined) showLine(id).catch(fail);
}

async function go() {
  const [id, stop] = location.hash.slice(1).split('/').map(decodeURIComponent);
  try {
    if (stop !== undefined) await showStop(id, stop);
    else if (id) await showLine(id);
    else await showLines();
    byId('title').focus();
  } catch (error) {
    fail(error);
  }
}

// What comes

const LINK = {
  live: '',
  closed: 'Not connected.',
  connecting: 'Connecting …',
  waiting: 'No connection. It comes back by itself.',
};
hub.on('state', ({ state }) => (byId('link').textContent = LINK[state]));
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
addEventListener('online', () => hub.wake());
hub.start();
go();
// How old a position is goes on without the hub.
setInterval(draw, 10_000);
