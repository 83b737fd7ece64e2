import { signal } from '@preact/signals';
import { refusedBecause } from '../daemon-state.ts';

interface Toast {
  id: number;
  text: string;
  tone: 'info' | 'error';
  undo?: () => void;
}

const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

/** How long an action with an undo waits before it is carried out. */
const UNDO_MS = 6000;

const SHOWN_MS = { info: 4000, error: 9000 };

/** Shows a message at the bottom of the page for some seconds. */
export function showToast(text: string, tone: Toast['tone'] = 'info'): void {
  add({ text, tone }, SHOWN_MS[tone]);
}

/** Says that something was done, with a button that takes it back. */
export function showUndoToast(text: string, undo: () => void): void {
  const id = add(
    {
      text,
      tone: 'info',
      undo: () => {
        remove(id);
        undo();
      },
    },
    UNDO_MS,
  );
}

function add(toast: Omit<Toast, 'id'>, shownMs: number): number {
  const id = ++lastId;
  toasts.value = [...toasts.value, { ...toast, id }].slice(-3);
  setTimeout(() => remove(id), shownMs);
  return id;
}

function remove(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** The actions that wait for an undo. */
const waiting = new Set<() => Promise<void>>();

/** Carries out at once what waits for an undo. Throws if something could not be carried out. */
export async function finishWaiting(): Promise<void> {
  await Promise.all([...waiting].map((finish) => finish()));
}

/**
 * Carries out an action that cannot be taken back after some seconds, in which the user may undo it. Leaving the page
 * carries it out at once. `revert` shows again what the caller has already hidden, also while changes are refused.
 */
export function doUnlessUndone({
  text,
  act,
  revert,
}: {
  text: string;
  act: () => Promise<void>;
  revert: () => void;
}): void {
  const refusal = refusedBecause();
  if (refusal !== undefined) {
    revert();
    showToast(refusal, 'error');
    return;
  }
  const end = () => {
    clearTimeout(timer);
    removeEventListener('pagehide', finishAlone);
    waiting.delete(finish);
    remove(id);
  };
  const finish = async () => {
    end();
    await act().catch((error: unknown) => {
      revert();
      throw error;
    });
  };
  // `act` says itself what has failed.
  const finishAlone = () => void finish().catch(() => undefined);
  const undo = () => {
    end();
    revert();
  };
  const timer = setTimeout(finishAlone, UNDO_MS);
  const id = add({ text, tone: 'info', undo }, UNDO_MS);
  waiting.add(finish);
  addEventListener('pagehide', finishAlone);
}

/** The messages at the bottom of the page. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, tone, undo }) => (
        <div key={id} class={`toast is-${tone}`}>
          <span>{text}</span>
          {undo && (
            <button type="button" class="link" onClick={undo}>
              Undo
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
