import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Memory } from '../../../client/client.ts';
import { describeError } from '../../errors.ts';
import { fromLocalField, toLocalField } from './local-time.ts';

/** The fields of the form for a memory. */
export interface MemoryFields {
  content: string;
  project: string | null;
  occurredAt: string | null;
  expiresAt: string | null;
}

interface MemoryFormProps {
  /** The memory to edit; none for a new one. */
  memory?: Memory;
  submitLabel: string;
  /** Fields that only a new memory has. */
  children?: ComponentChildren;
  /** Stores the fields. Throws if that fails; the form then says why and keeps what was typed. */
  onSubmit(fields: MemoryFields, form: FormData): Promise<void>;
  onCancel(): void;
  /** Explains an error that the form cannot describe. */
  explain?(error: unknown): ComponentChildren;
}

/** The text of a memory and when it holds. Ctrl-Enter stores it and Escape cancels. */
export function MemoryForm({ memory, submitLabel, children, onSubmit, onCancel, explain }: MemoryFormProps) {
  const failure = useSignal<{ error: unknown } | undefined>(undefined);
  const isBusy = useSignal(false);
  const text = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    text.current?.focus();
    text.current?.setSelectionRange(text.current.value.length, text.current.value.length);
  }, []);
  const submit = async (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const fields = fieldsOf(form, memory);
    isBusy.value = true;
    failure.value = undefined;
    try {
      await onSubmit(fields, form);
    } catch (error) {
      failure.value = { error };
    } finally {
      isBusy.value = false;
    }
  };
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLFormElement }) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onCancel();
  };
  return (
    <form class="form memory-form" onSubmit={(event) => void submit(event)} onKeyDown={onKeyDown}>
      <label class="form">
        Text
        <textarea
          ref={text}
          name="content"
          required
          maxLength={100_000}
          rows={5}
          defaultValue={memory?.content}
          placeholder="One fact, in a sentence that makes sense on its own"
        />
      </label>
      {children}
      <div class="memory-form-row">
        <label class="form">
          Project
          <input name="project" maxLength={200} list="memory-projects" defaultValue={memory?.project ?? ''} />
        </label>
        <label class="form">
          About the time
          <input name="occurredAt" type="datetime-local" defaultValue={toLocalField(memory?.occurredAt ?? null)} />
        </label>
        <label class="form">
          Expires
          <input name="expiresAt" type="datetime-local" defaultValue={toLocalField(memory?.expiresAt ?? null)} />
        </label>
      </div>
      <div role="alert">
        {failure.value && (explain?.(failure.value.error) || <p class="error">{describeError(failure.value.error)}</p>)}
      </div>
      <div class="buttons end">
        <button type="button" class="small" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" class="small primary" disabled={isBusy.value}>
          {submitLabel} <kbd>Ctrl ↵</kbd>
        </button>
      </div>
    </form>
  );
}

/** Reads the fields. A time that was not touched keeps its seconds. */
function fieldsOf(form: FormData, memory: Memory | undefined): MemoryFields {
  const text = (name: string) => String(form.get(name) ?? '');
  const time = (name: 'occurredAt' | 'expiresAt') => {
    const before = memory?.[name] ?? null;
    return text(name) === toLocalField(before) ? before : fromLocalField(text(name));
  };
  return {
    content: text('content'),
    project: text('project').trim() || null,
    occurredAt: time('occurredAt'),
    expiresAt: time('expiresAt'),
  };
}
