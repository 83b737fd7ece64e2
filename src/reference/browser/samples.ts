import { readPreference, SAMPLE, storePreference } from './preferences.ts';

/** Shows the page's own address in samples, remembers the kind of sample for all operations, and adds copy buttons. */
export function addSamples(): void {
  for (const origin of document.querySelectorAll('.origin')) origin.textContent = location.origin;
  for (const code of document.querySelectorAll('.panel pre')) code.after(copyButton(code as HTMLElement));
  choose(readPreference(SAMPLE));
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== 'radio') return;
    const before = target.getBoundingClientRect().top;
    choose(target.value);
    storePreference(SAMPLE, target.value);
    // Samples above may have changed their height.
    scrollBy(0, target.getBoundingClientRect().top - before);
  });
}

/** Chooses a kind of sample wherever there is one, and curl elsewhere. */
function choose(kind: string | undefined): void {
  for (const group of document.querySelectorAll('.panel fieldset')) {
    const options = [...group.querySelectorAll('input')];
    const option = options.find(({ value }) => value === kind) ?? options[0];
    if (option) option.checked = true;
  }
}

function copyButton(code: HTMLElement): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  const text = code.textContent;
  button.addEventListener('click', async () => {
    const copied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    button.textContent = copied ? 'Copied' : 'Press Ctrl-C';
    if (!copied) getSelection()?.selectAllChildren(code.firstElementChild ?? code);
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  return button;
}
