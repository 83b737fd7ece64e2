import { redactJson } from '../../lib/redaction.ts';
import { runInSlices } from '../../lib/time-slices.ts';

/** Something that a caller writes: its content is text, or the parts of a message. */
interface Written {
  content?: unknown;
}

/** Items with their credentials masked, and how many each had. */
export interface RedactedContents<T> {
  items: T[];
  counts: number[];
}

/** Masks the credentials in the contents of a tenant's items, in time slices. */
export function redactContents<T extends Written>(tenantId: string, items: readonly T[]): Promise<RedactedContents<T>> {
  return runInSlices(redactInSteps(items), tenantId);
}

function* redactInSteps<T extends Written>(items: readonly T[]): Generator<void, RedactedContents<T>> {
  const redacted: RedactedContents<T> = { items: [], counts: [] };
  for (const item of items) {
    const { value, count } = yield* redactJson(item.content);
    redacted.items.push(count === 0 ? item : { ...item, content: value });
    redacted.counts.push(count);
    yield;
  }
  return redacted;
}

/** Adds the number of masked credentials to the answer to a write, if there were any. */
export function withRedacted<T extends object>(answer: T, count: number | undefined): T & { redacted?: number } {
  return count ? { ...answer, redacted: count } : answer;
}
