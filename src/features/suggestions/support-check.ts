import { AppError } from '../../contract/errors.ts';
import type { NewSuggestion } from '../../contract/suggestions.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import { supportInSteps } from '../text/support.ts';

/** Requires that what a model proposes quotes something. Throws `invalid_request`. */
export function requireEvidence({ evidence = [] }: Pick<NewSuggestion, 'evidence'>): void {
  if (evidence.length === 0) throw refused('', 'evidence', 'is missing: quote the words that support it');
}

/**
 * Requires that the text of a suggestion comes from what it cites, if it cites anything: it has no number and no name that its
 * sources do not have. `contents` are those of its memories, `at` is its JSON pointer. Throws `invalid_request`.
 */
export async function requireSupported(
  tenantId: string,
  { content, evidence = [] }: Pick<NewSuggestion, 'content' | 'evidence'>,
  contents: readonly string[],
  at = '',
): Promise<void> {
  if (content === undefined || evidence.length === 0) return;
  const sources = [...contents, ...evidence.map(({ text }) => text)];
  const { sharesWord, brought } = await runInSlices(supportInSteps(content, sources), tenantId);
  if (brought !== undefined) throw refused(at, 'content', `says "${brought}", which none of its sources says`);
  if (!sharesWord) throw refused(at, 'content', 'shares no word with its sources');
}

function refused(at: string, field: string, message: string): AppError {
  const errors = [{ path: `${at}/${field}`, message }];
  return new AppError('invalid_request', `${field} ${message}.`, { errors });
}
