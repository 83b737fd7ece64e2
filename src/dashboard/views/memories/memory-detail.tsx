import { titleOfClient } from '../../../cli/assistants/assistant-names.ts';
import type { Memory, MemoryChange } from '../../../client/client.ts';
import { WEB_APP_CLIENT } from '../../../contract/web-app-client.ts';
import { systemClock, toTimestamp } from '../../../lib/clock.ts';
import { formatCount } from '../../format.ts';
import { Author } from '../../parts/author.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Diff } from '../../parts/diff.tsx';
import { Highlighted } from '../../parts/highlighted.tsx';
import { Moment } from '../../parts/moment.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { likelihoodOf, signalLabel } from '../../ranking-words.ts';
import { useResource } from '../../resource.ts';
import { changeParameters, hrefOf, hrefWith } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { may } from '../../space.ts';
import { supersede } from '../../superseding.ts';
import { matchLabel, strongestSignals, withRelated } from './matched-words.ts';
import type { ReadMemory } from './memory-actions.ts';
import { describeChanges, restoring } from './memory-changes.ts';
import { MemoryEditor } from './memory-editor.tsx';
import { MemoryFacts } from './memory-facts.tsx';
import { MemoryForm } from './memory-form.tsx';
import type { FoundBy, ListedMemory } from './memory-pages.ts';
import { RelatedMemories } from './related-memories.tsx';
import { TagEditor } from './tag-editor.tsx';

const SHOWN_SEARCHES = 3;

/** How often searches showed a memory, how often that helped, and the last question. Left out while it is not known. */
function MemoryUse({ id }: { id: string }) {
  const { state } = useResource(id, async (signal) => {
    const { client } = currentSession();
    const [use, searches] = await Promise.all([
      client.memories.use(id, { signal }),
      client.searches.list({ limit: 200, exceptClient: WEB_APP_CLIENT }, { signal }),
    ]);
    return { use, searches: searches.data.filter(({ results }) => results.some((result) => result.id === id)) };
  });
  if (!state.value.value) return null;
  const { use, searches } = state.value.value;
  const { shown, used } = use;
  if (shown === 0) return <p class="hint">No search has shown it yet.</p>;
  return (
    <section class="hint">
      <p>
        Shown in {formatCount(shown, 'search', 'searches')}, used{' '}
        {used === 0 ? 'in none' : formatCount(used, 'time', 'times')}.
      </p>
      <ul>
        {searches.slice(0, SHOWN_SEARCHES).map(({ id: searchId, query, client, results, createdAt }) => (
          <li key={searchId}>
            {client === null ? 'A program' : titleOfClient(client)} asked{' '}
            <a href={hrefOf('recall', { searchId })}>“{query}”</a>
            {results.some((result) => result.id === id && result.used) && ' and used it'} <Moment at={createdAt} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface MemoryReplacementProps {
  memory: Memory;
  /** Marks it as outdated without a replacement. */
  onClose(): void;
  onCancel(): void;
}

/** Says what holds instead of a memory, if anything does. The old one is closed and stays in the history. */
function MemoryReplacement({ memory, onClose, onCancel }: MemoryReplacementProps) {
  return (
    <section class="stack" aria-label="Replace">
      <p class="hint">What holds now? The old text stays in the history, and searches no longer find it.</p>
      <MemoryForm
        memory={{ ...memory, occurredAt: null, expiresAt: null }}
        submitLabel="Replace"
        onCancel={onCancel}
        explain={(error) => error instanceof SameText && <p class="error">Change the text first: it says the same.</p>}
        onSubmit={async ({ content, ...fields }) => {
          if (content.trim() === memory.content.trim()) throw new SameText();
          const set = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
          const newer = await supersede(memory, { content, origin: 'person', tags: memory.tags, ...set });
          changeParameters({ id: newer.id, edit: undefined });
          showToast('Replaced the memory.');
        }}
      />
      <p class="hint">
        If nothing replaces it:{' '}
        <button type="button" class="link" onClick={onClose}>
          Mark as outdated
        </button>
      </p>
    </section>
  );
}

class SameText extends Error {}

const SHOWN_SIGNALS = 5;
const VERBS = { likely: 'is likely to answer', perhaps: 'may answer', unlikely: 'is unlikely to answer' };

/** Why a search found a memory: its signals, strongest first. */
function WhyFound({ memory, found, query }: { memory: Memory; found: FoundBy; query: string }) {
  const { relevance, why } = found;
  if (!why) return null;
  const names = strongestSignals(why.signals).slice(0, SHOWN_SIGNALS);
  const most = Math.max(...names.map((name) => why.signals[name]!.share));
  return (
    <section class="stack why-found">
      <h3>Why it was found</h3>
      <p class="hint">
        It {VERBS[likelihoodOf(relevance)]} this search.
        {why.rank < why.defaultRank && ` Learning moved it up, from ${why.defaultRank} to ${why.rank}.`}
        {why.rank > why.defaultRank && ` Learning moved it down, from ${why.defaultRank} to ${why.rank}.`}
      </p>
      <ul>
        {names.map((name) => (
          <li key={name} class="why-signal">
            <span>{name === 'lexical' ? matchLabel(name, { ...memory, found }, query) : signalLabel(name)}</span>
            <span class="why-bar" aria-hidden="true">
              <span style={{ inlineSize: `${(100 * why.signals[name]!.share) / most}%` }} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

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

interface MemoryVersionsProps {
  /** Newest first. */
  versions: readonly Memory[];
  /** The version shown above, which differs from the newest under "as of". */
  shown: number;
  isReadOnly: boolean;
  onRestore(version: Memory): void;
}

/** Every version of a memory with what it changed, newest first. */
function MemoryVersions({ versions, shown, isReadOnly, onRestore }: MemoryVersionsProps) {
  const current = versions[0];
  if (!current) return null;
  return (
    <ol class="versions">
      {versions.map((version, index) => {
        const before = versions[index + 1];
        const changes = before ? describeChanges(before, version) : [];
        return (
          <li key={version.version} class={version.version === shown ? 'is-shown' : ''}>
            <p class="bar version-head">
              <strong>{before ? `Version ${version.version}` : 'First version'}</strong>
              <span class="hint">
                <Moment at={before ? version.updatedAt : version.createdAt} /> <Author of={version.author} />
              </span>
              {index > 0 && !isReadOnly && restoring(current, version) && (
                <button type="button" class="link version-restore" onClick={() => onRestore(version)}>
                  Restore
                </button>
              )}
            </p>
            {before && before.content !== version.content && <Diff before={before.content} after={version.content} />}
            {!before && versions.length > 1 && <p class="content version-text">{version.content}</p>}
            {changes.length > 0 && <p class="hint">{changes.join(' · ')}</p>}
          </li>
        );
      })}
    </ol>
  );
}
