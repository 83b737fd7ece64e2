import type { EventName, NewWebhook } from '../../../client/client.ts';
import { AddForm } from './add-form.tsx';

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
  const add = (form: HTMLFormElement) => {
    const data = new FormData(form);
    const user = String(data.get('user')).trim();
    return onAdd({
      url: String(data.get('url')).trim(),
      events: CHOICES[Number(data.get('events'))]!.events,
      ...(user !== '' && { user }),
    });
  };
  return (
    <AddForm id="webhooks-title" title="Webhooks" button="Add webhook" submit="Add" onSubmit={add}>
      <label>
        Address
        <input name="url" type="url" required autofocus maxLength={2000} placeholder="https://hooks.example.com/svc" />
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
    </AddForm>
  );
}
