// A page that is closed: its files are kept for a start without a network, and who wishes it is told by pushes (sw.js).

import { language, phrase } from './language.js';
import { element, read } from './page.js';

/** The folder of the page: each has a worker, and a subscription, of its own. */
const PAGE = new URL('.', location.href).pathname;

/**
 * Has the page start without a network from now on. Nothing: this browser can't, or not at this address.
 * @returns {Promise<ServiceWorkerRegistration | undefined>}
 */
export async function keep() {
  if (!('serviceWorker' in navigator)) return undefined;
  const worker = await navigator.serviceWorker.register('/sw.js', { scope: PAGE, updateViaCache: 'none' }).catch(() => undefined);
  // The worker can't read what is kept here; it speaks the same language.
  if (worker) await (await caches.open('kerbside said')).put('/language', new Response(language));
  return worker;
}

/**
 * @param {PushManager} manager @param {string} key of the hub
 * @returns {Promise<PushSubscription>} with that key: with the one of before nothing would come any more
 */
async function subscribe(manager, key) {
  const wish = { userVisibleOnly: true, applicationServerKey: key };
  return manager.subscribe(wish).catch(async (error) => {
    const old = await manager.getSubscription();
    if (!old) throw error;
    await old.unsubscribe();
    return manager.subscribe(wish);
  });
}

/**
 * The switch in the footer, where browser and hub can do it. Permission is asked for when it is switched on, and never else.
 * @param {import('./kerbside/kerbside.js').Kerbside} hub of who has signed in
 */
export async function tellWhenClosed(hub) {
  const registration = await keep();
  if (!registration || !('PushManager' in window) || !('Notification' in window)) return;
  const { key } = await read('/v1/push/key').catch(() => ({ key: null }));
  if (!key) return;
  const manager = registration.pushManager;
  const box = element('input', { type: 'checkbox', id: 'closed' });
  const said = element('p', { className: 'soft', role: 'status' });
  document.querySelector('footer')?.prepend(element('label', {}, box, phrase('closed.tell')), said);

  async function on() {
    if ((await Notification.requestPermission()) !== 'granted') return 'closed.denied';
    await navigator.serviceWorker.ready;
    const { endpoint, keys } = (await subscribe(manager, key)).toJSON();
    await hub.call('push.subscribe', /** @type {any} */ ({ endpoint, keys }));
    return '';
  }

  async function off() {
    const subscription = await manager.getSubscription();
    await subscription?.unsubscribe();
    if (subscription) await hub.call('push.unsubscribe', { endpoint: subscription.endpoint });
    return '';
  }

  /** @param {() => Promise<string>} change */
  async function turn(change) {
    box.disabled = true;
    const problem = await change().catch(() => 'closed.failed');
    box.disabled = false;
    box.checked = Notification.permission === 'granted' && Boolean(await manager.getSubscription()) && !problem;
    said.replaceChildren(problem ? phrase(problem) : '');
  }

  box.addEventListener('change', () => turn(box.checked ? on : off));
  // The hub forgets who does not come back; and its key may be another.
  if (Notification.permission === 'granted' && (await manager.getSubscription())) await turn(on);
}

/**
 * Who signs out, or whose place somebody takes, is told nothing here any more: the push service says so to the hub.
 * @param {string} page
 */
export async function forget(page) {
  const registration = await navigator.serviceWorker?.getRegistration(page);
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
}
