import type { AppError } from './errors.ts';

/** Outcome for one imported item; `known` means that it already exists. */
export type ImportOutcome = 'added' | 'known' | SkipReason;

/** Why an item was left out; `fault` if it needs attention. */
export interface SkipReason {
  reason: string;
  fault: boolean;
}

/** Condenses an error to a short reason with the path of the offending field. */
export function skipReasonOf({ message, options }: AppError): SkipReason {
  const [first] = options.errors ?? [];
  const where = first?.path.replace(/^\//, '').replaceAll('/', '.') ?? '';
  const reason = first === undefined ? message : `${where} ${first.message}`.trim();
  return { reason, fault: true };
}
