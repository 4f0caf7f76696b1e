// The page of drivers of taxis and minibuses: what the hub tells goes into the state, what is touched becomes commands, and all is drawn anew.

import { ask, sure } from '../assets/ask.js';
import { Awake } from '../assets/awake.js';
import { keep, tellWhenClosed } from '../assets/closed.js';
import { localStore } from '../assets/kerbside/kerbside.js';
import { clock, phrase, say } from '../assets/language.js';
import { byId, connect, element, linkState, read } from '../assets/page.js';
import { distance } from '../assets/places.js';
import { ownToken, signedIn } from '../assets/sign-in.js';
import { TOUCHES } from '../assets/sound.js';
import { Ground } from './ground.js';
import { ByHand } from './hand.js';
import { SeatCount, bookings, seats } from './minibus.js';
import { OfferScreen } from './offer.js';
import { Position } from './place.js';
import { Ring } from './ring.js';
import { askRoute, route } from './route.js';
import { Alarm } from './sos.js';
import { TOLD, done, noted, nothing, refused, told } from './state.js';
import { WAITS, advice, duty, ended, isNear, notes, place, queue, ride, section, sound, step } from './views.js';
import { far } from './words.js';

/** An offer whose time is over is taken from the screen after so long, though nobody has said what became of it, ms. */
const OVER = 3000;
/** A position that is looked for longer may never be found, ms. */
const SLOW = 5000;
const main = byId('main');
/** @type {any} */
const claims = signedIn('driver');

/** Only drivers: anybody else is told whom the page is for. */
function notForYou() {
  const who = claims.role ? [element('p', {}, phrase('drive.other', { subject: claims.sub }))] : [];
  main.append(section('invitation', 'card', element('h2', {}, phrase('drive.invitation')), element('p', {}, phrase('drive.invitation.text')), ...who));
}

/**
 * What has changed takes the place of what was there; who is at a button by the keyboard stays at it.
 * @param {Element} parent @param {Element[]} parts each with an id
 */
function patch(parent, parts) {
  const focused = /** @type {HTMLButtonElement | null} */ (document.activeElement);
  const { act } = focused?.dataset ?? {};
  const value = focused?.value;
  const isWithin = act !== undefined && parent.contains(focused);
  for (const old of [...parent.children]) if (!parts.some((part) => part.id === old.id)) old.remove();
  for (const [index, part] of parts.entries()) {
    const old = [...parent.children].find((one) => one.id === part.id);
    if (!old) parent.insertBefore(part, parent.children[index] ?? null);
    else if (!old.isEqualNode(part)) renew(old, part);
  }
  if (!isWithin || document.activeElement === focused) return;
  const buttons = [.../** @type {NodeListOf<HTMLButtonElement>} */ (parent.querySelectorAll('[data-act]'))];
  (buttons.find((one) => one.dataset.act === act && one.value === value) ?? byId('title')).focus();
}

/**
 * Within what is read aloud by itself only what is new may be new.
 * @param {Element} old @param {Element} part
 */
function renew(old, part) {
  if (old.id !== 'notes') return old.replaceWith(part);
  const [now, then] = [[...part.children], [...old.children]];
  for (const one of then) if (!now.some((other) => other.isEqualNode(one))) one.remove();
  for (const one of now) if (!then.some((other) => other.isEqualNode(one))) old.append(one);
}

