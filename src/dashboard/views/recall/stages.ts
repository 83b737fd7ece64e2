import type { SearchTimings } from '../../../client/client.ts';

type StageName = Exclude<keyof SearchTimings, 'totalMs'>;

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
  contextMs: 'composing',
};

/** The stages that the search had. */
export function stagesOf(timings: SearchTimings): Stage[] {
  return (Object.keys(LABELS) as StageName[]).flatMap((name) => {
    const ms = timings[name];
    if (ms === undefined) return [];
    return [{ name, label: LABELS[name], ms, share: timings.totalMs === 0 ? 0 : ms / timings.totalMs }];
  });
}
