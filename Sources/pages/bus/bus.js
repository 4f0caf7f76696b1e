// For drivers of community buses: a tour from its choice to its end, at the wheel.

import { sure } from '../assets/ask.js';
import { Awake } from '../assets/awake.js';
import { followLine } from '../assets/buses.js';
import { keep, tellWhenClosed } from '../assets/closed.js';
import { localStore } from '../assets/kerbside/kerbside.js';
import { clock, language, phrase, say } from '../assets/language.js';
import { byId, connect, element, explained, linkState, read } from '../assets/page.js';
import { signedIn } from '../assets/sign-in.js';
import { Alarm } from './alarm.js';
import { Choice, choiceView } from './choice.js';
import { Fixes } from './device.js';
import { drivingView } from './driving.js';
import { UNKNOWN, people, told, unheard, withTour } from './duty.js';
import { content } from './morph.js';
import { Notices } from './notices.js';
import { Seats } from './seats.js';
import { placeName, spoken } from './stops.js';
import { Voice } from './voice.js';

const main = byId('main');
const RETRY = 5_000;
/** The time zone while that of the line is not known. */
const DEVICE = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** What has gone wrong is said for so long. */
const SHOWN = 30_000;
/** Requests that have rung on this device: a page that is loaded anew does not ring again. */
const HEARD = 'kerbside.bus.heard';
const heard = new Set(JSON.parse(localStorage.getItem(HEARD) ?? '[]'));

/**
 * Commands that wait, by what people call them.
 * @type {Record<string, string>}
 */
const ACTS = {
  'tour.start': 'bus.start',
  'tour.end': 'bus.end',
  'seats.set': 'bus.seats',
  'stop.accept': 'bus.accept',
  'stop.decline': 'bus.decline',
  'stop.complete': 'bus.boarded',
  'stop.noshow': 'bus.missing',
  'stop.next': 'bus.passed',
  'stop.previous': 'bus.previous',
  sos: 'bus.sos',
  'sos.cancel': 'bus.sos.cancel',
};

/**
 * Why a command is not possible now, where the hub says so in English only.
 * @type {Record<string, string>}
 */
const NOT_NOW = { 'tour.start': 'bus.start.refused', 'stop.noshow': 'bus.missing.refused' };

/** @param {{ error: any, cmd: string }} fault */
function why({ error, cmd }) {
  const words = NOT_NOW[cmd];
  return language !== 'en' && words && error.error?.code === 'not_available' ? phrase(words) : explained(error);
}

/**
 * Nobody has signed in, or somebody else.
 * @param {string | undefined} role
 */
function refuse(role) {
  main.replaceChildren(element('p', {}, phrase(role ? 'bus.other' : 'bus.invitation')));
}

