import { useEffect, useRef } from 'preact/hooks';
import type { Memory } from '../../../client/client.ts';
import { parseTimestamp } from '../../../lib/clock.ts';
import { onChanges } from '../../live.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Elsewhere } from '../../parts/elsewhere.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { SidePane } from '../../parts/side-pane.tsx';
import { canCopy, copyToSpace } from '../../parts/space-copy.tsx';
import { isTyping } from '../../parts/typing.ts';
import { useResource } from '../../resource.ts';
import { changeParameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import { may } from '../../space.ts';
import { changeMemory, forgetMemories, type ReadMemory, reportFailure } from './memory-actions.ts';
import { versionAt } from './memory-changes.ts';
import { type Editing, MemoryDetail } from './memory-detail.tsx';
import type { ListedMemory } from './memory-pages.ts';

interface MemoryPaneProps {
  id: string;
  /** The row of the list, which says why a search found the memory. */
  listed: ListedMemory | undefined;
  query: string;
  asOfMs: number | undefined;
  editing: Editing | undefined;
  onChange(memory: Memory): void;
}

/** Everything about one memory: its text, which can be edited in place, where it comes from and how it changed. */
export function MemoryPane({ id, listed, query, asOfMs, editing, onChange }: MemoryPaneProps) {
  const { client } = currentSession();
  const resource = useResource(id, async (signal) => {
    const [{ data: memory, response }, { data: versions }] = await Promise.all([
      client.memories.get(id, { signal }).withResponse(),
      client.memories.history(id, { limit: 200 }, { signal }),
    ]);
    return { memory, etag: response.etag, versions };
  });
  useEffect(() => onChanges(['memory'], resource.reload), [resource.reload]);
  const read = resource.state.value.value;
  const isReadOnly = (read !== undefined && read.memory.validTo !== null) || !may('memory');
  // What is being typed stays, whatever happens to the memory meanwhile: saving says so.
  const edited = useRef<string | undefined>(undefined);
  if (editing === undefined) edited.current = undefined;
  else if (read !== undefined && !isReadOnly) edited.current = id;
  const change = (done: string, changes: Parameters<typeof changeMemory>[2], from: ReadMemory) =>
    reportFailure(() =>
      changeMemory(client, from, changes, {
        done,
        onChange: (memory) => {
          resource.reload();
          onChange(memory);
        },
      }),
    );
  const forget = () => {
    changeParameters({ id: undefined, edit: undefined });
    forgetMemories(client, [id]);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isOnRow = event.target instanceof Element && event.target.closest('[data-row]');
      if (isTyping(event.target) || isOnRow || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key !== 'e' || isReadOnly) return;
      event.preventDefault();
      changeParameters({ edit: '1' }, 'replace');
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isReadOnly]);

  const actions = read && (
    <>
      {!isReadOnly && (
        <>
          <button
            type="button"
            class="icon-button"
            aria-label={read.memory.pinned ? 'Unpin' : 'Pin'}
            aria-pressed={read.memory.pinned}
            title="Pinned memories come first in the profile"
            onClick={() => change(read.memory.pinned ? 'Unpinned.' : 'Pinned.', { pinned: !read.memory.pinned }, read)}
          >
            <Icon name="pin" />
          </button>
          <button
            type="button"
            class="icon-button"
            aria-label="Edit"
            title="Edit (e)"
            onClick={() => changeParameters({ edit: '1' }, 'replace')}
          >
            <Icon name="edit" />
          </button>
        </>
      )}
      {canCopy() && (
        <button
          type="button"
          class="icon-button"
          aria-label="Copy to space…"
          title="Copy to space…"
          onClick={() => copyToSpace({ count: 1, ids: async () => [id] })}
        >
          <Icon name="spaces" />
        </button>
      )}
      <CopyButton isIcon label="Copy id" text={() => id} />
      {may('memory') && (
        <button type="button" class="icon-button" aria-label="Forget" title="Forget" onClick={forget}>
          <Icon name="trash" />
        </button>
      )}
    </>
  );
  return (
    <SidePane title="Memory" actions={actions} onClose={() => changeParameters({ id: undefined, edit: undefined })}>
      <Elsewhere error={resource.state.value.error} />
      <Loaded resource={resource} label="Loading the memory">
        {({ memory, etag, versions }) => (
          <MemoryDetail
            key={memory.id}
            read={{ memory, etag }}
            versions={versions}
            then={asOfMs === undefined ? undefined : versionAt(versions, asOfMs, (at) => parseTimestamp(at) ?? 0)}
            listed={listed}
            query={query}
            editing={edited.current === id ? editing : undefined}
            onChange={(done, changes) => change(done, changes, { memory, etag })}
            onSaved={(saved) => {
              resource.reload();
              onChange(saved);
            }}
          />
        )}
      </Loaded>
    </SidePane>
  );
}
