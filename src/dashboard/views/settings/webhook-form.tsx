import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { EventName, NewWebhook } from '../../../client/client.ts';

/** Kinds of events to choose from. The API can choose them one by one. */
const CHOICES: readonly { title: string; events: EventName[] | null }[] = [
  { title: 'All events', events: null },
  { title: 'Memories', events: ['memory.created', 'memory.updated', 'memory.deleted'] },
  {
    title: 'Conversations',
    events: ['conversation.created', 'conversation.appended', 'conversation.updated', 'conversation.deleted'],
  },
  {
    title: 'Suggestions',
    events: ['suggestion.created', 'suggestion.accepted', 'suggestion.rejected', 'suggestion.undone'],
  },
];

/** The heading of webhooks with the form for a new one, which closes once it was added. */
export function WebhookForm({ onAdd }: { onAdd: (webhook: NewWebhook) => Promise<boolean> }) {
  const isOpen = useSignal(false);
  const isBusy = useSignal(false);
  const addButton = useRef<HTMLButtonElement>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const user = String(data.get('user')).trim();
    isBusy.value = true;
    const isAdded = await onAdd({
      url: String(data.get('url')).trim(),
      events: CHOICES[Number(data.get('events'))]!.events,
      ...(user !== '' && { user }),
    });
    isBusy.value = false;
    if (isAdded) isOpen.value = false;
  };
  const cancel = () => {
    isOpen.value = false;
    addButton.current?.focus();
  };
  return (
    <>
      <div class="card-head">
        <h2 id="webhooks-title">Webhooks</h2>
        <button
          ref={addButton}
          type="button"
          class="small"
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = true)}
        >
          Add webhook
        </button>
      </div>
      {isOpen.value && (
        <form class="fields" autocomplete="off" onSubmit={(event) => void submit(event)}>
          <label>
            Address
            <input
              name="url"
              type="url"
              required
              autofocus
              maxLength={2000}
              placeholder="https://hooks.example.com/svc"
            />
          </label>
          <label>
            Events
            <select name="events">
              {CHOICES.map(({ title }, index) => (
                <option key={title} value={index}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          <label>
            Only changes of this user (optional)
            <input name="user" maxLength={256} autocapitalize="none" spellcheck={false} />
          </label>
          <div class="buttons">
            <button type="submit" class="primary" disabled={isBusy.value}>
              Add
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
