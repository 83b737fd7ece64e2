import { useSignal } from '@preact/signals';
import type { Acceptance, Memory, Suggestion } from '../../../client/client.ts';
import type { SuggestionKind } from '../../../contract/suggestion-names.ts';
import { formatProbability } from '../../format.ts';
import { Author } from '../../parts/author.tsx';
import { Diff } from '../../parts/diff.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useResource } from '../../resource.ts';
import { hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { may } from '../../space.ts';

const TITLES: Readonly<Record<SuggestionKind, string>> = {
  add: 'Remember this?',
  merge: 'Do these say the same?',
  supersede: 'Is the older one out of date?',
  contradiction: 'Which of these holds?',
  expire: 'Does this no longer hold?',
  split: 'Store as several memories?',
};

const ACCEPT: Readonly<Record<SuggestionKind, string>> = {
  add: 'Remember',
  merge: 'Keep one',
  supersede: 'Replace',
  contradiction: 'Keep',
  expire: 'No longer holds',
  split: 'Split',
};

interface SuggestionCardProps {
  suggestion: Suggestion;
  isBusy: boolean;
  isEditing: boolean;
  onEdit(isOpen: boolean): void;
  onDecide(decision: 'accept' | 'reject', acceptance?: Acceptance): void;
}

/** One suggestion: what there is now beside what would be, why, and the decision. */
export function SuggestionCard(props: SuggestionCardProps) {
  const { suggestion } = props;
  const memories = useResource(suggestion.id, async (signal) => {
    const { memoryIds } = suggestion;
    if (memoryIds.length === 0) return [];
    const { data } = await currentSession().client.memories.query({ ids: memoryIds }, { signal });
    return data;
  });
  return (
    <section class="card stack suggestion" aria-labelledby="suggestion-title">
      <h2 id="suggestion-title">{TITLES[suggestion.kind]}</h2>
      <Loaded resource={memories} label="Loading the memories">
        {(about) => <Decision {...props} about={about} />}
      </Loaded>
    </section>
  );
}

function Decision({
  suggestion,
  about,
  isBusy,
  isEditing,
  onEdit,
  onDecide,
}: SuggestionCardProps & { about: Memory[] }) {
  const { kind } = suggestion;
  const newest = about.at(-1);
  const text = useSignal(suggestion.content ?? newest?.content ?? '');
  const mustChoose = kind === 'contradiction';
  return (
    <>
      <ol class="suggestion-memories">
        {about.map((memory) => (
          <li key={memory.id} class={isGoing(kind, memory, newest) ? 'is-going' : ''}>
            <p class="content">{memory.content}</p>
            <p class="hint">
              <a href={hrefOf('memories', { id: memory.id })}>Show the memory</a>,{' '}
              <Moment at={memory.occurredAt ?? memory.createdAt} /> <Author of={memory.author} />
            </p>
            {mustChoose && may('account') && (
              <button
                type="button"
                class="small"
                disabled={isBusy}
                onClick={() => onDecide('accept', { keep: memory.id })}
              >
                This one holds
              </button>
            )}
          </li>
        ))}
      </ol>
      {!isEditing && <Outcome suggestion={suggestion} about={about} />}
      {isEditing && (
        <label class="field">
          <span>{kind === 'split' ? 'One memory on each line' : 'Text to store'}</span>
          <textarea
            rows={4}
            autofocus
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
      )}
      <p class="hint">
        {suggestion.reason} {authorOf(suggestion)}, {formatProbability(suggestion.confidence)} sure.
      </p>
      <Evidence suggestion={suggestion} />
      {may('account') && (
        <div class="buttons">
          {!mustChoose && (
            <button
              type="button"
              class="small primary"
              disabled={isBusy || (isEditing && text.value.trim() === '')}
              onClick={() => onDecide('accept', isEditing ? { content: text.value.trim() } : {})}
            >
              {isEditing ? 'Save and accept' : ACCEPT[kind]} {!isEditing && <kbd>a</kbd>}
            </button>
          )}
          {!mustChoose && kind !== 'expire' && (
            <button type="button" class="small" disabled={isBusy} onClick={() => onEdit(!isEditing)}>
              {isEditing ? 'Cancel' : 'Edit'} {!isEditing && <kbd>e</kbd>}
            </button>
          )}
          <button type="button" class="small" disabled={isBusy} onClick={() => onDecide('reject')}>
            {mustChoose ? 'Both hold' : 'No, leave unchanged'} <kbd>r</kbd>
          </button>
        </div>
      )}
    </>
  );
}

/** The text that would be stored, compared with the memory that it changes. */
function Outcome({ suggestion: { kind, content }, about }: { suggestion: Suggestion; about: readonly Memory[] }) {
  if (content === null) return null;
  const kept = kind === 'merge' && about.every((memory) => memory.content !== content) ? about[0] : undefined;
  return (
    <div>
      <p class="hint">{kind === 'merge' ? 'Kept, with the tags of all:' : 'Stored:'}</p>
      {kept ? (
        <Diff before={kept.content} after={content} />
      ) : (
        content.split('\n').map((line) => (
          <p key={line} class="content">
            {line}
          </p>
        ))
      )}
    </div>
  );
}

/** Words of messages that support the suggestion; those of its memories stand above already. */
function Evidence({ suggestion: { evidence, memoryIds } }: { suggestion: Suggestion }) {
  const others = evidence.filter(({ id }) => !memoryIds.includes(id));
  if (others.length === 0) return null;
  return (
    <details>
      <summary>What was said</summary>
      {others.map(({ id, text }) => (
        <blockquote key={id} class="content">
          {text}
        </blockquote>
      ))}
    </details>
  );
}

/** Whether a memory is no longer valid once the suggestion is accepted. */
function isGoing(kind: SuggestionKind, memory: Memory, newest: Memory | undefined): boolean {
  return kind === 'expire' || (kind === 'supersede' && memory.id !== newest?.id);
}

function authorOf({ by, byName }: Suggestion): string {
  if (by === 'rules') return 'Found by rules';
  return `Suggested by ${byName ?? (by === 'assistant' ? 'an assistant' : 'a model')}`;
}
