import { cpuMsOf } from '../cpu.ts';
import { recallOf } from '../recall.ts';
import { mean } from '../retrieval/recall-table.ts';
import { latenciesOf } from '../statistics.ts';
import type { System } from './system.ts';
import type { AskedQuestion, Work } from './work.ts';

/** Results of a search that count. */
export const RESULTS = 10;

/** Texts that are stored first and not timed, so that no system is timed while its code is cold. */
const COLD_SHARE = 0.25;

/** One run of one system. */
export interface Measured {
  /** Acknowledged writes per second. */
  addsPerSecond: number;
  /** CPU time of the system's processes for each write and each search, on Linux. */
  addCpuMs: number;
  searchCpuMs: number;
  /** Writes that the system answered with an error. */
  refused: number;
  /** Rows in its store after it was stopped. */
  kept: number;
  /** Acknowledged writes that are not among these. */
  lost: number;
  searchP50Ms: number;
  searchP95Ms: number;
  /** Share of the questions with evidence among the results. */
  found: number;
  /** The same where only the rarest word of the question was asked for. */
  foundByWord: number;
}

/** Stores all texts, `inFlight` at a time, asks the questions one after another, stops the system and reads its store. */
export async function measure(system: System, { turns, questions }: Work, inFlight: number): Promise<Measured> {
  const idOf = new Map<string, string>();
  let refused = 0;
  const cold = Math.floor(turns.length * COLD_SHARE);
  let asked: Awaited<ReturnType<typeof ask>>;
  let foundByWord: number;
  let addsPerSecond: number;
  let addCpuMs: number;
  const store = async (some: Work['turns']) => {
    const queue = some.values();
    const adding = async () => {
      for (const { key, text } of queue) {
        const id = await system.add(key, text).catch(() => undefined);
        if (id === undefined) refused += 1;
        else idOf.set(key, id);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, adding));
  };
  try {
    await store(turns.slice(0, cold));
    const before = idOf.size;
    const startMs = performance.now();
    const startCpuMs = await cpuMs(system);
    await store(turns.slice(cold));
    addsPerSecond = ((idOf.size - before) / (performance.now() - startMs)) * 1000;
    addCpuMs = ((await cpuMs(system)) - startCpuMs) / (turns.length - cold);
    // First, for the same reason.
    foundByWord = (await ask(system, questions, idOf, ({ rarestWord }) => rarestWord)).found;
    asked = await ask(system, questions, idOf, ({ text }) => text);
  } finally {
    await system.stop();
  }
  const stored = new Set(await system.storedIds());
  const { p50, p95 } = latenciesOf(asked.durationsMs);
  return {
    addsPerSecond,
    addCpuMs,
    searchCpuMs: asked.cpuMs,
    refused,
    kept: stored.size,
    lost: [...idOf.values()].filter((id) => !stored.has(id)).length,
    ...{ searchP50Ms: p50, searchP95Ms: p95, found: asked.found, foundByWord },
  };
}

async function ask(
  system: System,
  questions: readonly AskedQuestion[],
  idOf: ReadonlyMap<string, string>,
  queryOf: (question: AskedQuestion) => string,
): Promise<{ durationsMs: number[]; cpuMs: number; found: number }> {
  const startCpuMs = await cpuMs(system);
  const durationsMs: number[] = [];
  const hits: number[] = [];
  for (const question of questions) {
    const startMs = performance.now();
    const results = await system.search(queryOf(question), RESULTS);
    durationsMs.push(performance.now() - startMs);
    const wanted = question.evidence.flatMap((key) => idOf.get(key) ?? []);
    hits.push(recallOf(wanted, results)['hit@10']);
  }
  return { durationsMs, cpuMs: ((await cpuMs(system)) - startCpuMs) / questions.length, found: mean(hits) };
}

async function cpuMs({ pids }: System): Promise<number> {
  const times = await Promise.all(pids.map(cpuMsOf));
  return times.reduce((sum, ms) => sum + ms, 0);
}
