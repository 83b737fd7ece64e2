import { useSignal } from '@preact/signals';
import { Icon } from '../shell/icon.tsx';
import { showToast } from './toasts.tsx';

interface CopyButtonProps {
  text: () => string;
  label?: string;
  /** Shows the icon alone; the label is for assistive technology. */
  isIcon?: boolean;
  class?: string;
}

/** A button that copies a text to the clipboard and says so. */
export function CopyButton({ text, label = 'Copy', isIcon = false, class: className = 'small' }: CopyButtonProps) {
  const isDone = useSignal(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      isDone.value = true;
      setTimeout(() => (isDone.value = false), 2000);
    } catch {
      showToast('The browser does not allow this page to copy. Select the text and copy it yourself.', 'error');
    }
  };
  return (
    <button
      type="button"
      class={isIcon ? 'icon-button' : className}
      aria-label={isIcon ? label : undefined}
      onClick={() => void copy()}
    >
      <Icon name={isDone.value ? 'check' : 'copy'} size={16} />
      {!isIcon && <span>{isDone.value ? 'Copied' : label}</span>}
      {isIcon && isDone.value && (
        <span class="unseen" role="status">
          Copied
        </span>
      )}
    </button>
  );
}
