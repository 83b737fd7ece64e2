import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

/**
 * A heading with a button that opens a form for a new item. `onSubmit` resolves with whether the item was stored: the form
 * closes then, and stays for a correction otherwise.
 */
export function AddForm({
  id,
  title,
  button,
  submit,
  onSubmit,
  children,
}: {
  id: string;
  title: string;
  button: string;
  submit: string;
  onSubmit: (form: HTMLFormElement) => Promise<boolean>;
  children: ComponentChildren;
}) {
  const isOpen = useSignal(false);
  const isBusy = useSignal(false);
  const addButton = useRef<HTMLButtonElement>(null);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    isBusy.value = true;
    const isStored = await onSubmit(event.currentTarget as HTMLFormElement);
    isBusy.value = false;
    if (isStored) isOpen.value = false;
  };
  const cancel = () => {
    isOpen.value = false;
    addButton.current?.focus();
  };
  return (
    <>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        <button
          ref={addButton}
          type="button"
          class="small"
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = true)}
        >
          {button}
        </button>
      </div>
      {isOpen.value && (
        <form class="fields" autocomplete="off" onSubmit={(event) => void send(event)}>
          {children}
          <div class="buttons">
            <button type="submit" class="primary" disabled={isBusy.value}>
              {submit}
            </button>
            <button type="button" onClick={cancel}>
              Cancel
            </button>
          </div>
        </form>
      )}
    </>
  );
}
