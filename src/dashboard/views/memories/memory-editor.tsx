import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Memory, MemoryChange } from '../../../client/client.ts';
import { Diff } from '../../parts/diff.tsx';
import { currentSession } from '../../session.ts';
import { changeMemory, isConflict, type ReadMemory } from './memory-actions.ts';
import { type MemoryFields, MemoryForm } from './memory-form.tsx';

interface MemoryEditorProps {
  read: ReadMemory;
  onSaved(memory: Memory): void;
  onCancel(): void;
}

/** Edits a memory in place. A change by somebody else in the meantime is shown before anything is overwritten. */
export function MemoryEditor({ read, onSaved, onCancel }: MemoryEditorProps) {
  // The memory as it was when editing began, whatever the pane loads meanwhile.
  const base = useRef(read).current;
  const box = useRef<HTMLDivElement>(null);
  /** What the next submission is to replace, though it is not what was edited. */
  const overwritten = useRef<ReadMemory | undefined>(undefined);
  const conflict = useSignal<{ theirs: ReadMemory; fields: MemoryFields } | undefined>(undefined);
  const { client } = currentSession();
  const save = async (from: ReadMemory, fields: MemoryFields) => {
    const change = changesOf(base, fields);
    if (Object.keys(change).length === 0) onCancel();
    else await changeMemory(client, from, change, { done: 'Saved the memory.', onChange: onSaved });
  };
  const submit = async (fields: MemoryFields) => {
    const from = overwritten.current ?? base;
    overwritten.current = undefined;
    conflict.value = undefined;
    try {
      await save(from, fields);
    } catch (error) {
      if (!isConflict(error)) throw error;
      const { data: memory, response } = await client.memories.get(base.memory.id).withResponse();
      conflict.value = { theirs: { memory, etag: response.etag }, fields };
    }
  };
  // What the form says by then: texts may have been merged there meanwhile.
  const overwrite = (theirs: ReadMemory) => {
    overwritten.current = theirs;
    box.current?.querySelector('form')?.requestSubmit();
  };
  return (
    <div ref={box} class="stack">
      <MemoryForm memory={base.memory} submitLabel="Save" onCancel={onCancel} onSubmit={submit} />
      {conflict.value && (
        <div class="caution stack" role="alert">
          <p>This memory was changed while you were editing it. From how it is now to yours:</p>
          <Diff before={conflict.value.theirs.memory.content} after={conflict.value.fields.content} />
          <div class="buttons">
            <button type="button" class="small" onClick={onCancel}>
              Discard mine and reload
            </button>
            <button type="button" class="small" onClick={() => overwrite(conflict.value!.theirs)}>
              Save mine over it
            </button>
          </div>
        </div>
      )}
    </div>
  );
}

/** The fields that were edited. */
function changesOf({ memory }: ReadMemory, fields: MemoryFields): MemoryChange {
  const names = Object.keys(fields) as (keyof MemoryFields)[];
  const edited = names.filter((name) => fields[name] !== memory[name]);
  return {
    ...Object.fromEntries(edited.map((name) => [name, fields[name]])),
    ...(edited.includes('content') && { origin: 'person' }),
  };
}
