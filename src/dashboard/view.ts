import { byId } from './dom.ts';

export type Screen = 'signed-out' | 'signed-in';

/** Shows one of the two screens and hides the other. */
export function showScreen(screen: Screen): void {
  byId('signed-out').hidden = screen !== 'signed-out';
  byId('signed-in').hidden = screen !== 'signed-in';
}

/** Shows a notice above the content, a live region for screen readers. An empty text removes it. */
export function notify(text: string, tone: 'info' | 'error' = 'info'): void {
  const notice = byId('notice');
  notice.hidden = text === '';
  notice.classList.toggle('is-error', tone === 'error');
  notice.textContent = text;
}

/** Asks for confirmation before an irreversible action. Escape and Cancel decline; Cancel has the initial focus. */
export function confirmWith(question: { title: string; text: string; yes: string }): Promise<boolean> {
  const dialog = byId<HTMLDialogElement>('confirm');
  byId('confirm-title').textContent = question.title;
  byId('confirm-text').textContent = question.text;
  byId('confirm-yes').textContent = question.yes;
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}

/** Declines an open confirmation, for when the signed-in screen is left underneath it. */
export function dismissConfirm(): void {
  const dialog = byId<HTMLDialogElement>('confirm');
  if (dialog.open) dialog.close('no');
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** Fallback for plain http to another machine, where browsers do not offer the clipboard API. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}

/** Makes a button copy the current `text()` and confirm it for two seconds. */
export function makeCopyButton(id: string, text: () => string): void {
  const node = byId<HTMLButtonElement>(id);
  const label = node.textContent;
  let timer: ReturnType<typeof setTimeout> | undefined;
  node.addEventListener('click', async () => {
    const copied = await copyText(text());
    node.focus();
    node.textContent = copied ? 'Copied' : 'Reveal and copy manually';
    clearTimeout(timer);
    timer = setTimeout(() => {
      node.textContent = label;
    }, 2000);
  });
}
