import type { ImportOutcome, SkipReason } from '../../contract/import-outcome.ts';
import type { ImportCounts, ImportReport } from '../../contract/portability.ts';
import { clip } from './formats/foreign-values.ts';

const MAX_REASONS = 1000;
const MAX_REASON_CHARACTERS = 300;

/** Counts the outcomes of an import. */
export interface ReportBuilder {
  /** Returns the report so far, with the reasons in line order. */
  build(): ImportReport;
  count(kind: keyof ImportCounts, outcome: ImportOutcome, place: string): void;
  skip(place: string, why: SkipReason): void;
}

export function createReportBuilder(): ReportBuilder {
  const report: ImportReport = { added: noCounts(), known: noCounts(), skipped: 0, reasons: [], complete: false };
  function skip(place: string, { reason, fault }: SkipReason): void {
    report.skipped += 1;
    if (report.reasons.length >= MAX_REASONS) return;
    // Both may quote the file, at any length.
    const clipped = { place: clip(place, MAX_REASON_CHARACTERS), reason: clip(reason, MAX_REASON_CHARACTERS) };
    report.reasons.push({ ...clipped, fault });
  }
  return {
    build: () => ({ ...report, reasons: report.reasons.toSorted((a, b) => lineOf(a) - lineOf(b)) }),
    skip,
    count(kind, outcome, place) {
      if (typeof outcome === 'string') report[outcome][kind] += 1;
      else skip(place, outcome);
    },
  };
}

/** Items rejected on write are reported after later lines that were rejected on read. */
function lineOf({ place }: { place: string }): number {
  return Number(/^line (\d+)$/.exec(place)?.[1] ?? 0);
}

function noCounts(): ImportCounts {
  return { memories: 0, conversations: 0, messages: 0, episodes: 0, learned: 0, suggestions: 0 };
}
