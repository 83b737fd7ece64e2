import { useSignal } from '@preact/signals';
import { describeError } from '../../errors.ts';
import { announce } from '../../live.ts';
import { chosenUser, hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';

/** What to do while nothing is stored: connect an assistant, say something, or add the first memory here. */
export function FirstSteps() {
  return (
    <div class="grid first-steps">
      <section class="card stack">
        <h2>1. Connect an assistant</h2>
        <p>
          Run <code>svc mcp-config</code> on your machine, or copy the entry for your assistant.
        </p>
        <p>
          <a class="button primary" href={hrefOf('connect')}>
            Connect
          </a>
        </p>
      </section>
      <section class="card stack">
        <h2>2. Tell it something</h2>
        <p>Say to your assistant, for example:</p>
        <blockquote class="snippet">Remember that I prefer oolong tea and never drink coffee after four.</blockquote>
      </section>
      <section class="card stack">
        <h2>3. Watch it arrive</h2>
        <p>The memory appears on this page within a second or two. Or add the first one yourself:</p>
        <AddBox />
      </section>
    </div>
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
      await currentSession().client.memories.create({ content, ...(user !== undefined && { user }) });
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
