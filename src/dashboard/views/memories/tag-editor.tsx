import { useSignal } from '@preact/signals';
import { Icon } from '../../shell/icon.tsx';
import { parseTags } from './tag-text.ts';

interface TagEditorProps {
  tags: readonly string[];
  /** Superseded memories cannot be changed. */
  isReadOnly: boolean;
  onAdd(tags: string[]): void;
  onRemove(tag: string): void;
  onChoose(tag: string): void;
}

/** The tags of a memory: choosing one filters the list by it. */
export function TagEditor({ tags, isReadOnly, onAdd, onRemove, onChoose }: TagEditorProps) {
  const isAdding = useSignal(false);
  const add = (text: string) => {
    const added = parseTags(text);
    isAdding.value = false;
    if (added.length > 0) onAdd(added);
  };
  return (
    <div class="chips">
      {tags.map((tag) => (
        <span key={tag} class="chip tag-chip">
          <button type="button" class="link" title={`Show everything tagged ${tag}`} onClick={() => onChoose(tag)}>
            {tag}
          </button>
          {!isReadOnly && (
            <button
              type="button"
              class="link tag-remove"
              aria-label={`Remove tag ${tag}`}
              onClick={() => onRemove(tag)}
            >
              <Icon name="close" size={12} />
            </button>
          )}
        </span>
      ))}
      {!isReadOnly &&
        (isAdding.value ? (
          <input
            class="tag-field"
            aria-label="New tags"
            placeholder="Tags, with commas"
            list="memory-tags"
            ref={(field) => field?.focus()}
            onBlur={(event) => add(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') add(event.currentTarget.value);
              if (event.key !== 'Escape') return;
              event.stopPropagation();
              event.currentTarget.value = '';
              isAdding.value = false;
            }}
          />
        ) : (
          <button type="button" class="chip tag-add" onClick={() => (isAdding.value = true)}>
            <Icon name="plus" size={12} /> tag
          </button>
        ))}
    </div>
  );
}
