import type { Memory, MemoryChange } from '../../../client/client.ts';
import { systemClock, toTimestamp } from '../../../lib/clock.ts';
import { formatCount } from '../../format.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Highlighted } from '../../parts/highlighted.tsx';
import { Moment } from '../../parts/moment.tsx';
import { changeParameters, hrefWith } from '../../router.ts';
import { may } from '../../space.ts';
import { withRelated } from './matched-words.ts';
import type { ReadMemory } from './memory-actions.ts';
import { restoring } from './memory-changes.ts';
import { MemoryEditor } from './memory-editor.tsx';
import { MemoryFacts } from './memory-facts.tsx';
import type { ListedMemory } from './memory-pages.ts';
import { MemoryReplacement } from './memory-replacement.tsx';
import { MemoryUse } from './memory-use.tsx';
import { MemoryVersions } from './memory-versions.tsx';
import { RelatedMemories } from './related-memories.tsx';
import { TagEditor } from './tag-editor.tsx';
import { WhyFound } from './why-found.tsx';

/** What is being done to the text: correct it, or say what holds instead. */
export type Editing = 'correct' | 'replace';

interface MemoryDetailProps {
  read: ReadMemory;
  versions: readonly Memory[];
  /** The version that was valid at the time of "as of". */
  then: Memory | undefined;
  listed: ListedMemory | undefined;
  query: string;
  editing: Editing | undefined;
  onChange(done: string, change: MemoryChange): void;
  /** The editor has stored a change. */
  onSaved(memory: Memory): void;
}

/** The content of the pane of a memory. */
export function MemoryDetail(props: MemoryDetailProps) {
  const { read, versions, then, listed, query, editing, onChange, onSaved } = props;
  const { memory } = read;
  const shown = then ?? memory;
  const isPast = memory.validTo !== null;
  const isReadOnly = isPast || !may('memory');
  const edit = () => !isReadOnly && changeParameters({ edit: '1' }, 'replace');
  return (
    <>
      {then && then.version !== memory.version && (
        <p class="notice">
          This is version {then.version}, as it was then. <a href={hrefWith({ asOf: undefined })}>Show today’s</a>
        </p>
      )}
      {isPast && (
        <p class="notice">
          {memory.supersededBy === null ? 'Outdated since' : 'Superseded'} <Moment at={memory.validTo!} />.{' '}
          {memory.supersededBy !== null ? (
            <a href={hrefWith({ id: memory.supersededBy })}>Show what replaced it</a>
          ) : (
            may('memory') && (
              <button type="button" class="link" onClick={() => onChange('Current again.', { validTo: null })}>
                Mark as current
              </button>
            )
          )}
        </p>
      )}
      {editing === 'replace' && (
        <MemoryReplacement
          memory={memory}
          onClose={() => {
            changeParameters({ edit: undefined }, 'replace');
            onChange('Marked as outdated.', { validTo: toTimestamp(systemClock.nowMs()) });
          }}
          onCancel={() => changeParameters({ edit: undefined }, 'replace')}
        />
      )}
      {editing === 'correct' ? (
        <MemoryEditor
          read={read}
          onSaved={(saved) => {
            changeParameters({ edit: undefined }, 'replace');
            onSaved(saved);
          }}
          onCancel={() => changeParameters({ edit: undefined }, 'replace')}
        />
      ) : (
        <p class="content memory-text" onDblClick={edit}>
          {query === '' ? (
            shown.content
          ) : (
            <Highlighted text={shown.content} query={withRelated(query, listed?.found)} />
          )}
        </p>
      )}
      {!isReadOnly && editing === undefined && (
        <div class="buttons">
          <button type="button" class="small" onClick={edit}>
            Correct
          </button>
          <button type="button" class="small" onClick={() => changeParameters({ edit: 'replace' }, 'replace')}>
            Outdated…
          </button>
        </div>
      )}
      <TagEditor
        tags={shown.tags}
        isReadOnly={isReadOnly}
        onAdd={(tags) => onChange(`Added ${formatCount(tags.length, 'tag', 'tags')}.`, { addTags: tags })}
        onRemove={(tag) => onChange('Removed a tag.', { removeTags: [tag] })}
        onChoose={(tag) => changeParameters({ tag: [tag], q: undefined })}
      />
      {listed?.found && <WhyFound memory={listed} found={listed.found} query={query} />}
      <MemoryFacts
        memory={shown}
        isReadOnly={isReadOnly}
        onMove={(project) =>
          onChange(project === null ? 'Took it out of its project.' : `Moved to ${project}.`, { project })
        }
      />
      <MemoryUse id={memory.id} />
      {versions.length > 1 && (
        <section class="stack">
          <h3>{formatCount(versions.length, 'version', 'versions')}</h3>
          <MemoryVersions
            versions={versions}
            shown={shown.version}
            isReadOnly={isReadOnly}
            onRestore={(version) => {
              const change = restoring(memory, version);
              if (change) onChange(`Restored version ${version.version}.`, change);
            }}
          />
        </section>
      )}
      <RelatedMemories memory={memory} />
      <details class="memory-json">
        <summary>JSON</summary>
        <CopyButton label="Copy JSON" text={() => JSON.stringify(memory, null, 2)} />
        <pre class="snippet">{JSON.stringify(memory, null, 2)}</pre>
      </details>
    </>
  );
}
