// "Share this ride": a link for friends, which the device's own way of sharing sends on, or which is copied.

import { phrase, say } from '../assets/language.js';
import { element } from '../assets/page.js';
import { put, reason } from './words.js';

/**
 * A button that shares the ride, and one that takes it back once it is shared.
 * @param {import('./ride.js').App} app @param {string} ride its id
 */
export function shareBox({ hub, kept }, ride) {
  const said = element('p', { className: 'note', role: 'status' });
  const share = element('button', { type: 'button', className: 'second', id: 'share' }, phrase('ride.share'));
  const stop = element('button', { type: 'button', className: 'second', id: 'unshare' }, phrase('ride.share.stop'));
  const field = element('input', { type: 'text', readOnly: true, ariaLabel: say('ride.share.link'), className: 'wide', hidden: true });
  const link = () => (kept.shared?.ride === ride ? kept.shared.link : undefined);
  const draw = () => void (stop.hidden = link() === undefined);

  /** @param {string} url */
  async function pass(url) {
    try {
      if (navigator.share) {
        await navigator.share({ title: say('ride.share.title'), url });
        return put(said, phrase('ride.share.done'));
      }
      await navigator.clipboard.writeText(url);
      return put(said, phrase('ride.share.copied'));
    } catch (error) {
      // Who thought better of it has chosen nobody.
      if (/** @type {any} */ (error)?.name === 'AbortError') return put(said, phrase('ride.share.done'));
      Object.assign(field, { hidden: false, value: url });
      field.select();
      return put(said, phrase('ride.share.copy'));
    }
  }

  share.addEventListener('click', async () => {
    share.disabled = true;
    try {
      // One link for all friends.
      const path = link() ?? (await hub.call('ride.share', { ride })).link;
      kept.shared = { ride, link: path };
      draw();
      await pass(location.origin + path);
    } catch (error) {
      put(said, element('span', { className: 'alarm' }, reason(error)));
    }
    share.disabled = false;
  });
  stop.addEventListener('click', async () => {
    stop.disabled = true;
    try {
      await hub.call('ride.unshare', { ride });
      kept.shared = undefined;
      field.hidden = true;
      put(said, phrase('ride.share.stopped'));
    } catch (error) {
      put(said, element('span', { className: 'alarm' }, reason(error)));
    }
    stop.disabled = false;
    draw();
  });
  draw();
  return element('section', { className: 'share' }, element('div', { className: 'buttons' }, share, stop), field, said);
}
