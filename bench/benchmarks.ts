import { benchBridge } from './bridge.ts';
import { benchConversations } from './conversations.ts';
import { benchExtraction } from './extraction.ts';
import { benchFairness } from './fairness.ts';
import { benchHook } from './hook.ts';
import { benchNeighbors } from './neighbors.ts';
import { benchPortability } from './portability.ts';
import { benchQuery } from './query.ts';
import type { Section } from './report.ts';
import { benchMeaning, benchRecall } from './retrieval/latency.ts';
import { benchRoutes } from './routes.ts';
import { benchStartup } from './startup.ts';
import { benchWorstInputs } from './worst-inputs.ts';

export interface BenchOptions {
  /** Measurements per side; the median is reported. */
  rounds: number;
  /** Length of one measurement. */
  seconds: number;
  /** Node options for the daemon, e.g. `--cpu-prof`. */
  nodeOptions: readonly string[];
  /** LoCoMo file for the benchmarks that read dialogues; absent: a synthetic dialogue. */
  data?: string | undefined;
  progress(text: string): void;
}

/** All benchmarks by name. */
export const BENCHMARKS: Readonly<Record<string, (options: BenchOptions) => Promise<Section>>> = {
  routes: benchRoutes,
  query: benchQuery,
  conversations: benchConversations,
  recall: benchRecall,
  meaning: benchMeaning,
  neighbors: benchNeighbors,
  fairness: benchFairness,
  startup: benchStartup,
  bridge: benchBridge,
  hook: benchHook,
  portability: benchPortability,
  extraction: benchExtraction,
  'worst-inputs': benchWorstInputs,
};
