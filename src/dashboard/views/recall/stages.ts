import type { SearchTimings } from '../../../client/client.ts';

type StageName = Exclude<keyof SearchTimings, 'totalMs' | 'contextMs'>;

/** A stage of a search. */
export interface Stage {
  name: StageName;
  label: string;
  ms: number;
  /** Share of the whole time, 0 to 1. */
  share: number;
}

/** The stages, in the order in which they run. */
const LABELS: Record<StageName, string> = {
  queryMs: 'query',
  waitMs: 'waiting',
  candidatesMs: 'candidates',
  signalsMs: 'signals',
  rankMs: 'ranking',
  resultsMs: 'results',
};

/** The stages of a search. */
export function stagesOf(timings: SearchTimings): Stage[] {
  return (Object.keys(LABELS) as StageName[]).map((name) => {
    const ms = timings[name];
    return { name, label: LABELS[name], ms, share: timings.totalMs === 0 ? 0 : ms / timings.totalMs };
  });
}
