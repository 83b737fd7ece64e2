import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { exactPattern } from './exact-pattern.ts';

export interface ConfirmationRequest {
  title: string;
  text: string;
  /** The label of the button that confirms. */
  yes: string;
  /** Text that the user must type first, such as the address of an account to erase. */
  typed?: string;
}

const asked = signal<(ConfirmationRequest & { answer: (confirmed: boolean) => void }) | undefined>(undefined);

/** Asks before something that cannot be undone. Resolves to whether the user confirmed. */
export function confirm(request: ConfirmationRequest): Promise<boolean> {
  asked.value?.answer(false);
  return new Promise((answer) => {
    asked.value = { ...request, answer };
  });
}

/** The dialog of `confirm`. */
export function Confirmation() {
  const request = asked.value;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (request) dialog.current?.showModal();
  }, [request]);
  if (!request) return null;
  const close = () => {
    request.answer(dialog.current?.returnValue === 'yes');
    asked.value = undefined;
  };
  return (
    <dialog
      ref={dialog}
      class="confirmation"
      aria-labelledby="confirmation-title"
      aria-describedby="confirmation-text"
      onClose={close}
    >
      <form method="dialog" class="form">
        <h2 id="confirmation-title">{request.title}</h2>
        <p id="confirmation-text">{request.text}</p>
        {request.typed !== undefined && (
          <label>
            Type “{request.typed}” to confirm
            <input autocomplete="off" required pattern={exactPattern(request.typed)} />
          </label>
        )}
        <div class="buttons end">
          <button type="button" onClick={() => dialog.current?.close('no')}>
            Cancel
          </button>
          <button type="submit" value="yes" class="danger-fill">
            {request.yes}
          </button>
        </div>
      </form>
    </dialog>
  );
}
