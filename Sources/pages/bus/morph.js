// A page that is drawn anew while somebody uses it.

/** @param {any} node */
const keyOf = (node) => node.dataset?.key;

/**
 * Makes the old one like the new one. What is the same stays, and with it the focus; rows with `data-key` are known by that.
 * @param {any} old @param {any} made
 */
export function morph(old, made) {
  if (made.nodeName !== old.nodeName) {
    old.replaceWith(made);
  } else if (made.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== made.data) old.data = made.data;
  } else {
    for (const { name } of [...old.attributes]) if (!made.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of made.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    const { value, checked } = made;
    content(old, made.childNodes);
    // What a field says is no attribute.
    if (made.nodeName === 'INPUT') old.checked = checked;
    if (made.nodeName === 'SELECT' && old.value !== value) old.value = value;
  }
}

/**
 * The same for what is in an element.
 * @param {any} old @param {Iterable<any>} made
 */
export function content(old, made) {
  const wanted = [...made].map((one) => (typeof one === 'string' ? document.createTextNode(one) : one));
  const keys = new Set(wanted.map(keyOf));
  for (const one of [...old.childNodes]) if (!keys.has(keyOf(one))) one.remove();
  for (const [index, one] of wanted.entries()) {
    const there = old.childNodes[index];
    if (!there) old.append(one);
    else if (keyOf(there) === keyOf(one)) morph(there, one);
    else old.insertBefore(one, there);
  }
  while (old.childNodes.length > wanted.length) old.lastChild.remove();
}
