import type { ImportOutcome, LeftOut } from '../../contract/import-outcome.ts';
import type { ImportCounts, ImportReport } from '../../contract/portability.ts';
import { clip } from './formats/foreign-values.ts';

const REASONS_KEPT = 1000;
const REASON_CHARACTERS = 300;

/** Counts what becomes of the things of a file. */
export interface ImportTally {
  /** What was counted so far, the reasons in the order of their lines. */
  report(): ImportReport;
  count(kind: keyof ImportCounts, fate: ImportOutcome, place: string): void;
  leaveOut(place: string, why: LeftOut): void;
}

/** Nothing counted yet. */
export function createTally(): ImportTally {
  const report: ImportReport = { added: none(), known: none(), skipped: 0, reasons: [], complete: false };
  function leaveOut(place: string, { reason, fault }: LeftOut): void {
    report.skipped += 1;
    // A reason may name what the file holds, however long that is.
    if (report.reasons.length >= REASONS_KEPT) return;
    report.reasons.push({ place: clip(place, REASON_CHARACTERS), reason: clip(reason, REASON_CHARACTERS), fault });
  }
  return {
    report: () => ({ ...report, reasons: report.reasons.toSorted((a, b) => lineOf(a) - lineOf(b)) }),
    leaveOut,
    count(kind, fate, place) {
      if (typeof fate === 'string') report[fate][kind] += 1;
      else leaveOut(place, fate);
    },
  };
}

/** Some are left out only when they are written, behind later lines that were never to be. */
function lineOf({ place }: { place: string }): number {
  return Number(/^line (\d+)$/.exec(place)?.[1] ?? 0);
}

function none(): ImportCounts {
  return { memories: 0, conversations: 0, messages: 0, episodes: 0, learned: 0 };
}
