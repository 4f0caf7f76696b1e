// The service worker of a page: it keeps the page's files for a start without a network, and shows what is pushed while the page is closed.
// It never keeps or answers what is under /v1. The hub puts before this line `self.FILES`, the digests of all files by their addresses, and
// `self.VERSION`, which is another one when any of them is: then a browser installs this anew, and takes all files of that version.

const worker = /** @type {any} */ (self);
/** @type {Record<string, string>} */
const FILES = worker.FILES;
/** The page's own folder, as /ride/. */
const PAGE = new URL(worker.registration.scope).pathname;
const PREFIX = `kerbside ${PAGE} `;
const KEPT = PREFIX + worker.VERSION;
/** What the page says to this worker (assets/closed.js). */
const SAID = 'kerbside said';
/** A page that has not come after so long is taken from what is kept, ms. */
const PATIENCE = 4000;
/** Clients that began with what is kept: they go on with it, so that no two versions meet in one page. */
const offline = new Set();

/** @param {string} path @returns {string | undefined} the address under which a file is kept; nothing: it is none of the pages' */
const keyOf = (path) => (path in FILES ? path : path === PAGE ? `${PAGE}index.html` : undefined);

/** @param {string} path */
const isOwn = (path) => path.startsWith(PAGE) || path.startsWith('/assets/');

async function install() {
  const kept = await caches.open(KEPT);
  await Promise.all(
    Object.keys(FILES).filter(isOwn).map(async (path) => {
      const answer = await fetch(path.replace(/\/index\.html$/, '/'), { cache: 'no-cache' });
      // Another hub of the city may be of another version for a while: then it is tried again later.
      const isOf = (answer.headers.get('etag') ?? '').includes(FILES[path]);
      if (!answer.ok || !isOf) throw new Error(`${path} is of another version`);
      await kept.put(path, answer);
    }),
  );
  await worker.skipWaiting();
}

async function activate() {
  for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== KEPT) await caches.delete(name);
  await worker.clients.claim();
}

/** @param {Request} request @param {boolean} isPage */
async function ask(request, isPage) {
  const late = new Promise((_, reject) => { if (isPage) setTimeout(() => reject(new Error('late')), PATIENCE); });
  const answer = await Promise.race([fetch(request), late]);
  // A proxy answers for a hub that is away.
  if (answer.status >= 502) throw new Error(`HTTP ${answer.status}`);
  return answer;
}

/** @param {any} event @param {string} key */
async function answer(event, key) {
  const isPage = event.request.mode === 'navigate';
  const client = isPage ? event.resultingClientId : event.clientId;
  const kept = async () => (await caches.open(KEPT)).match(key);
  if (!isPage && offline.has(client)) return (await kept()) ?? fetch(event.request);
  try {
    return await ask(event.request, isPage);
  } catch (error) {
    const found = await kept();
    if (!found) throw error;
    if (isPage) offline.add(client);
    return found;
  }
}

// What is pushed

/**
 * The text of an event, by its type.
 * @type {Record<string, string>}
 */
const TEXTS = {
  'offer.made': 'push.offer', 'seat.requested': 'push.seats', 'stop.requested': 'push.stop',
  'ride.accepted': 'ride.told.accepted', 'seat.confirmed': 'ride.told.confirmed', 'stop.accepted': 'push.stop.accepted',
  'ride.failed': 'ride.told.failed', 'seat.failed': 'ride.told.failed', 'seat.declined': 'ride.told.declined',
  'stop.declined': 'push.stop.declined', 'stop.expired': 'push.stop.declined', 'stop.cancelled': 'push.stop.declined',
  'ride.cancelled': 'ride.told.cancelled', 'seat.cancelled': 'ride.told.cancelled',
  'ride.near': 'ride.told.near', 'seat.near': 'ride.told.near', 'stop.near': 'ride.told.near',
  'ride.arrived': 'ride.told.here', 'seat.arrived': 'ride.told.here', 'stop.arrived': 'ride.told.here',
  'stop.reminder': 'push.stop.reminder', 'reservation.reminder': 'ride.told.reminder',
  'reservation.assigned': 'push.planned.assigned', 'reservation.failed': 'ride.told.planned.failed',
};

/** @param {string} id @returns {Promise<{ text: string, lang: string }>} in the language of the page, or else in English */
async function textOf(id) {
  const said = await (await caches.open(SAID)).match('/language');
  for (const lang of [(await said?.text()) ?? 'en', 'en']) {
    const path = `/assets/languages/${lang}.json`;
    const catalog = (await (await caches.open(KEPT)).match(path)) ?? (await fetch(path).catch(() => undefined));
    const text = catalog?.ok ? (await catalog.json())[id] : undefined;
    if (text) return { text, lang };
  }
  return { text: 'Kerbside', lang: 'en' };
}

/** @param {any} event of the person's channel, as the page would get it */
async function show({ type, seq, time, data = {} }) {
  const pages = await worker.clients.matchAll({ type: 'window' });
  if (pages.some((/** @type {any} */ page) => page.url.includes(PAGE) && page.visibilityState === 'visible')) return;
  // What becomes of one request takes the place of what was said of it before; the same twice is said once.
  const tag = String(data.ride ?? data.booking ?? data.request ?? data.reservation ?? type);
  const shown = await worker.registration.getNotifications({ tag });
  if (shown.some((/** @type {any} */ one) => one.data?.seq >= seq && one.data?.type === type)) return;
  const { text, lang } = await textOf(TEXTS[type] ?? 'push.other');
  const icon = '/assets/icons/192.png';
  const options = { lang, tag, renotify: !data.silent, silent: Boolean(data.silent), timestamp: time, icon, data: { seq, type } };
  await worker.registration.showNotification(text, options);
}

async function openPage() {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = pages.find((/** @type {any} */ one) => new URL(one.url).pathname === PAGE);
  await (page ? page.focus() : worker.clients.openWindow(PAGE));
}

worker.addEventListener('install', (/** @type {any} */ event) => event.waitUntil(install()));
worker.addEventListener('activate', (/** @type {any} */ event) => event.waitUntil(activate()));
worker.addEventListener('fetch', (/** @type {any} */ event) => {
  const url = new URL(event.request.url);
  const key = event.request.method === 'GET' && url.origin === location.origin ? keyOf(url.pathname) : undefined;
  if (key) event.respondWith(answer(event, key));
});
worker.addEventListener('push', (/** @type {any} */ event) => event.waitUntil(show(event.data?.json() ?? {})));
worker.addEventListener('notificationclick', (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(openPage());
});
