// A WebSocket for Node, which has none before version 22: RFC 6455 over node:http, as much of it as a hub needs. It tells of
// the hub's pings, which browsers keep to themselves.

import { createHash, randomBytes } from 'node:crypto';
import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { either, eventStream } from './stream.js';
import { SUBPROTOCOL } from './transport.js';

export * from './kerbside.js';

/** A WebSocket, or where none goes through a stream. */
export const nodeLink = () => either(nodeSocket, eventStream);

/** The largest message that is taken, so that a stranger can't fill the memory. */
const LARGEST = 16 * 1024 * 1024;

/** @type {import('./transport.js').Transport} */
export function nodeSocket(url, told) {
  const address = new URL(url);
  const isSecure = address.protocol === 'wss:';
  const key = randomBytes(16).toString('base64');
  /** @type {import('node:net').Socket | undefined} */
  let socket;
  let isOver = false;
  /** @param {number} code @param {string} reason @param {Buffer} [goodbye] */
  const end = (code, reason, goodbye) => {
    if (isOver) return;
    isOver = true;
    if (goodbye) part(goodbye);
    else (socket ?? request).destroy();
    told.closed(code, reason);
  };
  /**
   * Who doesn't read gets no goodbye.
   * @param {Buffer} goodbye
   */
  const part = (goodbye) => {
    socket?.end(goodbye);
    setTimeout(() => (socket ?? request).destroy(), 1000).unref();
  };
  const request = (isSecure ? secure : plain)(url.replace(/^ws/, 'http'), {
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': key,
      'Sec-WebSocket-Protocol': SUBPROTOCOL,
    },
  });
  request.on('error', (/** @type {Error} */ error) => end(1006, error.message));
  request.on('response', (/** @type {import('node:http').IncomingMessage} */ answer) => end(1006, `HTTP ${answer.statusCode}`));
  request.on('upgrade', (/** @type {import('node:http').IncomingMessage} */ answer, /** @type {import('node:net').Socket} */ upgraded,
    /** @type {Buffer} */ head) => {
    socket = upgraded;
    const accepted = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    socket.on('error', (error) => end(1006, error.message));
    socket.on('close', () => end(1006, ''));
    if (isOver) return void socket.destroy();
    if (answer.headers['sec-websocket-accept'] !== accepted || answer.headers['sec-websocket-protocol'] !== SUBPROTOCOL) {
      return end(1006, 'no hub answers there');
    }
    socket.setNoDelay(true);
    const frames = new Frames();
    /** @param {Buffer} bytes */
    const read = (bytes) => {
      for (const { opcode, payload } of frames.take(bytes)) {
        if (isOver) return;
        if (opcode === 1) told.message(payload.toString());
        else if (opcode === 8) {
          end(payload.length < 2 ? 1006 : payload.readUInt16BE(0), payload.toString('utf8', 2), frame(8, payload.subarray(0, 2)));
        }
        if (opcode === 9) socket?.write(frame(10, payload));
        if (opcode === 9 || opcode === 10) told.heard();
        if (opcode < 0) end(1006, 'broken frames');
      }
    };
    told.opened();
    if (head.length) read(head);
    socket.on('data', read);
    return undefined;
  });
  request.end();
  return {
    send: (text) => void socket?.write(frame(1, Buffer.from(text))),
    close(code) {
      if (isOver) return;
      isOver = true;
      const reason = Buffer.alloc(2);
      reason.writeUInt16BE(code);
      part(frame(8, reason));
      if (!socket) request.destroy();
    },
  };
}

/**
 * A client's frame, which is masked.
 * @param {number} opcode
 * @param {Buffer} payload
 */
function frame(opcode, payload) {
  const { length } = payload;
  const extended = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const bytes = Buffer.alloc(2 + extended + 4 + length);
  bytes[0] = 0x80 | opcode;
  bytes[1] = 0x80 | (extended === 0 ? length : extended === 2 ? 126 : 127);
  if (extended === 2) bytes.writeUInt16BE(length, 2);
  if (extended === 8) bytes.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomBytes(4);
  mask.copy(bytes, 2 + extended);
  for (let index = 0; index < length; index += 1) bytes[6 + extended + index] = payload[index] ^ mask[index % 4];
  return bytes;
}

/** What comes, put together to messages; opcode -1 for what is none. */
class Frames {
  #bytes = Buffer.alloc(0);
  /** @type {Buffer[]} */
  #parts = [];
  #opcode = 0;
  #size = 0;

  /** @param {Buffer} more @returns {{ opcode: number, payload: Buffer }[]} */
  take(more) {
    this.#bytes = this.#bytes.length ? Buffer.concat([this.#bytes, more]) : more;
    const messages = [];
    for (;;) {
      const bytes = this.#bytes;
      if (bytes.length < 2) return messages;
      const opcode = bytes[0] & 15;
      let length = bytes[1] & 127;
      const start = length === 126 ? 4 : length === 127 ? 10 : 2;
      if (bytes.length < start) return messages;
      if (length === 126) length = bytes.readUInt16BE(2);
      else if (length === 127) length = Number(bytes.readBigUInt64BE(2));
      if (length + this.#size > LARGEST || bytes[0] & 0x70 || bytes[1] & 0x80) return [...messages, { opcode: -1, payload: bytes }];
      if (bytes.length < start + length) return messages;
      const payload = bytes.subarray(start, start + length);
      this.#bytes = bytes.subarray(start + length);
      if (opcode >= 8) {
        messages.push({ opcode, payload });
        continue;
      }
      if (opcode) this.#opcode = opcode;
      this.#parts.push(payload);
      this.#size += length;
      if (!(bytes[0] & 0x80)) continue;
      messages.push({ opcode: this.#opcode, payload: this.#parts.length === 1 ? payload : Buffer.concat(this.#parts) });
      this.#parts = [];
      this.#size = 0;
    }
  }
}
