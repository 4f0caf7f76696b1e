// Where the client keeps what must survive the end of the app: names and texts. A method may answer at once or by a promise.

/**
 * @typedef {object} Storage
 * @property {() => [string, string][] | Promise<[string, string][]>} all
 * @property {(name: string, text: string) => void | Promise<void>} put
 * @property {(name: string) => void | Promise<void>} remove
 */

/**
 * Gone with the page or process.
 * @param {Map<string, string>} [kept]
 * @returns {Storage}
 */
export function memoryStorage(kept = new Map()) {
  return {
    all: () => [...kept],
    put: (name, text) => void kept.set(name, text),
    remove: (name) => void kept.delete(name),
  };
}

/**
 * The `localStorage` of browsers. Anybody who can run a script in the page can read it.
 * @param {string} [prefix] of its names: one for each hub
 * @returns {Storage}
 */
export function localStore(prefix = 'kerbside:') {
  const store = globalThis.localStorage;
  return {
    all() {
      const names = Array.from({ length: store.length }, (_, index) => store.key(index) ?? '');
      return names.filter((name) => name.startsWith(prefix)).map((name) => [name.slice(prefix.length), store.getItem(name) ?? '']);
    },
    put: (name, text) => store.setItem(prefix + name, text),
    remove: (name) => store.removeItem(prefix + name),
  };
}

/**
 * The IndexedDB of browsers, also in workers.
 * @param {string} [name] of the database: one for each hub
 * @returns {Storage}
 */
export function indexedStore(name = 'kerbside') {
  /** @type {Promise<IDBDatabase> | undefined} */
  let opening;
  const open = () =>
    new Promise((/** @type {(database: IDBDatabase) => void} */ resolve, reject) => {
      const request = indexedDB.open(name, 1);
      request.onupgradeneeded = () => request.result.createObjectStore('kept');
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  /**
   * Done when it is on the disk.
   * @template T
   * @param {IDBTransactionMode} mode
   * @param {(store: IDBObjectStore) => IDBRequest<T>} what
   */
  const within = async (mode, what) => {
    opening ??= open();
    const transaction = (await opening).transaction('kept', mode);
    const request = what(transaction.objectStore('kept'));
    return new Promise((/** @type {(value: T) => void} */ resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  };
  return {
    all: () => within('readonly', (store) => store.getAll()),
    put: async (key, text) => void (await within('readwrite', (store) => store.put([key, text], key))),
    remove: async (key) => void (await within('readwrite', (store) => store.delete(key))),
  };
}
