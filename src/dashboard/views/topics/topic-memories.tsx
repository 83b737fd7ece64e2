import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { TopicDetails, TopicMemory } from '../../../client/client.ts';
import { formatCount } from '../../format.ts';
import { Moment } from '../../parts/moment.tsx';
import { hrefOf } from '../../router.ts';

/** Memories that are shown before somebody asks for all of them. */
const FIRST = 20;
/** A memory's page shows all of its text. */
const MAX_CHARACTERS = 600;
/** The API returns no more of each list. */
const MOST = 100;

/** What holds of a topic, newest first. */
export function NowList({ topic: { now, memoryCount } }: { topic: TopicDetails }) {
  return (
    <section class="card stack" aria-labelledby="topic-now">
      <h2 id="topic-now">Now</h2>
      {now.length === 0 && <p class="hint">Nothing that is stored about it holds any more.</p>}
      <Memories memories={now}>{(memory) => <When memory={memory} />}</Memories>
      {now.length >= MOST && (
        <p class="hint">The newest of {formatCount(memoryCount, 'memory', 'memories')}. Search to find the others.</p>
      )}
    </section>
  );
}

/** What was replaced, or may be out of date, with what took its place. */
export function BeforeList({ topic: { now, before } }: { topic: TopicDetails }) {
  const texts = new Map([...now, ...before].map(({ id, content }) => [id, content]));
  return (
    <section class="card stack topic-before" aria-labelledby="topic-before">
      <h2 id="topic-before">Before</h2>
      <Memories memories={before}>
        {(memory) => {
          const newer = memory.supersededBy ?? memory.possiblySupersededBy;
          return (
            <>
              <When memory={memory} />
              {memory.validTo !== null && (
                <>
                  , until <Moment at={memory.validTo} />
                </>
              )}
              {newer !== undefined && (
                <>
                  {'. '}
                  {memory.validTo === null ? 'May be out of date: ' : 'Replaced by '}
                  <a href={hrefOf('memories', { id: newer })}>{shortened(texts.get(newer), 120) ?? 'a newer memory'}</a>
                </>
              )}
              {memory.validTo === null && (
                <>
                  {' '}
                  (<a href={hrefOf('review')}>decide in Review</a>)
                </>
              )}
            </>
          );
        }}
      </Memories>
    </section>
  );
}

function When({ memory: { occurredAt, createdAt } }: { memory: TopicMemory }) {
  return <Moment at={occurredAt ?? createdAt} />;
}

interface MemoriesProps {
  memories: readonly TopicMemory[];
  children(memory: TopicMemory): ComponentChildren;
}

function Memories({ memories, children }: MemoriesProps) {
  const isWhole = useSignal(false);
  const shown = isWhole.value ? memories : memories.slice(0, FIRST);
  return (
    <>
      <ul class="topic-memories">
        {shown.map((memory) => (
          <li key={memory.id}>
            <a class="content topic-memory" href={hrefOf('memories', { id: memory.id })}>
              {shortened(memory.content, MAX_CHARACTERS)}
            </a>
            <p class="hint">{children(memory)}</p>
          </li>
        ))}
      </ul>
      {shown.length < memories.length && (
        <button type="button" class="small" onClick={() => (isWhole.value = true)}>
          Show {memories.length - shown.length} more
        </button>
      )}
    </>
  );
}

function shortened(text: string | undefined, most: number): string | undefined {
  return text === undefined || text.length <= most ? text : `${text.slice(0, most).trimEnd()} …`;
}
