import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Retrieval } from '../../../client/client.ts';
import type { LearnedWord } from '../../../contract/learned-words.ts';
import { describeError } from '../../errors.ts';
import { announce, onChanges } from '../../live.ts';
import { confirm } from '../../parts/confirmation.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { type PageList, usePageList } from '../../parts/page-list.ts';
import { doUnlessUndone, showToast } from '../../parts/toasts.tsx';
import { formatTimes } from '../../ranking-words.ts';
import { hrefOf } from '../../router.ts';
import { currentSession, endSessionOn } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import { may } from '../../space.ts';
import { userParameter, userPhrase } from '../../users.ts';
import { groupWords, itemTitle, type LearnedItem, wordKey } from './learned-items.ts';

/** Keys of words and items that are hidden, because their words are about to be forgotten. */
const hidden = signal<ReadonlySet<string>>(new Set());

/** Whether a word is shown: nobody has just forgotten it, or all words of its item. */
function isShown({ itemId, word }: LearnedWord): boolean {
  return !hidden.value.has(wordKey({ itemId })) && !hidden.value.has(wordKey({ itemId, word }));
}

/** Hides one word of an item, or all of them, and forgets them unless the user undoes it in time. */
function forgetWords(
  list: PageList<LearnedWord>,
  selection: { user: string; itemId: string; word?: string },
  text: string,
): void {
  const key = wordKey(selection);
  const { client } = currentSession();
  hidden.value = new Set([...hidden.peek(), key]);
  const show = () => {
    hidden.value = new Set([...hidden.peek()].filter((one) => one !== key));
  };
  doUnlessUndone({
    text,
    act: async () => {
      try {
        await client.retrieval.words.delete(selection);
      } catch (error) {
        endSessionOn(error);
        showToast(describeError(error), 'error');
        throw error;
      }
      list.change((rows) => rows.filter((row) => key !== wordKey({ itemId: row.itemId }) && key !== wordKey(row)));
      show();
      announce('feedback');
    },
    revert: show,
  });
}

interface LearnedWordsProps {
  retrieval: Pick<Retrieval, 'user' | 'usesWords' | 'infersUses'>;
  /** Loads `retrieval` again. */
  onChanged(): void;
}

const ITEMS = 20;
/** The most that the API returns at once. */
const WORDS = 200;

/** The words that lead a user to items, by item; they can be forgotten, and the learning of words switched off. */
export function LearnedWords({ retrieval, onChanged }: LearnedWordsProps) {
  const { user, usesWords } = retrieval;
  const shown = useSignal(ITEMS);
  const list = usePageList<LearnedWord>(user, (cursor, signal) =>
    currentSession().client.retrieval.words.list(
      { user, limit: WORDS, ...(cursor !== undefined && { cursor }) },
      { signal },
    ),
  );
  const { rows, total, error, isLoading } = list;
  const items = groupWords(rows.filter(isShown));
  const isComplete = total === rows.length;
  useEffect(() => onChanges(['feedback'], list.reload), [list.reload]);
  useEffect(() => {
    if (items.length < shown.value && !isComplete) list.loadMore();
  });
  const heading = useRef<HTMLHeadingElement>(null);
  const forget = (button: HTMLElement, item: LearnedItem, word?: string) => {
    focusAfter(button.closest(item.words.length === 1 ? '.word-items > li' : 'li')!, heading.current!);
    const { itemId } = item;
    const text = word === undefined ? `Forgot the words for ${itemTitle(item)}.` : `Forgot “${word}”.`;
    forgetWords(list, { user, itemId, ...(word !== undefined && { word }) }, text);
  };
  const forgetAll = async () => {
    const isConfirmed = await confirm({
      title: `Forget all words${userPhrase('of', user)}?`,
      text: 'Words of earlier questions no longer lead to what was used for them. Memories and the learned order stay.',
      yes: 'Forget all words',
    });
    if (!isConfirmed) return;
    try {
      await currentSession().client.retrieval.words.delete({ user });
      list.change(() => []);
      announce('feedback');
      showToast(`Forgot all words${userPhrase('of', user)}.`);
    } catch (failure) {
      endSessionOn(failure);
      showToast(describeError(failure), 'error');
    }
  };
  return (
    <section class="card stack learned-words" aria-labelledby="words-title">
      <div class="card-head">
        <h2 id="words-title" ref={heading} tabIndex={-1}>
          Learned words{userPhrase('of', user)}
        </h2>
        <div class="stack">
          <LearningSwitch name="usesWords" retrieval={retrieval} onChanged={onChanged}>
            Learn words from questions
          </LearningSwitch>
          <LearningSwitch name="infersUses" retrieval={retrieval} onChanged={onChanged}>
            Infer from reading and answers what was used
          </LearningSwitch>
        </div>
      </div>
      {error !== undefined && <Failure error={error} onRetry={list.retry} />}
      {items.length > 0 ? (
        <>
          <p class="hint">
            {usesWords
              ? 'A question with one of these words finds what was used for it before.'
              : 'While words are not learned, these have no effect.'}
          </p>
          <ul class="feedback-feed word-items">
            {items.slice(0, shown.value).map((item) => (
              <ItemWords
                key={item.itemId}
                item={item}
                user={user}
                onForget={(button, word) => forget(button, item, word)}
              />
            ))}
          </ul>
          <div class="buttons">
            {(items.length > shown.value || !isComplete) && (
              <button type="button" class="small" disabled={isLoading} onClick={() => (shown.value += ITEMS)}>
                Show more
              </button>
            )}
            {may('memory') && (
              <button type="button" class="small danger" onClick={() => void forgetAll()}>
                Forget all words
              </button>
            )}
          </div>
        </>
      ) : isLoading ? (
        <Loading label="Loading learned words" rows={2} />
      ) : (
        error === undefined && (
          <p class="hint">
            {usesWords
              ? 'Where a result is used for a question, the words of the question lead to it the next time.'
              : 'No words are stored, and none are learned from questions.'}
          </p>
        )
      )}
    </section>
  );
}

