import type { AppError } from './errors.ts';

/** What became of a thing that was to be brought in: `known` is there already, anything else is left out for a reason. */
export type ImportOutcome = 'added' | 'known' | LeftOut;

/** Why a thing was left out; `fault` where somebody should look at it. */
export interface LeftOut {
  reason: string;
  fault: boolean;
}

/** A fault in few words, with the place in the thing where it is. */
export function leftOutBecause({ message, options }: AppError): LeftOut {
  const [first] = options.errors ?? [];
  const where = first?.path.replace(/^\//, '').replaceAll('/', '.') ?? '';
  const reason = first === undefined ? message : `${where} ${first.message}`.trim();
  return { reason, fault: true };
}
