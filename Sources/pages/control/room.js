// The room: map and panel, which view is shown, and what the hub tells to whom.

import { phrase, say } from '../assets/language.js';
import { CityMap, readZones } from '../assets/map.js';
import { byId, decoded, element } from '../assets/page.js';
import { lookOf } from '../assets/vehicles.js';
import { Alarms } from './alarms.js';
import { Calls, callView } from './calls.js';
import { addressOf, ask, button, hub, refill, tell, way, withdraw } from './desk.js';
import { busView, driverView } from './drivers.js';
import { figuresView } from './figures.js';
import { auditView, messagesView, reportsView } from './office.js';
import { Queues } from './queues.js';
import { Requests } from './requests.js';
import { rideView, ridesView } from './rides.js';
import { Search } from './search.js';
import { zoneView, zonesView } from './zones.js';

/**
 * What a view may look at. `news`: ids and channels that have changed.
 * @typedef {object} Room
 * @property {CityMap} map
 * @property {Requests} requests
 * @property {Queues} queues
 * @property {Calls} calls
 * @property {(place: { lat: number, lon: number }, pin?: string) => void} [picked] who wants to know of a place that is chosen
 * @typedef {{ area: HTMLElement, update?: (news: Set<string>) => void, close?: () => void }} View
 */

/** Rides that were asked for before the page was opened, as long ago as this, ms. */
const BEFORE = 30 * 60_000;
/** So long a call is shown, and so long news are new, ms. */
const [A_DAY, FRESH] = [86_400_000, 30_000];
/** How often what has changed is drawn, ms. */
const TICK = 500;
/** Those that have a tab. @type {Record<string, string>} */
const TABS = {
  rides: 'control.rides', zones: 'control.zones', call: 'control.call', messages: 'control.messages', reports: 'control.reports',
  figures: 'control.figures', audit: 'control.audit',
};
const LOOKS = ['taxi-available', 'taxi-busy', 'taxi-unavailable', 'minibus', 'bus', 'old'];

const [place, nav, legend, panel, view] = [
  element('div', { id: 'map' }),
  element('nav', { ariaLabel: say('control.views') }),
  element('ul', { className: 'legend', ariaLabel: say('control.legend') }),
  element('section', { id: 'panel', ariaLabel: say('control.panel') }),
  element('div', { id: 'view' }),
];
const said = element('div', { id: 'said', role: 'status' });
const waits = element('p', { id: 'waits', role: 'status' });
panel.append(nav, view);
const whole = button(phrase('control.whole'), () => room.map.fit());
const city = element('div', { id: 'city' }, place, element('div', { className: 'under' }, legend, whole));
byId('main').append(city, panel, said);

/** @type {Set<string>} */
const news = new Set();
/** @type {Room} */
const room = {
  map: new CityMap(place, {
    label: say('control.map'),
    onVehicle: (id) => {
      const vehicle = hub.vehicles.get(id);
      // Who chooses a place means the place.
      if (vehicle && room.picked) room.picked({ lat: vehicle.lat, lon: vehicle.lon });
      else location.hash = addressOf(id, vehicle?.kind);
    },
    onZone: (zone) => void (location.hash = `#zone/${encodeURIComponent(zone)}`),
    onPick: (at, pin) => room.picked?.(at, pin),
  }),
  requests: new Requests(),
  queues: new Queues(hub, (zones) => zones.forEach((zone) => news.add(`zone:${zone}`))),
  calls: new Calls(() => news.add('calls')),
};
const alarms = new Alarms(byId('alarms'), room.map);
const search = new Search(byId('tools'), room);
byId('link').after(waits);

/** @type {Record<string, (room: Room, id: string) => View>} */
const MAKERS = {
  rides: ridesView, ride: rideView, zones: zonesView, zone: zoneView, driver: driverView, bus: busView, call: callView,
  messages: messagesView, reports: reportsView, figures: figuresView, audit: auditView,
};
/** @type {View | undefined} */
let shown;

