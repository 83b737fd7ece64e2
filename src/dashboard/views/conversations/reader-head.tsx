import { useSignal } from '@preact/signals';
import type { Conversation } from '../../../contract/conversations.ts';
import { conversationName } from '../../conversation-name.ts';
import { describeError } from '../../errors.ts';
import { formatCount } from '../../format.ts';
import { announce } from '../../live.ts';
import { confirm } from '../../parts/confirmation.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { navigate } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { may } from '../../space.ts';
import { hasSeveralUsers } from '../../users.ts';
import { Extraction } from './extraction.tsx';

/** The title of a conversation, its facts, and what can be done with it as a whole. */
export function ReaderHead({ conversation, onChange }: { conversation: Conversation; onChange(): void }) {
  const { client } = currentSession();
  const isRenaming = useSignal(false);
  const isExtracting = useSignal(false);
  const { id, title, user, project, messageCount, createdAt } = conversation;
  const attempt = (work: () => Promise<unknown>) => work().catch((error) => showToast(describeError(error), 'error'));
  const rename = (event: SubmitEvent) => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget as HTMLFormElement).get('title')).trim();
    void attempt(async () => {
      await client.conversations.update(id, { title: given === '' ? null : given });
      isRenaming.value = false;
      announce('conversation');
      onChange();
    });
  };
  const cut = () =>
    attempt(async () => {
      const { data } = await client.conversations.cut(id);
      showToast(`Split into ${formatCount(data.length, 'episode', 'episodes')}.`);
      announce('episode');
    });
  const forget = async () => {
    const text = `Erases its ${formatCount(messageCount, 'message', 'messages')} and episodes. Memories extracted from it stay. This cannot be undone.`;
    if (!(await confirm({ title: 'Forget this conversation?', text, yes: 'Forget' }))) return;
    await attempt(async () => {
      await client.conversations.delete(id);
      announce('conversation');
      navigate('conversations');
    });
  };
  return (
    <header class="reader-head stack">
      {isRenaming.value ? (
        <form class="field-row" onSubmit={rename}>
          <input name="title" aria-label="Title" defaultValue={title ?? ''} maxLength={500} autofocus />
          <button type="submit" class="primary">
            Save
          </button>
          <button type="button" onClick={() => (isRenaming.value = false)}>
            Cancel
          </button>
        </form>
      ) : (
        <h2 class="content">{conversationName(conversation)}</h2>
      )}
      <p class="hint reader-facts">
        {hasSeveralUsers.value && <span class="chip">{user}</span>}
        {project && <span class="chip">{project}</span>}
        {formatCount(messageCount, 'message', 'messages')} · <Moment at={createdAt} />
        <CopyButton isIcon label="Copy the conversation id" text={() => id} />
      </p>
      {may('memory') && (
        <div class="buttons">
          <button
            type="button"
            class="small"
            aria-expanded={isExtracting.value}
            onClick={() => (isExtracting.value = !isExtracting.value)}
          >
            Extract memories
          </button>
          <button type="button" class="small" onClick={() => void cut()}>
            Split into episodes
          </button>
          <button type="button" class="small" onClick={() => (isRenaming.value = true)}>
            Rename
          </button>
          <button type="button" class="small danger" onClick={() => void forget()}>
            Forget
          </button>
        </div>
      )}
      {isExtracting.value && <Extraction conversation={conversation} />}
    </header>
  );
}
