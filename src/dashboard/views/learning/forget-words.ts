import { signal } from '@preact/signals';
import type { LearnedWord } from '../../../contract/learned-words.ts';
import { describeError } from '../../errors.ts';
import { announce } from '../../live.ts';
import type { PageList } from '../../parts/page-list.ts';
import { doUnlessUndone, showToast } from '../../parts/toasts.tsx';
import { currentSession, endSessionOn } from '../../session.ts';
import { wordKey } from './learned-items.ts';

/** Keys of words and items that are hidden, because their words are about to be forgotten. */
const hidden = signal<ReadonlySet<string>>(new Set());

/** Whether a word is shown: nobody has just forgotten it, or all words of its item. */
export function isShown({ itemId, word }: LearnedWord): boolean {
  return !hidden.value.has(wordKey({ itemId })) && !hidden.value.has(wordKey({ itemId, word }));
}

/** Hides one word of an item, or all of them, and forgets them unless the user undoes it in time. */
export function forgetWords(
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
