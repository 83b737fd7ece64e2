import { parameters } from '../../router.ts';
import { ConversationList } from './conversation-list.tsx';
import { Reader } from './reader.tsx';

/** Conversations by day, and a reader for one of them. On narrow screens one of the two is shown. */
export function View() {
  const id = parameters.value.get('id') ?? undefined;
  return (
    <div class={`conversations${id === undefined ? '' : ' is-reading'}`}>
      <ConversationList chosen={id} />
      {id === undefined ? (
        <p class="conversations-hint hint">Choose a conversation to read it.</p>
      ) : (
        <Reader key={id} id={id} messageId={parameters.value.get('message') ?? undefined} />
      )}
    </div>
  );
}
