// A link for networks that let no WebSocket through: the hub's messages come as server-sent events of one long answer, the client's go by
// requests, one after the other [H2].

import { webSocket } from './transport.js';

/** The hub takes 16 KiB in a request, and answers in a moment: bytes, ms. */
const [FULL, PATIENCE] = [8192, 10_000];
/** Of an event, bytes, so that a stranger can't fill the memory. */
const LARGEST = 16 * 1024 * 1024;

/** @type {import('./transport.js').Transport} */
export function eventStream(url, told) {
  const { protocol, host, pathname } = new URL(url);
  const place = `${protocol.replace('ws', 'http')}//${host}${pathname.replace(/\/connect$/, '')}/stream`;
  const ending = new AbortController();
  /** @type {string[]} */
  const waiting = [];
  /** @type {string[]} */
  const alarms = [];
  /** @type {{ id: unknown, token: string } | undefined} said, and not answered */
  let hello;
  let [token, session, isOpen, isSaying, isOver] = ['', '', false, false, false];
  /** Ends the wait of what was put off. */
  let hurry = () => {};

  /** @param {number} code @param {string} reason */
  function end(code, reason) {
    if (isOver) return;
    isOver = true;
    ending.abort();
    told.closed(code, reason);
  }

  /** @param {string} address @param {string} body @param {AbortSignal} [signal] */
  const post = (address, body, signal) =>
    fetch(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(session ? { Authorization: `Bearer ${token}` } : {}) },
      body,
      cache: 'no-store',
      keepalive: !signal,
      signal,
    });

  /** @param {string} event */
  function take(event) {
    const lines = event.split('\n');
    const data = lines.find((line) => line.startsWith('data: '))?.slice(6);
    if (lines.includes('event: close')) {
      const [, code, reason] = /^(\d+) ?(.*)$/.exec(data ?? '') ?? [];
      return end(Number(code ?? 1006), reason ?? '');
    }
    // A comment is a ping.
    if (!data) return told.heard();
    if (hello) answer(JSON.parse(data), hello);
    told.message(data);
    return say();
  }

  /** @param {any} reply @param {{ id: unknown, token: string }} asked */
  function answer({ id, ok }, asked) {
    if (id !== asked.id) return;
    hello = undefined;
    if (ok) [token, session] = [asked.token, ok.session];
  }

  /** @param {string} first */
  async function open(first) {
    isOpen = true;
    try {
      const response = await post(place, first, ending.signal);
      if (!response.ok || !response.body) return end(1006, `HTTP ${response.status}`);
      const reader = response.body.getReader();
      const text = new TextDecoder();
      for (let rest = ''; ; ) {
        const { value, done } = await reader.read();
        if (done) return end(1006, 'the stream has ended');
        const events = (rest + text.decode(value, { stream: true })).split('\n\n');
        rest = events.pop() ?? '';
        if (rest.length > LARGEST) return end(1006, 'an event without an end');
        for (const event of events) if (!isOver) take(event);
      }
    } catch (error) {
      return end(1006, String(error));
    }
  }

  /** The next request's: an alarm by itself, or what waits, as much as the hub takes. */
  function next() {
    if (alarms.length) return { said: alarms.splice(0, 1), from: alarms };
    let size = 0;
    const count = waiting.findIndex((text) => (size += new TextEncoder().encode(text).length) > FULL);
    return { said: waiting.splice(0, count < 0 ? waiting.length : Math.max(1, count)), from: waiting };
  }

  /** What comes meanwhile goes with the next request; an alarm does not wait for what was put off. */
  async function say() {
    if (isSaying || !session) return;
    isSaying = true;
    while (!isOver && (alarms.length || waiting.length)) {
      const { said, from } = next();
      /** @type {any} */
      const late = setTimeout(() => end(1006, 'no answer'), PATIENCE);
      try {
        const response = await post(`${place}/${session}`, said.join('\n'), ending.signal).finally(() => clearTimeout(late));
        response.body?.cancel();
        if (response.status === 429 || response.status === 503) {
          from.unshift(...said);
          const wait = Number(response.headers.get('Retry-After') ?? 1) * 1000;
          // An alarm that came meanwhile goes at once.
          if (from === waiting && alarms.length) continue;
          await new Promise((done) => {
            if (from === waiting) hurry = () => done(undefined);
            setTimeout(done, Math.min(Math.max(wait, 250), 5000));
          });
        } else if (!response.ok) end(1006, `HTTP ${response.status}`);
      } catch (error) {
        end(1006, String(error));
      }
    }
    isSaying = false;
  }

  queueMicrotask(() => isOver || told.opened());
  return {
    send(text) {
      const { cmd, id, token: given } = JSON.parse(text);
      if (cmd === 'hello') {
        // Refused, it is said again by another stream.
        if (isOpen && !session) return queueMicrotask(() => end(1006, 'hello again'));
        hello = { id, token: given };
        if (!isOpen) return void open(text);
      }
      (cmd === 'sos' ? alarms : waiting).push(text);
      if (cmd === 'sos') hurry();
      return void say();
    },
    close(code) {
      const leaves = code === 1000 && session && !isOver;
      isOver = true;
      // With nothing said the stream is left.
      if (leaves) {
        setTimeout(() => ending.abort(), PATIENCE);
        post(`${place}/${session}`, '').catch(() => {}).finally(() => ending.abort());
      } else ending.abort();
    },
  };
}

/** So often in a row a first way that brings nothing is tried before the second. */
const TRIES = 2;

/**
 * The first way; where that brought no message twice in a row, the second. When one ends that did, the first is tried once before the next [H3].
 * @param {import('./transport.js').Transport} first
 * @param {import('./transport.js').Transport} second
 * @returns {import('./transport.js').Transport}
 */
export function either(first, second) {
  let [failures, isSecondGood] = [0, false];
  return (url, told) => {
    const isFirst = failures < TRIES;
    let isGood = false;
    const over = () => {
      // Which way brought something last.
      if (isGood) isSecondGood = !isFirst;
      if (isFirst) failures = isGood ? 0 : failures + 1;
      else failures = isSecondGood ? TRIES - 1 : 0;
    };
    const link = (isFirst ? first : second)(url, {
      ...told,
      message(text) {
        isGood = true;
        told.message(text);
      },
      closed(code, reason) {
        over();
        told.closed(code, reason);
      },
    });
    return {
      send: (text) => link.send(text),
      close(code) {
        over();
        link.close(code);
      },
    };
  };
}

/** A WebSocket, or where none goes through a stream. */
export const browserLink = () => either(webSocket, eventStream);
