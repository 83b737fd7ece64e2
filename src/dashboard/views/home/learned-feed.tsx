import type { Memory } from '../../../client/client.ts';
import { Moment } from '../../parts/moment.tsx';
import { chosenUser, hrefOf } from '../../router.ts';

/** The newest memories, each with where it came from. */
export function LearnedFeed({ memories }: { memories: readonly Memory[] }) {
  return (
    <ol class="feed">
      {memories.map((memory) => (
        <li key={memory.id}>
          <a class="feed-item" href={hrefOf('memories', { id: memory.id })}>
            <span class="row-text">{memory.content}</span>
            <span class="row-meta">
              {chosenUser.value === undefined && memory.user !== 'default' && <span class="chip">{memory.user}</span>}
              {memory.source?.conversationId && <span class="chip is-accent">from a conversation</span>}
              <Moment at={memory.createdAt} />
            </span>
          </a>
        </li>
      ))}
    </ol>
  );
}
