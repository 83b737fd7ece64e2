import type { Memory } from '../../../client/client.ts';
import { showToast } from '../../parts/toasts.tsx';
import { changeParameters } from '../../router.ts';
import { supersede } from '../../superseding.ts';
import { MemoryForm } from './memory-form.tsx';

interface MemoryReplacementProps {
  memory: Memory;
  /** Marks it as outdated without a replacement. */
  onClose(): void;
  onCancel(): void;
}

/** Says what holds instead of a memory, if anything does. The old one is closed and stays in the history. */
export function MemoryReplacement({ memory, onClose, onCancel }: MemoryReplacementProps) {
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
