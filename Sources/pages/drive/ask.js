// What can't be undone asks first: a question with large answers, and nothing else can be touched meanwhile.

import { phrase } from '../assets/language.js';
import { element } from '../assets/page.js';

/**
 * @param {Node | string} title
 * @param {(Node | string)[]} content
 * @param {{ value: string, label: Node | string, className?: string }[]} answers the last one does nothing, and is that of the key Escape
 * @returns {Promise<string>} the value of the answer
 */
export function ask(title, content, answers) {
  const head = element('h2', { id: 'question', tabIndex: -1 }, title);
  const buttons = answers.map(({ value, label, className = '' }) => element('button', { type: 'button', className, value }, label));
  const dialog = element('dialog', { className: 'question' }, head, ...content, element('div', { className: 'answers' }, ...buttons));
  dialog.setAttribute('aria-labelledby', 'question');
  document.body.append(dialog);
  dialog.showModal();
  head.focus();
  return new Promise((resolve) => {
    let answer = answers.at(-1)?.value ?? '';
    for (const button of buttons) {
      button.addEventListener('click', () => {
        answer = button.value;
        dialog.close();
      });
    }
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(answer);
    });
  });
}

/**
 * Yes or no.
 * @param {Node | string} title @param {Node | string} text @param {Node | string} yes
 */
export async function sure(title, text, yes) {
  const answers = [{ value: 'yes', label: yes, className: 'danger' }, { value: '', label: phrase('drive.back'), className: 'second' }];
  return (await ask(title, [element('p', {}, text)], answers)) === 'yes';
}
