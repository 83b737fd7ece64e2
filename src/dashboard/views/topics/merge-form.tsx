import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Topic } from '../../../client/client.ts';
import { formatCount } from '../../format.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { whileTyping } from '../../parts/typing.ts';
import { useResource } from '../../resource.ts';
import { currentSession } from '../../session.ts';

const TYPING_PAUSE_MS = 180;
const SHOWN = 8;

interface MergeFormProps {
  topic: Topic;
  isBusy: boolean;
  onMerge(other: Topic): void;
  onCancel(): void;
}

/** Finds the topic that becomes part of another, while its name is typed. */
export function MergeForm({ topic: { id, name, user }, isBusy, onMerge, onCancel }: MergeFormProps) {
  const query = useSignal('');
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const found = useResource(
    `merge ${query.value}`,
    async (signal) => {
      const asked = { user, limit: SHOWN + 1, ...(query.value !== '' && { q: query.value }) };
      const { data } = await currentSession().client.topics.list(asked, { signal });
      return data.filter((one) => one.id !== id).slice(0, SHOWN);
    },
    { keepsPrevious: true },
  );
  return (
    <div class="stack">
      <label>
        Topic that becomes part of this one
        <input
          maxLength={80}
          autocomplete="off"
          spellcheck={false}
          placeholder="Type the beginning of a name"
          autofocus
          {...whileTyping((text) => {
            clearTimeout(timer.current);
            timer.current = setTimeout(() => (query.value = text.trim()), TYPING_PAUSE_MS);
          })}
        />
      </label>
      <Loaded resource={found} label="Looking for topics" rows={3}>
        {(topics) =>
          topics.length === 0 ? (
            <p class="hint">No other topic has such a name.</p>
          ) : (
            <ul class="topic-choices">
              {topics.map((other) => (
                <li key={other.id}>
                  <button type="button" class="link" disabled={isBusy} onClick={() => onMerge(other)}>
                    <span class="unseen">Merge </span>
                    <bdi>{other.name}</bdi>
                  </button>
                  <span class="hint">{formatCount(other.memoryCount, 'memory', 'memories')}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <p class="hint">
        Its names become other names of “<bdi>{name}</bdi>”.
      </p>
      <div class="buttons">
        <button type="button" class="small" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </div>
  );
}
