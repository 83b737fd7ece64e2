import { benchBeside } from './beside/beside.ts';
import { benchBridge } from './bridge.ts';
import { benchConversations } from './conversations.ts';
import type { Engine } from './databases.ts';
import { benchEngineSizes } from './engine-sizes.ts';
import { benchEngines } from './engines.ts';
import { benchExtraction } from './extraction.ts';
import { benchFairness } from './fairness.ts';
import { benchHook } from './hook.ts';
import { benchLedger } from './ledger.ts';
import { benchMoving } from './moving.ts';
import { benchNeighbors } from './neighbors.ts';
import { benchPortability } from './portability.ts';
import { benchQuery } from './query.ts';
import { benchRedaction } from './redaction.ts';
import type { Section } from './report.ts';
import { benchMeaning, benchRecall } from './retrieval/latency.ts';
import { benchRoutes } from './routes.ts';
import { benchSessions } from './sessions/sessions.ts';
import { benchStartup } from './startup.ts';
import { benchSustained } from './sustained.ts';
import { benchWorstBodies } from './worst-bodies.ts';
import { benchWorstInputs } from './worst-inputs.ts';

export interface BenchOptions {
  /** Measurements per side; the median is reported. */
  rounds: number;
  /** Length of one measurement. */
  seconds: number;
  /** Node options for the daemon, e.g. `--cpu-prof`. */
  nodeOptions: readonly string[];
  /** LoCoMo file for the benchmarks that read dialogues; absent: a synthetic dialogue. For sessions, files of people. */
  data?: string | undefined;
  /** The engine of fairness and neighbors; SQLite by default. */
  engine?: Engine;
  /** Names of the loads that fairness measures; all by default. */
  loads?: readonly string[] | undefined;
  /** Sizes of the tenants that are searched in benchmarks that compare the engines. */
  memories?: readonly number[] | undefined;
  /** Texts to store in beside; 2,000 by default. */
  turns?: number | undefined;
  /** Writes in flight at once in beside; 50 by default. */
  inFlight?: number | undefined;
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
  ledger: benchLedger,
  portability: benchPortability,
  extraction: benchExtraction,
  redaction: benchRedaction,
  sessions: benchSessions,
  'worst-inputs': benchWorstInputs,
  'worst-bodies': benchWorstBodies,
  engines: benchEngines,
  'engine-sizes': benchEngineSizes,
  moving: benchMoving,
  beside: benchBeside,
  sustained: benchSustained,
};

/** Benchmarks that run only if named: they need PostgreSQL, dialogues and packages from npm, or ten minutes. */
export const ONLY_IF_NAMED: ReadonlySet<string> = new Set([
  ...['engines', 'engine-sizes', 'moving', 'beside', 'sustained', 'sessions'],
]);
