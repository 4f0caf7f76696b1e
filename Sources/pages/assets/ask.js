// What can't be undone asks first: nothing else can be touched meanwhile.

import { phrase } from './language.js';
import { element } from './page.js';

/**
 * @param {Node | string} title
 * @param {(Node | string)[]} content
 * @param {{ value: string, label: Node | string, className?: string }[]} answers the one without a value does nothing: it has the focus,
 *   and is that of the key Escape
 * @returns {Promise<string>} the value of the answer
 */
export function ask(title, content, answers) {
  const head = element('h2', { id: 'question' }, title);
  const buttons = answers.map(({ value, label, className = '' }) => element('button', { type: 'button', className, value }, label));
  const dialog = element('dialog', { className: 'question' }, head, ...content, element('div', { className: 'answers' }, ...buttons));
  dialog.setAttribute('aria-labelledby', 'question');
  document.body.append(dialog);
  dialog.showModal();
  buttons.find((button) => !button.value)?.focus();
  return new Promise((resolve) => {
    for (const button of buttons) button.addEventListener('click', () => dialog.close(button.value));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}

/**
 * Yes or no.
 * @param {Node | string} title
 * @param {(Node | string)[]} lines what follows from it
 * @param {Node | string} yes
 * @param {Node | string} [no]
 */
export async function sure(title, lines, yes, no = phrase('back')) {
  const content = lines.map((line) => element('p', {}, line));
  const answers = [{ value: '', label: no, className: 'second' }, { value: 'yes', label: yes, className: 'danger' }];
  return (await ask(title, content, answers)) === 'yes';
}
