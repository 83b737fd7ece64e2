import { parseTimestamp } from '../lib/clock.ts';
import { requestLink } from './api.ts';
import { byId, element } from './dom.ts';
import { describeError, formatClockTime } from './format.ts';
import { isApiKey, type Session } from './session.ts';

/** Wires the signed-out view: ask for a link, or open the page with a key at hand. */
export function wireSignIn(onKey: (session: Session) => void): void {
  wireLinkForm();
  const field = byId<HTMLInputElement>('key-field');
  const answer = byId('key-answer');
  byId('key-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const key = field.value.trim();
    const usable = isApiKey(key);
    answer.hidden = usable;
    answer.textContent = usable ? '' : 'A key is svc_live_ and 32 characters of 0–9 and a–f.';
    field.setAttribute('aria-invalid', String(!usable));
    if (!usable) return;
    field.value = '';
    byId('link-answer').replaceChildren();
    onKey({ key, fresh: false });
  });
}

function wireLinkForm(): void {
  const form = byId<HTMLFormElement>('link-form');
  const field = byId<HTMLInputElement>('link-email');
  const answer = byId('link-answer');
  const submit = form.querySelector('button');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (submit) submit.disabled = true;
    answer.replaceChildren();
    try {
      const { expiresAt } = await requestLink(field.value.trim());
      answer.replaceChildren(...sentAnswer(field.value.trim(), expiresAt));
    } catch (error) {
      answer.replaceChildren(element('p', { class: 'error' }, describeError(error)));
    } finally {
      if (submit) submit.disabled = false;
    }
  });
}

function sentAnswer(email: string, expiresAt: string): Node[] {
  const until = parseTimestamp(expiresAt);
  const when = until === undefined ? '' : ` It works once, until ${formatClockTime(until)}.`;
  const sentence = `If this address may sign in, a link is on its way to ${email}.${when} Opened in this browser, it signs in without a further question.`;
  return [element('p', { class: 'success' }, sentence)];
}
