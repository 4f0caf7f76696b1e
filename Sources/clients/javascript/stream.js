// A link for networks that let no WebSocket through: the hub's messages come as server-sent events of one long answer, the client's go by
// requests, one after the other [H2].

import { webSocket } from './transport.js';

/** @type {import('./transport.js').Transport} */
export function eventStream(url, told) {
  const place = url.replace(/^ws/, 'http').replace(/\/connect(\?.*)?$/, '/stream');
  const ending = new AbortController();
  /** @type {string[]} */
  let waiting = [];
  /** @type {{ id: unknown, token: string } | undefined} said, and not answered */
  let hello;
  let [token, session, isOpen, isSaying, isOver] = ['', '', false, false, false];

  /** @param {number} code @param {string} reason */
  function end(code, reason) {
    if (isOver) return;
    isOver = true;
    ending.abort();
    told.closed(code, reason);
  }

  /** @param {string} address @param {string} body */
  const post = (address, body) =>
    fetch(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(session ? { Authorization: `Bearer ${token}` } : {}) },
      body,
      cache: 'no-store',
      signal: ending.signal,
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
      const response = await post(place, first);
      if (!response.ok || !response.body) return end(1006, `HTTP ${response.status}`);
      const reader = response.body.getReader();
      const text = new TextDecoder();
      for (let rest = ''; ; ) {
        const { value, done } = await reader.read();
        if (done) return end(1006, 'the stream has ended');
        const events = (rest + text.decode(value, { stream: true })).split('\n\n');
        rest = events.pop() ?? '';
        for (const event of events) if (!isOver) take(event);
      }
    } catch (error) {
      return end(1006, String(error));
    }
  }

  /** What waits, in one request; what comes meanwhile, in the next. */
  async function say() {
    if (isSaying || !session) return;
    isSaying = true;
    try {
      while (waiting.length && !isOver) {
        const said = waiting;
        waiting = [];
        const response = await post(`${place}/${session}`, said.join('\n'));
        if (!response.ok) end(1006, `HTTP ${response.status}`);
      }
    } catch (error) {
      end(1006, String(error));
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
      waiting.push(text);
      return void say();
    },
    close() {
      isOver = true;
      ending.abort();
    },
  };
}

/** So often in a row a first way that brings nothing is tried before the second. */
const TRIES = 2;

/**
 * The first way; where that brought no message twice in a row, the second. When one ends that did, the first is tried once more [H3].
 * @param {import('./transport.js').Transport} first
 * @param {import('./transport.js').Transport} second
 * @returns {import('./transport.js').Transport}
 */
export function either(first, second) {
  let failures = 0;
  return (url, told) => {
    const isFirst = failures < TRIES;
    let isGood = false;
    const over = () => {
      const [good, bad] = isFirst ? [0, failures + 1] : [TRIES - 1, 0];
      failures = isGood ? good : bad;
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
