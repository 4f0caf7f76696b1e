// A link to the hub, as the client sees it, and the WebSocket that is one; stream.js has another.

/**
 * What a link tells. Nothing is told after `closed`, nor after the client has closed it.
 * @typedef {object} Told
 * @property {() => void} opened
 * @property {() => void} heard of a ping of the hub, where the transport sees it
 * @property {(text: string) => void} message
 * @property {(code: number, reason: string) => void} closed 1006 if there was no code
 *
 * @typedef {object} Link
 * @property {(text: string) => void} send
 * @property {(code: number) => void} close at once, whether the other end answers or not
 *
 * @typedef {(url: string, told: Told) => Link} Transport
 */

export const SUBPROTOCOL = 'kerbside.v1.json';

/**
 * The WebSocket of browsers.
 * @type {Transport}
 */
export function webSocket(url, told) {
  const socket = new WebSocket(url, SUBPROTOCOL);
  socket.onopen = () => told.opened();
  socket.onmessage = ({ data }) => told.message(data);
  socket.onclose = ({ code, reason }) => told.closed(code === 1005 ? 1006 : code, reason);
  return {
    send: (text) => socket.send(text),
    close(code) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close(code);
    },
  };
}