interface LearningSwitchProps extends LearnedWordsProps {
  name: 'usesWords' | 'infersUses';
  children: string;
}

/** Switches a way of learning. Shows what was chosen until `retrieval` says so too. */
function LearningSwitch({ name, retrieval, onChanged, children }: LearningSwitchProps) {
  const chosen = useSignal<boolean | undefined>(undefined);
  useEffect(() => {
    chosen.value = undefined;
  }, [retrieval]);
  const choose = async (isOn: boolean) => {
    chosen.value = isOn;
    try {
      await currentSession().client.retrieval.change({ user: retrieval.user, [name]: isOn });
      onChanged();
    } catch (error) {
      chosen.value = undefined;
      endSessionOn(error);
      showToast(describeError(error), 'error');
    }
  };
  return (
    <label class="check">
      <input
        type="checkbox"
        role="switch"
        checked={chosen.value ?? retrieval[name]}
        disabled={chosen.value !== undefined}
        onChange={(event) => void choose(event.currentTarget.checked)}
      />
      {children}
    </label>
  );
}

interface ItemWordsProps {
  item: LearnedItem;
  user: string;
  /** Forgets a word of the item; all without `word`. */
  onForget(button: HTMLElement, word?: string): void;
}

function ItemWords({ item, user, onForget }: ItemWordsProps) {
  const title = itemTitle(item);
  return (
    <li>
      {item.type === 'memory' ? (
        <a class="row-text" href={hrefOf('memories', { ...userParameter(user), id: item.itemId })}>
          {item.text || title}
        </a>
      ) : (
        <span class="row-text">{item.text || title}</span>
      )}
      <span class="hint">
        {may('memory') && (
          <button
            type="button"
            class="link"
            aria-label={`Forget these words for ${title}`}
            onClick={(event) => onForget(event.currentTarget)}
          >
            Forget these
          </button>
        )}
      </span>
      <ul class="chips" aria-label={`Words for ${title}`}>
        {item.words.map(({ word, uses, observedUses }) => (
          <li key={word} class="chip tag-chip">
            <span class="filter-text" title={word}>
              {word}
            </span>{' '}
            · {formatTimes(uses + observedUses)}
            {may('memory') && (
              <button
                type="button"
                class="link tag-remove"
                aria-label={`Forget “${word}” for ${title}`}
                onClick={(event) => onForget(event.currentTarget, word)}
              >
                <Icon name="close" size={12} />
              </button>
            )}
          </li>
        ))}
      </ul>
    </li>
  );
}

/** Moves the focus from what is about to be removed to the next button of the list. */
function focusAfter(removed: Element, otherwise: HTMLElement): void {
  const buttons = [...removed.closest('.word-items')!.querySelectorAll('button')].filter(
    (one) => !removed.contains(one),
  );
  const isAfter = (button: Element) => removed.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING;
  (buttons.find(isAfter) ?? buttons.at(-1) ?? otherwise).focus();
}
