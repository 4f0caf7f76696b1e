// The control room: for operators. Anybody else is told whom it is for, and nothing is asked of the hub.

import { phrase } from '../assets/language.js';
import { byId, element } from '../assets/page.js';
import { signedIn } from '../assets/sign-in.js';

const { role } = signedIn('operator');
document.title = byId('title').textContent;
if (role === 'operator') {
  await import('./room.js');
} else {
  document.body.classList.add('shut');
  byId('main').append(
    element('h2', {}, phrase('control.shut')),
    element('p', {}, phrase(role ? 'control.shut.other' : 'control.shut.nobody')),
    element('p', { className: 'soft' }, phrase('control.shut.how')),
  );
}
