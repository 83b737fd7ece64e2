import { signal } from '@preact/signals';
import { currentSession } from '../../session.ts';
import { KEY_PLACEHOLDER, maskKey } from './setup.ts';

/** Whether the key that a sign-in just issued is shown in full. */
const isRevealed = signal(false);

/** The key to copy into a configuration: the one that a sign-in just issued, or a placeholder. */
export function keyToCopy(): string {
  return currentSession().freshKey ?? KEY_PLACEHOLDER;
}

/** `keyToCopy` as the page shows it: masked until it is revealed. */
export function keyToShow(): string {
  const { freshKey } = currentSession();
  if (freshKey === undefined) return KEY_PLACEHOLDER;
  return isRevealed.value ? freshKey : maskKey(freshKey.slice(-4));
}

/** Shows the key in full, or masks it again, everywhere on the page. */
export function RevealButton() {
  return (
    <button
      type="button"
      class="small"
      aria-pressed={isRevealed.value}
      onClick={() => (isRevealed.value = !isRevealed.value)}
    >
      {isRevealed.value ? 'Hide' : 'Reveal'}
    </button>
  );
}