function drive() {
  let duty = UNKNOWN;
  /** @type {import('../assets/buses.js').Line | undefined} */
  let line;
  /** @type {string | undefined} the line that is being read */
  let loading;
  let hasLists = false;
  /** @type {{ error: any, at: number, cmd: string } | undefined} what has gone wrong last */
  let fault;
  /** @type {number | undefined} */
  let lost;
  let wasLive = false;
  const choice = new Choice();

  const hub = connect(
    localStore('kerbside.bus:'),
    (state) => {
      if (state === 'live') wasLive = true;
      lost = state === 'live' || !wasLive ? undefined : lost ?? hub.time;
      if (state === 'closed') return phrase('bus.closed');
      return lost === undefined ? linkState(state) : phrase('bus.lost', { time: clock(lost, line?.zone ?? DEVICE) });
    },
    'bus_driver',
  );
  /** @param {any} error @param {string} [cmd] */
  const fail = (error, cmd = '') => {
    fault = { error, at: Date.now(), cmd };
    draw();
  };
  const voice = new Voice(draw);
  const fixes = new Fixes(hub, draw);
  const screen = new Awake();
  const seats = new Seats(hub);
  const alarm = new Alarm(hub, () => fixes.last);
  const notices = new Notices(hub, (text, isSilent) => {
    if (!isSilent) voice.ring();
    if (!isSilent) voice.speak(text);
    draw();
  });

  /** What is to be heard, once. */
  function announce() {
    const news = unheard(duty, heard);
    if (!news.length) return;
    for (const { place } of news) for (const one of place.requests) heard.add(one.request);
    localStorage.setItem(HEARD, JSON.stringify([...heard].slice(-100)));
    if (news.some((one) => one.rings)) voice.ring();
    const texts = news.map(({ place }) => spoken(place, line));
    byId('said').textContent = texts.join('. ');
    for (const [index, text] of texts.entries()) if (news[index]?.isSaid) voice.speak(text);
  }

  /** Who has no link any more, and gets none, is not looked for. */
  function sense() {
    const isDriving = Boolean(duty.tour) && hub.state !== 'closed';
    fixes.isOn = isDriving;
    screen.want(isDriving);
  }

  /** @param {import('./duty.js').Duty} next */
  function take(next) {
    duty = next;
    sense();
    if (duty.isKnown && !duty.tour && duty.ended && choice.line !== duty.ended.line) choice.pick('line', duty.ended.line);
    draw();
  }

  // What is read

  async function readLists() {
    try {
      const [{ buses }, { lines }] = await Promise.all([read('/v1/buses'), read('/v1/lines')]);
      hasLists = true;
      choice.take(buses, lines);
      draw();
    } catch {
      setTimeout(readLists, RETRY);
    }
  }

  /** The line that is driven or chosen. */
  async function follow() {
    const id = duty.tour?.line ?? (hasLists && duty.isKnown ? choice.line : '');
    if (!id || id === line?.id || id === loading) return;
    loading = id;
    line?.channel.close();
    line = undefined;
    try {
      const found = await followLine(hub, id, draw);
      if (loading !== id) return found.channel.close();
      found.channel.on('snapshot', ({ buses }) => buses.forEach(ofOwn));
      found.channel.on('bus', ofOwn);
      line = found;
      loading = undefined;
      draw();
    } catch {
      setTimeout(() => {
        if (loading === id) loading = undefined;
        draw();
      }, RETRY);
    }
  }

  /**
   * The line tells of each change; the own channel only of stops.
   * @param {any} bus
   */
  function ofOwn(bus) {
    if (bus.tour === duty.tour?.tour && bus.state === 'running') take(withTour(duty, bus));
  }

  // What is done

  /**
   * @template {'tour.start' | 'tour.end' | 'stop.accept' | 'stop.decline' | 'stop.complete' | 'stop.noshow' | 'stop.next' | 'stop.previous'} C
   * @param {C} cmd
   * @param {import('../assets/kerbside/messages').Commands[C]} fields
   */
  function act(cmd, fields) {
    fault = undefined;
    hub.call(cmd, fields);
    draw();
  }

  /** @param {string} request */
  const placeOf = (request) => duty.places.find((place) => place.requests.some((one) => one.request === request));

  /**
   * The request, and all others of its place that the driver sees in the same state.
   * @param {string} request
   */
  function answered(request) {
    const place = placeOf(request);
    const state = place?.requests.find((one) => one.request === request)?.state;
    const same = place?.requests.filter((one) => one.state === state) ?? [];
    return { request, ...(state === 'requested' && same.length > 1 ? { all: true } : {}) };
  }

  /** @type {Record<string, (value: string) => unknown>} */
  const ACTIONS = {
    start() {
      choice.keep();
      act('tour.start', choice.fields(chosen()));
    },
    async end() {
      const open = people(duty.places.flatMap((place) => place.requests));
      const detail = open ? phrase('bus.end.open', { count: open }) : phrase('bus.end.then');
      if (await sure(phrase('bus.end.ask'), [detail], phrase('bus.end'))) act('tour.end', {});
    },
    accept: (request) => act('stop.accept', answered(request)),
    async decline(request) {
      const place = placeOf(request);
      const name = place ? placeName(place, line) : '';
      const question = phrase('bus.decline.ask', { place: name });
      if (await sure(question, [phrase('bus.decline.then')], phrase('bus.decline'))) act('stop.decline', answered(request));
    },
    complete: (request) => act('stop.complete', { request }),
    async noshow(request) {
      const name = placeOf(request)?.requests.find((one) => one.request === request)?.name ?? '';
      if (await sure(phrase('bus.missing.ask', { name }), [phrase('bus.missing.then')], phrase('bus.missing'))) act('stop.noshow', { request });
    },
    passed: () => act('stop.next', {}),
    previous: () => act('stop.previous', {}),
    async skip() {
      const stop = line?.stop(duty.tour?.next_stop?.stop ?? '') ?? '';
      if (await sure(phrase('bus.skip.ask', { stop }), [phrase('bus.skip.then')], phrase('bus.skip'))) act('stop.next', { skip: true });
    },
    seat(by) {
      if (duty.tour) seats.step(Number(by), duty.tour.seats);
    },
    toggle: (kind) => voice.toggle(kind === 'ring' ? 'ring' : 'voice'),
  };
  main.addEventListener('click', (/** @type {any} */ event) => {
    const button = event.target.closest('button');
    // Of a field `change` tells, and it is not to be drawn before.
    if (!button) return;
    ACTIONS[button.name]?.(button.value);
    draw();
  });
  main.addEventListener('change', (/** @type {any} */ { target }) => {
    choice.pick(target.name, target.value);
    draw();
  });

  // What is shown

  /** @returns {import('./choice.js').View} */
  function chosen() {
    const isStarting = hub.pending.some((one) => one.cmd === 'tour.start');
    return { line: line?.id === choice.line ? line : undefined, now: hub.time, ended: duty.ended, isStarting };
  }

  function view() {
    const { tour } = duty;
    if (!duty.isKnown) return hub.state === 'closed' ? [] : [element('p', { className: 'soft' }, phrase('bus.waits'))];
    if (!tour) return hasLists ? choiceView(choice, chosen()) : [];
    return drivingView({
      duty,
      tour,
      line,
      pending: hub.pending,
      now: hub.time,
      wish: seats.wish,
      gps: fixes.failure,
      rings: voice.isOn('ring'),
      speaks: voice.isOn('voice'),
      isSilent: voice.isOn('ring') && !voice.isReady,
    });
  }

  /** What the hub has not taken yet. */
  function waiting() {
    const acts = hub.pending.map((one) => ACTS[one.cmd]).filter((one) => one !== undefined);
    if (hub.state === 'live' || !acts.length) return [];
    return [element('p', { className: 'soft' }, phrase('bus.waiting', { what: [...new Set(acts)].map((one) => say(one)).join(', ') }))];
  }

  function title() {
    const { tour } = duty;
    const pattern = line?.route.patterns.find((/** @type {any} */ one) => one.id === tour?.pattern);
    if (!tour || !line) return [phrase('bus.title')];
    const sign = element('span', { className: 'sign' }, line.name);
    return pattern?.headsign ? [sign, ' ', pattern.headsign] : [sign];
  }

  function draw() {
    follow();
    announce();
    document.body.classList.toggle('driving', Boolean(duty.tour));
    content(byId('title'), title());
    content(byId('waiting'), waiting());
    if (fault && Date.now() - fault.at > SHOWN) fault = undefined;
    const wrong = fault ? [element('p', { className: 'alarm', role: 'alert' }, why(fault))] : [];
    content(main, [...notices.view(), ...wrong, ...view()]);
    alarm.draw();
  }

  // What comes

  hub.on(/** @type {any} */ ('*'), (/** @type {any} */ data, /** @type {any} */ message) => {
    if (message?.type) take(told(duty, message.type, data));
  });
  hub.on('gap', ({ channel }) => {
    if (channel === hub.who) take(told(duty, 'gap', {}));
  });
  hub.on('outcome', ({ cmd, ok, error }) => {
    if (cmd.startsWith('push.')) return;
    if (error) fail({ error }, cmd);
    else if (ok && ['tour.start', 'stop.next', 'stop.previous'].includes(cmd)) take(withTour(duty, ok));
    else if (ok && cmd === 'seats.set' && duty.tour) {
      const { total } = duty.tour.seats;
      take(withTour(duty, { ...duty.tour, seats: { ...duty.tour.seats, taken: total - ok.seats, free: ok.seats } }));
    } else draw();
  });
  hub.on('refused', (error) => {
    if (duty.tour) fail({ error });
  });
  hub.on('state', () => {
    sense();
    draw();
  });
  hub.subscribe('catalog').on('catalog.changed', () => {
    line?.channel.close();
    line = undefined;
    readLists();
  });
  setInterval(draw, 1000);
  readLists();
  tellWhenClosed(hub);
}

const { role } = signedIn('bus_driver');
if (role === 'bus_driver') drive();
else {
  keep();
  refuse(role);
}
