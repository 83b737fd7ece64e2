import { benchBridge } from './bridge.ts';
import { benchConversations } from './conversations.ts';
import { benchExtraction } from './extraction.ts';
import { benchNeighbours } from './neighbours.ts';
import { benchPortability } from './portability.ts';
import { benchQuery } from './query.ts';
import type { Section } from './report.ts';
import { benchMeaning, benchRecall } from './retrieval/latency.ts';
import { benchRoutes } from './routes.ts';
import { benchStartup } from './startup.ts';
import { benchWorstInputs } from './worst-inputs.ts';

export interface BenchOptions {
  /** How often each of the two that are compared gets its turn. */
  rounds: number;
  /** How long one turn is. */
  seconds: number;
  /** For the daemon's node, e.g. `--cpu-prof`. */
  nodeOptions: readonly string[];
  /** A file of dialogues, for what reads them; absent: a dialogue that was made up. */
  data?: string | undefined;
  progress(text: string): void;
}

/** All there is to measure, by the name to ask for. */
export const BENCHMARKS: Readonly<Record<string, (options: BenchOptions) => Promise<Section>>> = {
  routes: benchRoutes,
  query: benchQuery,
  conversations: benchConversations,
  recall: benchRecall,
  meaning: benchMeaning,
  neighbours: benchNeighbours,
  startup: benchStartup,
  bridge: benchBridge,
  portability: benchPortability,
  extraction: benchExtraction,
  'worst-inputs': benchWorstInputs,
};