function drive() {
  let state = nothing();
  let isGoing = false;
  /** Since when the position is looked for, to go on duty. */
  let goingSince = 0;
  /** Nothing but the position was missing to go on duty. */
  let isBarred = false;
  /**
   * Since when there is no link, by the hub's time.
   * @type {number | undefined}
   */
  let lost;
  let wasLive = false;
  /** Why there will be no link any more. */
  let closed = '';
  /** @type {Map<string, string>} */
  const zones = new Map();
  /** @type {import('./route.js').Line[] | undefined} */
  let lines;
  const ring = new Ring();
  const awake = new Awake();
  const count = new SeatCount();
  const screen = new OfferScreen();
  const ground = new Ground();

  const hub = connect(localStore('kerbside.drive:'), (link) => {
    if (link === 'live') wasLive = true;
    lost = link === 'live' || !wasLive ? undefined : lost ?? hub.time;
    return link === 'waiting' && lost !== undefined ? phrase('drive.lost', { time: clock(lost) }) : linkState(link);
  }, 'driver');
  const position = new Position({ send: (fix) => hub.position(fix), changed: draw });
  const byHand = new ByHand();
  const alarm = new Alarm(hub, () => position.fix, draw);

  /**
   * Whether a command has no answer yet.
   * @param {string} cmd one, or those of a family @param {string} [id] of the ride or the booking
   */
  const waits = (cmd, id) =>
    hub.pending.some((one) => one.cmd.startsWith(cmd) && (id === undefined || [one.fields.ride, one.fields.booking].includes(id)));

  /** @param {string} zone */
  const zoneName = (zone) => zones.get(zone) ?? zone;

  /** @param {string} cmd @param {any} [fields] */
  function act(cmd, fields = {}) {
    hub.call(/** @type {any} */ (cmd), fields);
    draw();
  }

  /** @param {string} cmd a question @param {any} fields @param {boolean} [isAsked] by the person, who is told why there is no answer */
  async function question(cmd, fields, isAsked = false) {
    try {
      state = done(state, cmd, await hub.call(/** @type {any} */ (cmd), fields), fields);
    } catch (error) {
      if (isAsked) state = refused(state, cmd, /** @type {any} */ (error).error, fields, hub.time);
    }
    draw();
  }

  async function goOn() {
    isGoing = true;
    goingSince = hub.time;
    draw();
    await position.found();
    isGoing = false;
    isBarred = Boolean(position.fault) && !position.isByHand;
    if (isBarred) return draw();
    position.sendNow();
    act('driver.available');
  }

  /** Where the car is, by the driver's word. */
  async function setByHand() {
    const own = state.jobs.flatMap((one) => [
      ...(one.isAboard ? [] : [{ ...one.pickup, name: say('drive.map.pickup') }]),
      ...(one.destination ? [{ ...one.destination, name: say('drive.map.destination') }] : []),
    ]);
    const place = await byHand.ask(position.fix, own);
    if (!place) return;
    // Who is going on duty goes on by it.
    position.put(place);
    if (isBarred && state.duty === 'unavailable') await goOn();
    else if (state.duty !== 'unavailable') position.sendNow();
  }

  async function chooseRoute() {
    const chosen = await askRoute(state.route, lines ?? []);
    if (chosen !== undefined && chosen !== (state.route ?? null)) act('route.set', { route: chosen });
  }

  /** @param {string} id */
  const job = (id) => state.jobs.find((one) => one.id === id);

  /** @param {string} id @param {string} cmd */
  async function aboard(id, cmd) {
    const one = job(id);
    const { fix } = position;
    const isSure = !one || isNear(one, fix) || !fix
      || (await sure(phrase('drive.aboard.sure'), [phrase('drive.aboard.far', { distance: far(distance(fix, one.pickup)) })], phrase('drive.aboard')));
    if (isSure) act(cmd, cmd === 'ride.aboard' ? { ride: id } : { booking: id });
  }

  /** @param {string} id @param {string} cmd */
  async function end(id, cmd) {
    const isDigital = job(id)?.payment === 'digital';
    const answers = isDigital
      ? [{ value: 'cash', label: phrase('drive.end.cash'), className: 'go' }, { value: 'digital', label: phrase('drive.end.digital'), className: 'go' }]
      : [{ value: 'yes', label: phrase('drive.end'), className: 'go' }];
    const no = { value: '', label: phrase('back'), className: 'second' };
    const answer = await ask(phrase('drive.end.sure'), [element('p', {}, phrase('drive.end.text'))], [no, ...answers]);
    if (!answer) return;
    position.sendNow();
    act(cmd, { ...(cmd === 'ride.end' ? { ride: id } : { booking: id }), ...(answer === 'yes' ? {} : { payment: answer }) });
  }

  /** @param {string} id @param {string} cmd @param {string} word @param {string} text @param {string} yes */
  async function giveUp(id, cmd, word, text, yes) {
    if (await sure(phrase(word), [phrase(text)], phrase(yes))) act(cmd, cmd === 'seat.cancel' ? { booking: id } : { ride: id });
  }

  /**
   * What each button does.
   * @type {Record<string, (value: string) => unknown>}
   */
  const ACTS = {
    duty: () => (state.duty === 'unavailable' ? goOn() : act('driver.unavailable')),
    'offer.accept': (ride) => act('offer.accept', { ride }),
    'offer.decline': (ride) => act('offer.decline', { ride }),
    'seat.accept': (booking) => act('seat.accept', { booking }),
    'seat.decline': (booking) => act('seat.decline', { booking }),
    'ride.aboard': (id) => aboard(id, 'ride.aboard'),
    'seat.aboard': (id) => aboard(id, 'seat.aboard'),
    'ride.end': (id) => end(id, 'ride.end'),
    'seat.end': (id) => end(id, 'seat.end'),
    'ride.cancel': (id) => giveUp(id, 'ride.cancel', 'drive.give.sure', 'drive.give.text', 'drive.give'),
    'ride.noshow': (id) => giveUp(id, 'ride.noshow', 'drive.noshow.sure', 'drive.noshow.text', 'drive.noshow'),
    'seat.cancel': (id) => (job(id)?.isThere
      ? giveUp(id, 'seat.cancel', 'drive.noshow.sure', 'drive.noshow.seat', 'drive.noshow')
      : giveUp(id, 'seat.cancel', 'drive.give.sure', 'drive.give.text', 'drive.give')),
    hand: setByHand,
    route: chooseRoute,
    'seats.less': () => touched(-1),
    'seats.more': () => touched(1),
    rate: (value) => act('trip.rate', { trip: value.split(' ')[0], stars: Number(value.split(' ')[1]) }),
    advice: () => question('advice.get', {}, true),
    'advice.close': () => void (state = { ...state, advice: undefined }),
    'ended.close': () => void (state = { ...state, ended: undefined }),
    'note.close': (value) => void (state = { ...state, notes: state.notes.filter((one) => String(one.number) !== value) }),
    sound: () => ring.choose(!ring.isOn),
    reload: () => location.reload(),
    again: () => {
      closed = '';
      hub.start();
    },
  };

  /** @param {number} free */
  function touched(free) {
    if (state.seats) count.touch(state.seats, free);
    sendSeats();
  }

  function sendSeats() {
    const taken = state.seats && count.next(state.seats);
    if (taken !== undefined) hub.call('seats.set', { taken });
  }

  /** What is sent when the link is back. */
  function waiting() {
    const words = new Set(hub.pending.map(({ cmd }) => WAITS[cmd]).filter(Boolean));
    if (lost === undefined || !words.size) return [];
    return [element('p', {}, phrase('drive.waits')), element('ul', {}, ...[...words].map((word) => element('li', {}, phrase(word))))];
  }

  /** @param {string} reason */
  function ending(reason) {
    const isElsewhere = reason.startsWith('4409');
    const word = isElsewhere ? 'drive.closed.elsewhere' : reason.startsWith('4403') ? 'drive.closed.office' : 'drive.closed.token';
    const again = element('button', { type: 'button' }, phrase('drive.closed.here'));
    again.dataset.act = 'again';
    return section('closed', 'card', element('h2', {}, phrase(word)), ...(isElsewhere ? [again] : []));
  }

  function draw() {
    const { fix, heading, fault } = position;
    const isOn = state.duty !== 'unavailable';
    const isRide = state.jobs.length > 0 && !state.seats;
    const hand = position.isByHand && fix ? byHand.name(fix) : '';
    const isSlow = isGoing && hub.time - goingSince > SLOW;
    const around = { now: hub.time, here: fix, heading, fault, byHand: hand, isGoing, isSlow, isLive: hub.state === 'live', lost, waits, zoneName };
    // Who has no link any more, and gets none, is neither looked for nor called.
    position.want(!closed && (isOn || isGoing || waits('driver.available')), state.jobs.length > 0 || state.offer !== undefined);
    awake.want(!closed && (isOn || isGoing));
    const offer = closed ? undefined : state.offer;
    const answer = offer ? (waits('offer.accept', offer.id) || waits('seat.accept', offer.id) ? 'accept'
      : waits('offer.decline', offer.id) || waits('seat.decline', offer.id) ? 'decline' : '') : '';
    ring.want(offer !== undefined && !offer.isSilent && !answer && offer.until > hub.time);
    screen.draw(offer, { ...around, answer });
    document.body.classList.toggle('driving', isRide);
    document.body.classList.toggle('lost', lost !== undefined);
    byId('waits').replaceChildren(...keep(byId('waits'), [...alarm.line(), ...waiting()]));
    if (closed) {
      byId('bar').replaceChildren();
      byId('ground').hidden = true;
      return patch(main, [ending(closed)]);
    }
    if (!state.isKnown) return undefined;
    const [job] = state.jobs;
    byId('ground').hidden = false;
    const goal = isRide ? (job.isAboard ? job.destination : job.pickup) : undefined;
    ground.draw({ here: fix, heading, zone: isOn ? state.zone : undefined, place: goal, isAboard: isRide && job.isAboard, id: claims.sub });
    const where = isRide ? [ride(state.jobs[0], around)] : state.jobs.length ? bookings(state, around) : [queue(state, around)];
    patch(main, [
      notes(state, around),
      ...ended(state, around),
      ...where,
      ...(isRide ? [] : [duty(state, around)]),
      ...route(state, lines, around),
      ...place(around),
      ...(isRide ? [] : advice(state, around)),
      ...(isRide ? [] : [sound(ring, isOn)]),
    ]);
    return patch(byId('bar'), isRide ? [section('step', '', ...step(state, around))] : isOn ? seats(state, count) : []);
  }

  /**
   * The same words are not read aloud again.
   * @param {Element} old @param {Element[]} made
   */
  function keep(old, made) {
    const [before, after] = [[...old.children].map((one) => one.textContent).join('|'), made.map((one) => one.textContent).join('|')];
    return before === after ? [...old.childNodes] : made;
  }

  // What comes

  for (const type of TOLD) {
    hub.on(/** @type {any} */ (type), (data) => {
      state = told(state, type, data);
      if (type === 'seats.changed') count.counted(/** @type {any} */ (data).taken);
      draw();
    });
  }

  hub.on('outcome', ({ cmd, fields, ok, error }) => {
    if (cmd.startsWith('push.')) return;
    if (cmd === 'seats.set') count.answered();
    state = ok === undefined ? refused(state, cmd, error, fields, hub.time) : done(state, cmd, ok, fields);
    if ((cmd === 'ride.end' || cmd === 'seat.end') && ok?.receipt) question('receipt.get', { trip: ok.ride ?? ok.booking });
    sendSeats();
    draw();
  });

  // A fix that the hub does not believe: said once.
  hub.on('refused', (error) => {
    if (!state.notes.some((one) => one.error?.code === error.code)) state = noted(state, 'bad', 'drive.note.position', { error });
    draw();
  });

  hub.on('state', ({ state: link, reason }) => {
    closed = link === 'closed' ? reason : '';
    if (link === 'live') {
      position.sendNow();
      // A minibus that was lost meanwhile is not told so.
      if (claims.kind === 'minibus' && state.isKnown) question('vehicle.get', { vehicle: claims.sub });
      if (claims.kind === 'minibus') readLines();
      readZones();
    }
    draw();
  });

  async function readZones() {
    const token = await ownToken('driver')();
    if (zones.size || !token) return;
    const known = await read('/v1/zones', token).catch(() => undefined);
    for (const { zone, name } of known?.zones ?? []) zones.set(zone, name ?? zone);
    draw();
  }

  async function readLines() {
    lines = (await read('/v1/lines').catch(() => ({ lines }))).lines ?? [];
    draw();
  }

  // What is touched

  document.addEventListener('click', (event) => {
    const touchedOne = /** @type {HTMLElement} */ (event.target).closest('[data-act]');
    const made = /** @type {HTMLButtonElement | null} */ (touchedOne);
    if (!made || made.disabled) return;
    ACTS[made.dataset.act ?? '']?.(made.value);
    draw();
  });
  for (const type of TOUCHES) addEventListener(type, () => void ring.unlock().then(draw));
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && hub.wake());

  setInterval(() => {
    const { offer } = state;
    if (offer && hub.time > offer.until + OVER) state = noted({ ...state, offer: undefined }, 'bad', 'drive.note.expired');
    draw();
  }, 1000);
  setInterval(() => screen.tick(hub.time), 200);
  tellWhenClosed(hub);
}

byId('title').append(...(claims.role === 'driver' ? [' ', element('span', { className: 'soft' }, claims.sub)] : []));
document.title = byId('title').textContent;
if (claims.role === 'driver') drive();
else {
  keep();
  notForYou();
}
