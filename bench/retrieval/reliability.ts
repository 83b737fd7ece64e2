import { type Finding, formatNumber, type Section } from '../report.ts';
import { mean } from './recall-table.ts';

/** A probability that the daemon stated, and whether it came true. */
export interface Stated {
  probability: number;
  isTrue: boolean;
}

/** Every bin is a tenth. */
const BINS = 10;
const BAR = 20;
/** Share of the answerable questions that the refusal threshold keeps. */
const KEPT = 0.9;

/** A reliability diagram as text: what was stated, what came true, and how far apart they are on average. */
export function reliabilityOf(title: string, stated: readonly Stated[]): Section {
  const bins = Array.from({ length: BINS }, (_, bin) =>
    stated.filter(({ probability }) => Math.min(BINS - 1, Math.floor(probability * BINS)) === bin),
  );
  const rows = bins.flatMap((bin, index) => (bin.length === 0 ? [] : [rowOf(bin, index)]));
  const gaps = bins.map((bin) => (bin.length / stated.length) * Math.abs(statedIn(bin) - trueIn(bin)));
  const findings = [{ name: 'expected calibration error', value: gaps.reduce((sum, gap) => sum + gap, 0) }];
  return { name: 'reliability', title, rows, findings };
}

/** The share of the false that a threshold refuses which keeps nine in ten of the true. */
export function refusedAtNineTenths(stated: readonly Stated[]): Finding {
  const of = (wanted: boolean) =>
    stated.filter(({ isTrue }) => isTrue === wanted).map(({ probability }) => probability);
  const kept = of(true).sort((a, b) => b - a);
  const threshold = kept[Math.ceil(kept.length * KEPT) - 1] ?? 0;
  const refused = of(false).map((probability) => (probability < threshold ? 1 : 0));
  return { name: 'share of the unanswerable refused where 90 % of the answerable are kept', value: mean(refused) };
}

function rowOf(bin: readonly Stated[], index: number): Record<string, string> {
  const [said, came] = [Math.round(statedIn(bin) * BAR), Math.round(trueIn(bin) * BAR)];
  return {
    stated: `${formatNumber(index / BINS)}–${formatNumber((index + 1) / BINS)}`,
    count: String(bin.length),
    'came true': trueIn(bin).toFixed(2),
    '█ came true, │ stated': Array.from({ length: BAR + 1 }, (_, at) =>
      at === said ? '│' : at < came ? '█' : '·',
    ).join(''),
  };
}

const statedIn = (bin: readonly Stated[]) => mean(bin.map(({ probability }) => probability));
const trueIn = (bin: readonly Stated[]) => mean(bin.map(({ isTrue }) => (isTrue ? 1 : 0)));