function go() {
  const [name, id = ''] = location.hash.slice(1).split('/').map(decoded);
  const known = Object.hasOwn(MAKERS, name) ? name : 'rides';
  withdraw();
  shown?.close?.();
  room.picked = undefined;
  shown = MAKERS[known](room, id);
  view.replaceChildren(shown.area);
  panel.scrollTop = 0;
  const tabs = Object.entries(TABS).map(([one, text]) => {
    const tab = way(`#${one}`, phrase(text));
    if (one === known || { ride: 'rides', zone: 'zones' }[known] === one) tab.setAttribute('aria-current', 'page');
    return tab;
  });
  refill(nav, tabs);
  // Who has chosen something by the keyboard goes on there.
  const title = shown.area.querySelector('h2');
  if (title && location.hash) {
    title.tabIndex = -1;
    title.focus({ preventScroll: true });
  }
}

// What comes

let isFitted = false;
hub.on('vehicles', () => {
  room.map.vehicles(hub.vehicles.values());
  news.add('vehicles');
  if (!isFitted && hub.vehicles.size) {
    isFitted = true;
    room.map.fit(hub.vehicles.values());
  }
});
hub.subscribe('city', { max_rate: 1 }).on('refused', (error) => tell(error.detail));

const events = hub.subscribe('events:>', { since: String(Math.round(hub.time - BEFORE)) });
events.on('*', (data, message) => {
  const { type, time } = message ?? {};
  if (!time) return;
  const id = room.requests.apply(type, data, time);
  if (id) news.add(id).add('requests');
  if (type.startsWith('queue.') || type === 'ride.accepted') room.queues.ask([data.zone]);
  if (data.driver) news.add(`driver:${data.driver}`);
  if (type === 'audit' || type.startsWith('report.')) news.add(type.split('.')[0]);
});

const office = hub.subscribe('office', { since: '0' });
office.on('*', (data, message) => {
  const { type, time } = message ?? {};
  if (!time) return;
  if (type.startsWith('sos.')) alarms.apply(type, data, time);
  if (type === 'caller.told' && hub.time - time < A_DAY) room.calls.apply(data, time);
  if (type === 'report.sent' && hub.time - time < FRESH) tell(phrase('control.report.new'));
});

hub.on('state', async ({ state }) => {
  room.map.old(state !== 'live');
  news.add('link');
  if (state === 'closed') alarms.end();
  if (state !== 'live') return;
  await alarms.load();
  const { zones } = await ask('/v1/zones').catch(() => ({ zones: room.queues.zones }));
  room.queues.know(zones);
  await showOutlines();
});

/** As they are now: an office may have changed them while the link was lost. */
async function showOutlines() {
  const outlines = await readZones().catch(() => undefined);
  if (!outlines || JSON.stringify(outlines) === JSON.stringify(room.queues.outlines)) return;
  room.queues.outlines = outlines;
  room.map.outlines(outlines);
  drawZones();
  if (!isFitted) room.map.fit();
}

function drawLegend() {
  const counts = new Map(LOOKS.map((look) => [look, 0]));
  for (const vehicle of hub.vehicles.values()) {
    const look = lookOf(vehicle);
    const name = look.endsWith('-old') ? 'old' : look;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  refill(legend, LOOKS.map((look) => {
    const text = phrase(`control.look.${look}`, { count: counts.get(look) ?? 0 });
    return element('li', { className: look }, text);
  }));
}

function drawZones() {
  const { queues, places, outlines } = room.queues;
  room.map.zones(outlines.map(({ zone, lat, lon }) => {
    const size = queues.get(zone)?.size ?? 0;
    // Where those who wait stand, so that the sign is beside them.
    const at = size ? places.get(zone) : undefined;
    return { zone, lat, lon, ...at, text: `${zone} · ${size}`, kind: size ? 'plain' : 'empty' };
  }));
}

/** Acts that the hub has not answered yet, if that takes long. */
function drawWaits() {
  const count = hub.state === 'live' ? 0 : hub.pending.length;
  const text = count ? say('control.waits', { count }) : '';
  if (waits.textContent !== text) waits.textContent = text;
}

/** What has come since is drawn at once. */
function tick() {
  drawWaits();
  if (!news.size) return;
  const now = new Set(news);
  news.clear();
  if (now.has('vehicles') || now.has('link')) drawLegend();
  if ([...now].some((one) => one.startsWith('zone:'))) drawZones();
  shown?.update?.(now);
}

room.map.showLines().catch(() => {}).then(() => {
  if (!isFitted) room.map.fit();
});
addEventListener('hashchange', go);
go();
drawLegend();
search.load();
setInterval(tick, TICK);
