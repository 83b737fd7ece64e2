import { useSignal } from '@preact/signals';
import type { MemoryChange } from '../../../client/client.ts';
import { describeError } from '../../errors.ts';
import { formatCount } from '../../format.ts';
import { hrefWith } from '../../router.ts';
import { fromLocalField } from './local-time.ts';
import type { ProjectConversations } from './project-conversations.ts';
import { parseTags } from './tag-text.ts';

interface BulkBarProps {
  count: number;
  isAll: boolean;
  /** Outdated and replaced memories that pass the filters and are not shown. */
  hiddenCount: number;
  /** What else the project of the memories has. */
  conversations: ProjectConversations | undefined;
  onSelectAll(): void;
  onChange(change: MemoryChange): Promise<void>;
  /** Copies them to a space; undefined where they cannot be copied. */
  onCopy: (() => void) | undefined;
  onForget(): void;
  onClear(): void;
}

/** A bulk action that asks for a value first. */
interface Action {
  title: string;
  label: string;
  type: 'text' | 'datetime-local';
  list?: string;
  /** Undefined for a value that changes nothing. */
  changeOf(value: string): MemoryChange | undefined;
}

const tagsOr = (text: string, change: (tags: string[]) => MemoryChange) => {
  const tags = parseTags(text);
  return tags.length === 0 ? undefined : change(tags);
};

const ACTIONS: readonly Action[] = [
  {
    title: 'Tag',
    label: 'Tags to add',
    type: 'text',
    list: 'memory-tags',
    changeOf: (text) => tagsOr(text, (addTags) => ({ addTags })),
  },
  {
    title: 'Untag',
    label: 'Tags to remove',
    type: 'text',
    list: 'memory-tags',
    changeOf: (text) => tagsOr(text, (removeTags) => ({ removeTags })),
  },
  {
    title: 'Project',
    label: 'Project, empty for none',
    type: 'text',
    list: 'memory-projects',
    changeOf: (text) => ({ project: text.trim() || null }),
  },
  {
    title: 'Expire',
    label: 'Expires at, empty for never',
    type: 'datetime-local',
    changeOf: (text) => ({ expiresAt: fromLocalField(text) }),
  },
];

/** Actions on the selected memories. */
export function BulkBar(props: BulkBarProps) {
  const { count, isAll, hiddenCount, conversations, onSelectAll, onChange, onCopy, onForget, onClear } = props;
  const chosen = useSignal<Action | undefined>(undefined);
  const error = useSignal('');
  const isBusy = useSignal(false);
  const apply = async (value: string) => {
    const change = chosen.value?.changeOf(value);
    if (!change) return;
    isBusy.value = true;
    error.value = '';
    try {
      await onChange(change);
      chosen.value = undefined;
    } catch (failed) {
      error.value = describeError(failed);
    } finally {
      isBusy.value = false;
    }
  };
  const action = chosen.value;
  return (
    <section class="bulk-bar" aria-label="Selected memories">
      <input
        type="checkbox"
        class="row-check"
        aria-label="Select all"
        checked={isAll}
        indeterminate={!isAll}
        onChange={isAll ? onClear : onSelectAll}
      />
      <p role="status">
        <strong>{formatCount(count, 'memory', 'memories')}</strong> selected
      </p>
      {action ? (
        <form
          class="bar"
          onSubmit={(event) => {
            event.preventDefault();
            void apply(String(new FormData(event.currentTarget).get('value')));
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.stopPropagation();
            chosen.value = undefined;
          }}
        >
          <label class="unseen" for="bulk-value">
            {action.label}
          </label>
          <input
            key={action.title}
            id="bulk-value"
            name="value"
            type={action.type}
            list={action.list}
            placeholder={action.label}
            ref={(field) => field?.focus()}
          />
          <button type="submit" class="small primary" disabled={isBusy.value}>
            {action.title}
          </button>
          <button type="button" class="small" onClick={() => (chosen.value = undefined)}>
            Cancel
          </button>
        </form>
      ) : (
        <div class="buttons">
          {ACTIONS.map((one) => (
            <button key={one.title} type="button" class="small" onClick={() => (chosen.value = one)}>
              {one.title}
            </button>
          ))}
          {onCopy && (
            <button type="button" class="small" onClick={onCopy}>
              Copy to space…
            </button>
          )}
          <button type="button" class="small danger" onClick={onForget}>
            Forget
          </button>
          <button type="button" class="link" onClick={onClear}>
            Clear
          </button>
        </div>
      )}
      {isAll && hiddenCount > 0 && (
        <a class="hint" href={hrefWith({ show: 'all' })}>
          Show {hiddenCount} superseded
        </a>
      )}
      {isAll && conversations && (
        <label class="check hint">
          <input
            type="checkbox"
            checked={conversations.areChosen.value}
            onChange={(event) => (conversations.areChosen.value = event.currentTarget.checked)}
          />
          Forget the {conversations.ids.length === 1 ? 'conversation' : `${conversations.ids.length} conversations`} of{' '}
          {conversations.project} too
        </label>
      )}
      {error.value && (
        <p class="error" role="alert">
          {error.value}
        </p>
      )}
    </section>
  );
}
