import { parseTimestamp } from '../lib/clock.ts';
import { requestLink } from './api.ts';
import { byId, element } from './dom.ts';
import { describeError, formatClockTime } from './format.ts';
import { isApiKey, type Session } from './session.ts';

/** Sets up the signed-out view: request a link, or open the dashboard with an existing key. */
export function wireSignIn(onKey: (session: Session) => void): void {
  wireLinkForm();
  const field = byId<HTMLInputElement>('key-field');
  const answer = byId('key-answer');
  byId('key-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const key = field.value.trim();
    const usable = isApiKey(key);
    answer.hidden = usable;
    answer.textContent = usable ? '' : 'An API key is svc_live_ followed by 32 characters (0–9, a–f).';
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
      answer.replaceChildren(...sentMessage(field.value.trim(), expiresAt));
    } catch (error) {
      answer.replaceChildren(element('p', { class: 'error' }, describeError(error)));
    } finally {
      if (submit) submit.disabled = false;
    }
  });
}

function sentMessage(email: string, expiresAt: string): Node[] {
  const until = parseTimestamp(expiresAt);
  const when = until === undefined ? '' : ` It works once, until ${formatClockTime(until)}.`;
  const sentence = `If this address may sign in, a link is on its way to ${email}.${when} Open it in this browser to skip the confirmation step.`;
  return [element('p', { class: 'success' }, sentence)];
}
