import { AppError } from '../../contract/errors.ts';
import type { NewSuggestion } from '../../contract/suggestions.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import { supportInSteps } from '../text/support.ts';

/**
 * Requires that what a model proposes comes from what it cites: it quotes something, and its text has no number and no name
 * that its sources do not have. `contents` are those of its memories. Throws `invalid_request`.
 */
export async function requireSupported(
  tenantId: string,
  { content, evidence = [] }: Pick<NewSuggestion, 'content' | 'evidence'>,
  contents: readonly string[],
): Promise<void> {
  if (evidence.length === 0) throw refused('evidence', 'is missing: quote the words that support it');
  if (content === undefined) return;
  const sources = [...contents, ...evidence.map(({ text }) => text)];
  const { sharesWord, brought } = await runInSlices(supportInSteps(content, sources), tenantId);
  if (brought !== undefined) throw refused('content', `says "${brought}", which none of its sources says`);
  if (!sharesWord) throw refused('content', 'shares no word with its sources');
}

function refused(path: string, message: string): AppError {
  return new AppError('invalid_request', `${path} ${message}.`, { errors: [{ path, message }] });
}
