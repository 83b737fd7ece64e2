import { Author } from '../../parts/author.tsx';
import { Highlighted } from '../../parts/highlighted.tsx';
import { Moment } from '../../parts/moment.tsx';
import { likelihoodOf } from '../../ranking-words.ts';
import { Icon } from '../../shell/icon.tsx';
import { matchLabel, strongestSignals, withRelated } from './matched-words.ts';
import type { ListedMemory } from './memory-pages.ts';

/** A row shows the beginning of a text; the pane shows all of it. */
const MAX_CHARACTERS = 320;
const SHOWN_TAGS = 2;

interface MemoryRowProps {
  memory: ListedMemory;
  query: string;
  /** The time to show: of what it tells, or else when it was stored; or of its last change. */
  time: 'occurredAt' | 'updatedAt';
  /** Shows whose memory it is. */
  showsUser: boolean;
}

/** One memory in the list: its text, and what it is filed under. */
export function MemoryRow({ memory, query, time, showsUser }: MemoryRowProps) {
  const { content, tags, project, user, pinned, validTo, supersededBy, found, use, author } = memory;
  const text = content.slice(0, MAX_CHARACTERS);
  return (
    <>
      {pinned && (
        <span class="memory-pin">
          <Icon name="pin" size={14} />
          <span class="unseen">Pinned. </span>
        </span>
      )}
      <span class={`row-text${validTo === null ? '' : ' is-past'}`}>
        {query === '' ? text : <Highlighted text={text} query={withRelated(query, found)} />}
      </span>
      <span class="memory-filed">
        {validTo !== null && <span class="chip">{supersededBy === null ? 'outdated' : 'superseded'}</span>}
        {found && <FoundChips memory={memory} query={query} />}
        {!found &&
          tags.slice(0, SHOWN_TAGS).map((tag) => (
            <span key={tag} class="chip memory-tag">
              {tag}
            </span>
          ))}
        {!found && tags.length > SHOWN_TAGS && <span class="row-meta memory-tag">+{tags.length - SHOWN_TAGS}</span>}
        {use && <span class="row-meta">{use.used > 0 ? `used ${use.used}×` : `shown ${use.shown}×`}</span>}
        {project !== null && <span class="row-meta memory-project">{project}</span>}
        {author !== null && (
          <span class="row-meta memory-author">
            <Author of={author} before="" />
          </span>
        )}
        {showsUser && <span class="row-meta memory-user">{user}</span>}
      </span>
      <span class="row-meta memory-time">
        <Moment isBrief at={memory[time] ?? memory.createdAt} />
      </span>
    </>
  );
}

function FoundChips({ memory, query }: { memory: ListedMemory; query: string }) {
  const { why, relevance } = memory.found!;
  const [first] = strongestSignals(why?.signals ?? {});
  const label = first && matchLabel(first, memory, query);
  return (
    <>
      {label && <span class="chip memory-signal">{label}</span>}
      <span class="row-meta memory-relevance" title="Whether this answers the search">
        {likelihoodOf(relevance)}
      </span>
    </>
  );
}
