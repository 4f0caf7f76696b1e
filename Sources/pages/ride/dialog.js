// A question that must be answered before something that can't be undone.

import { byId, element } from '../assets/page.js';

/**
 * @param {Node | string} title
 * @param {(Node | string)[]} lines what follows from it
 * @param {Node | string} yes
 * @param {Node | string} no
 * @returns {Promise<boolean>}
 */
export function confirmed(title, lines, yes, no) {
  const heading = element('h2', { id: 'question' }, title);
  const go = element('button', { type: 'button', className: 'danger', id: 'yes' }, yes);
  const stay = element('button', { type: 'button', className: 'second', id: 'no' }, no);
  const box = element(
    'dialog',
    {},
    heading,
    ...lines.map((line) => element('p', {}, line)),
    element('div', { className: 'buttons' }, stay, go),
  );
  box.setAttribute('aria-labelledby', 'question');
  byId('main').append(box);
  return new Promise((resolve) => {
    box.addEventListener('close', () => {
      resolve(box.returnValue === 'yes');
      box.remove();
    });
    go.addEventListener('click', () => box.close('yes'));
    stay.addEventListener('click', () => box.close('no'));
    box.showModal();
    stay.focus();
  });
}
