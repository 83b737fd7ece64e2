import type { Client } from '../../client/client.ts';
import type { ApiError } from '../../client/errors.ts';
import type { Memory } from '../../contract/memories.ts';
import type { Suggestion } from '../../contract/suggestions.ts';
import type { CommandContext } from '../command-context.ts';
import { toFailure } from '../failure.ts';
import { editText, withDraftPath } from '../memory/editor.ts';
import { printable } from '../memory/terminal-text.ts';
import type { ReviewCardProps, ReviewKey } from '../ui/review-card.tsx';
import { KIND_TITLES, linesOfSuggestion, sourceOfSuggestion } from './suggestion-text.ts';

interface Parts {
  client: Client;
  context: Pick<CommandContext, 'clock' | 'environment'>;
  /** Shows a suggestion and waits for a key. */
  show(card: Omit<ReviewCardProps, 'onKey' | 'color'>): Promise<ReviewKey>;
}

/** The memories that a suggestion is about. */
type MemoriesById = ReadonlyMap<string, Memory>;

/** How many were decided. */
export interface ReviewOutcome {
  accepted: number;
  rejected: number;
  left: number;
}

/** Goes through suggestions one by one until the person quits; after the last, they may still undo. */
export async function reviewAll(suggestions: readonly Suggestion[], parts: Parts): Promise<ReviewOutcome> {
  const { client, context, show } = parts;
  const open = [...suggestions];
  const decided: { suggestion: Suggestion; at: number; as: 'accepted' | 'rejected' }[] = [];
  let at = 0;
  let notice = '';

  async function act(suggestion: Suggestion, memories: MemoriesById, key: ReviewKey): Promise<void> {
    if (key.action === 'reject') await client.suggestions.reject(suggestion.id);
    else if (key.action === 'edit') await acceptEdited(suggestion, memories);
    else await client.suggestions.accept(suggestion.id, acceptanceOf(suggestion, key));
    const as = key.action === 'reject' ? 'rejected' : 'accepted';
    decided.push({ suggestion, at, as });
    open.splice(at, 1);
    at = Math.min(at, Math.max(0, open.length - 1));
    notice = as === 'accepted' ? 'Accepted. Press u to undo.' : 'Rejected: it is not suggested again. Press u to undo.';
  }

  async function acceptEdited(suggestion: Suggestion, memories: MemoriesById): Promise<void> {
    const current = suggestion.content ?? memories.get(suggestion.memoryIds.at(-1) ?? '')?.content ?? '';
    const draft = await editText(current, context.environment);
    await client.suggestions.accept(suggestion.id, { content: draft.text }).catch((error: Error) => {
      throw withDraftPath(error, draft);
    });
    await draft.discard();
  }

  async function undo(): Promise<void> {
    const last = decided.at(-1);
    if (last === undefined) {
      notice = 'Nothing to undo.';
      return;
    }
    const reopened = await client.suggestions.undo(last.suggestion.id);
    decided.pop();
    at = Math.min(last.at, open.length);
    open.splice(at, 0, reopened);
    notice = 'Undone.';
  }

  function report(error: unknown): void {
    if (toFailure(error) === undefined) throw error;
    notice = printable((error as Error).message);
  }

  while (open.length > 0 || decided.length > 0) {
    const suggestion = open[at];
    if (suggestion === undefined) {
      const key = await show({ ...ALL_DECIDED, notice });
      if (key.action !== 'undo') break;
      await undo().catch(report);
      continue;
    }
    const memories = await memoriesOf(client, suggestion);
    const key = await show({
      place: `${at + 1} of ${open.length}`,
      title: KIND_TITLES[suggestion.kind],
      source: sourceOfSuggestion(suggestion),
      reason: printable(suggestion.reason),
      lines: linesOfSuggestion(suggestion, memories, context.clock.nowMs()),
      notice,
      isDone: false,
      choices: suggestion.kind === 'contradiction' ? Math.min(9, suggestion.memoryIds.length) : 0,
    });
    notice = '';
    if (key.action === 'quit') break;
    if (key.action === 'next') at = Math.min(at + 1, open.length - 1);
    else if (key.action === 'previous') at = Math.max(at - 1, 0);
    else {
      // What changed meanwhile cannot be decided any more: say so and go on.
      await (key.action === 'undo' ? undo() : act(suggestion, memories, key)).catch((error: unknown) => {
        report(error);
        if ((error as ApiError).code === 'conflict' && key.action !== 'undo') open.splice(at, 1);
        at = Math.min(at, Math.max(0, open.length - 1));
      });
    }
  }
  const count = (as: 'accepted' | 'rejected') => decided.filter((one) => one.as === as).length;
  return { accepted: count('accepted'), rejected: count('rejected'), left: open.length };
}

const ALL_DECIDED = { place: '', title: 'All decided.', source: '', reason: '', lines: [], choices: 0, isDone: true };

/** The choice with which a suggestion is accepted. */
function acceptanceOf({ memoryIds }: Suggestion, key: ReviewKey): { keep?: string } {
  return key.action === 'keep' ? { keep: memoryIds[key.number - 1]! } : {};
}

async function memoriesOf(client: Client, { memoryIds }: Suggestion): Promise<MemoriesById> {
  if (memoryIds.length === 0) return new Map();
  const { data } = await client.memories.query({ ids: memoryIds });
  return new Map(data.map((memory) => [memory.id, memory]));
}
