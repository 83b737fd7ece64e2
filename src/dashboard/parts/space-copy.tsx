import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { describeError } from '../errors.ts';
import { formatCount } from '../format.ts';
import { spaceOfPage } from '../router.ts';
import { currentSession, endSessionOn } from '../session.ts';
import { may, writableSpaces } from '../space.ts';
import { showToast } from './toasts.tsx';

interface Copying {
  count: number;
  /** The memories, which may have to be listed first. */
  ids(): Promise<readonly string[]>;
}

const asked = signal<Copying | undefined>(undefined);

/** As many as a request copies. */
const PORTION = 200;

/** Whether memories that the page shows can be copied: from the own account, into a space that takes them. */
export function canCopy(): boolean {
  return spaceOfPage === undefined && may('memory') && writableSpaces.value.length > 0;
}

/** Asks into which space to copy memories of the own account, and copies them. */
export function copyToSpace(copying: Copying): void {
  asked.value = copying;
}

/** The dialog of `copyToSpace`. */
export function SpaceCopyDialog() {
  const copying = asked.value;
  return copying ? <Dialog copying={copying} /> : null;
}

function Dialog({ copying }: { copying: Copying }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isBusy = useSignal(false);
  const error = useSignal('');
  const title = `Copy ${formatCount(copying.count, 'memory', 'memories')} to a space`;
  useEffect(() => dialog.current?.showModal(), []);
  const copy = async (event: SubmitEvent) => {
    event.preventDefault();
    const id = String(new FormData(event.currentTarget as HTMLFormElement).get('space'));
    isBusy.value = true;
    try {
      showToast(await copyAll(id, await copying.ids()));
      dialog.current?.close();
    } catch (failure) {
      endSessionOn(failure);
      error.value = describeError(failure);
    }
    isBusy.value = false;
  };
  return (
    <dialog
      ref={dialog}
      class="confirmation"
      aria-labelledby="space-copy-title"
      aria-describedby="space-copy-text"
      onClose={() => (asked.value = undefined)}
    >
      <form class="form" onSubmit={(event) => void copy(event)}>
        <h2 id="space-copy-title">{title}</h2>
        <p id="space-copy-text">
          All members of the space see the copies, with your address as author. Yours stay unchanged, and later changes
          of them do not reach the copies.
        </p>
        <label>
          Space
          <select name="space">
            {writableSpaces.value.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {error.value && (
          <p class="error" role="alert">
            {error.value}
          </p>
        )}
        <div class="buttons end">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy.value}>
            Copy
          </button>
        </div>
      </form>
    </dialog>
  );
}

async function copyAll(id: string, memoryIds: readonly string[]): Promise<string> {
  const { spaces } = currentSession().account;
  let [copied, known] = [0, 0];
  for (let start = 0; start < memoryIds.length; start += PORTION) {
    const { data } = await spaces.copy(id, memoryIds.slice(start, start + PORTION));
    const duplicates = data.filter(({ duplicate }) => duplicate).length;
    known += duplicates;
    copied += data.length - duplicates;
  }
  const name = writableSpaces.peek().find((space) => space.id === id)?.name ?? 'the space';
  const done = `Copied ${formatCount(copied, 'memory', 'memories')} to “${name}”.`;
  return known === 0 ? done : `${done} ${formatCount(known, 'was', 'were')} there already.`;
}
