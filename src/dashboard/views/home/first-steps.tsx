import { useSignal } from '@preact/signals';
import { describeError } from '../../errors.ts';
import { announce } from '../../live.ts';
import { chosenUser, hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { currentSpace, hrefOfConnecting, may } from '../../space.ts';

/** What svc does, and what to do while nothing is stored: connect an assistant, add the first memory, or import. */
export function FirstSteps() {
  return (
    <section class="stack" aria-labelledby="first-steps-title">
      <div class="card stack">
        <h2 id="first-steps-title">Nothing is remembered yet</h2>
        <p>
          {currentSpace.value
            ? 'What members store here, or copy from their own memory, is found by all of them and their assistants, with the address of who wrote it.'
            : 'svc is a memory that your assistants share. What one of them learns about you, your projects and your decisions is stored here, found again in every later conversation, and yours to read, correct and delete.'}
        </p>
      </div>
      <div class="grid first-steps">
        <section class="card stack">
          <h2>Connect an assistant</h2>
          {currentSpace.value ? (
            <p>
              Your assistants write to your own memory. One that should use this space needs the address of the space.
            </p>
          ) : (
            <>
              <p>
                Run <code>svc mcp-config</code> on your machine, or copy the entry for your assistant. Then say to it,
                for example:
              </p>
              <blockquote class="snippet">
                Remember that I prefer oolong tea and never drink coffee after four.
              </blockquote>
            </>
          )}
          <p>
            <a class="button primary" href={hrefOfConnecting()}>
              Connect
            </a>
          </p>
        </section>
        {may('memory') && <AddAndImport />}
      </div>
    </section>
  );
}

function AddAndImport() {
  return (
    <>
      <section class="card stack">
        <h2>Add a first memory</h2>
        <p>One fact that every conversation should know. It appears here within a second or two.</p>
        <AddBox />
      </section>
      <section class="card stack">
        <h2>Import</h2>
        <p>Bring memories and conversations from another assistant, another memory, or an export of svc.</p>
        <p>
          <a class="button" href={hrefOf('settings', { section: 'import' })}>
            Import
          </a>
        </p>
      </section>
    </>
  );
}

function AddBox() {
  const error = useSignal('');
  const isBusy = useSignal(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const content = String(new FormData(event.currentTarget as HTMLFormElement).get('content'));
    const user = chosenUser.value;
    isBusy.value = true;
    error.value = '';
    try {
      await currentSession().client.memories.create({ content, origin: 'person', ...(user !== undefined && { user }) });
      announce('memory');
    } catch (failure) {
      error.value = describeError(failure);
    }
    isBusy.value = false;
  };
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <label for="first-memory" class="unseen">
        A memory
      </label>
      <textarea
        id="first-memory"
        name="content"
        rows={2}
        required
        maxLength={100_000}
        placeholder="Ada prefers oolong tea"
      />
      {error.value && <p class="error">{error.value}</p>}
      <div class="buttons">
        <button type="submit" disabled={isBusy.value}>
          Add
        </button>
      </div>
    </form>
  );
}
