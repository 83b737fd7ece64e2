import type { Memory, MemoryChange } from '../../../client/client.ts';
import { formatCount } from '../../format.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Highlighted } from '../../parts/highlighted.tsx';
import { Moment } from '../../parts/moment.tsx';
import { changeParameters, hrefWith } from '../../router.ts';
import type { ReadMemory } from './memory-actions.ts';
import { restoring } from './memory-changes.ts';
import { MemoryEditor } from './memory-editor.tsx';
import { MemoryFacts } from './memory-facts.tsx';
import type { ListedMemory } from './memory-pages.ts';
import { MemoryUse } from './memory-use.tsx';
import { MemoryVersions } from './memory-versions.tsx';
import { RelatedMemories } from './related-memories.tsx';
import { TagEditor } from './tag-editor.tsx';
import { WhyFound } from './why-found.tsx';

interface MemoryDetailProps {
  read: ReadMemory;
  versions: readonly Memory[];
  /** The version that was valid at the time of "as of". */
  then: Memory | undefined;
  listed: ListedMemory | undefined;
  query: string;
  isEditing: boolean;
  onChange(done: string, change: MemoryChange): void;
  /** The editor has stored a change. */
  onSaved(memory: Memory): void;
}

/** The content of the pane of a memory. */
export function MemoryDetail(props: MemoryDetailProps) {
  const { read, versions, then, listed, query, isEditing, onChange, onSaved } = props;
  const { memory } = read;
  const shown = then ?? memory;
  const isReadOnly = memory.validTo !== null;
  const edit = () => !isReadOnly && changeParameters({ edit: '1' }, 'replace');
  return (
    <>
      {then && then.version !== memory.version && (
        <p class="notice">
          This is version {then.version}, as it was then. <a href={hrefWith({ asOf: undefined })}>Show today’s</a>
        </p>
      )}
      {isReadOnly && (
        <p class="notice">
          Superseded <Moment at={memory.validTo!} />.{' '}
          {memory.supersededBy !== null && <a href={hrefWith({ id: memory.supersededBy })}>Show what replaced it</a>}
        </p>
      )}
      {isEditing ? (
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
          {query === '' ? shown.content : <Highlighted text={shown.content} query={query} />}
        </p>
      )}
      <TagEditor
        tags={shown.tags}
        isReadOnly={isReadOnly}
        onAdd={(tags) => onChange(`Added ${formatCount(tags.length, 'tag', 'tags')}.`, { addTags: tags })}
        onRemove={(tag) => onChange('Removed a tag.', { removeTags: [tag] })}
        onChoose={(tag) => changeParameters({ tag: [tag], q: undefined })}
      />
      {listed?.found && <WhyFound found={listed.found} />}
      <MemoryFacts memory={shown} />
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
      <RelatedMemories id={memory.id} />
      <details class="memory-json">
        <summary>JSON</summary>
        <CopyButton label="Copy JSON" text={() => JSON.stringify(memory, null, 2)} />
        <pre class="snippet">{JSON.stringify(memory, null, 2)}</pre>
      </details>
    </>
  );
}
