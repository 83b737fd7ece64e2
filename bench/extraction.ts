import { join } from 'node:path';
import { startProviderServer } from '../test/helpers/providers/server.ts';
import { syntheticDialogue } from '../test/helpers/synthetic-dialogue.ts';
import { callApi, signInByMail } from './api-session.ts';
import type { BenchOptions } from './benchmarks.ts';
import { type ExtractedDialogue, extractDialogue, type Run } from './dialogue-extraction.ts';
import { firstPersonModel } from './first-person-model.ts';
import { type Dialogue, readDialogues, toDialogue } from './locomo-data.ts';
import { inFreshFolder, startDaemon } from './processes.ts';
import type { Section } from './report.ts';

/** Extracts memories from dialogues through the built daemon, with a rule in place of the provider's model. */
export async function benchExtraction(options: BenchOptions): Promise<Section> {
  const dialogues = options.data === undefined ? [toDialogue(syntheticDialogue())] : await readDialogues(options.data);
  const extracted = await extractAll(dialogues, options);
  const rows = extracted.flatMap(([{ sampleId }, { turns, runs }]) =>
    Object.values(runs).map((run) => ({ dialogue: sampleId, turns, ...rowOf(run) })),
  );
  const sumOf = (value: (dialogue: ExtractedDialogue) => number) =>
    extracted.reduce((sum, [, dialogue]) => sum + value(dialogue), 0);
  const added = ({ job }: Run) => job.result!.added + job.result!.updated + job.result!.superseded;
  return {
    name: 'extraction',
    title: 'Memories extracted from dialogues by a rule-based model',
    rows,
    findings: [
      { name: 'memories', value: sumOf(({ memories }) => memories.length), atLeast: 1 },
      { name: 'missing or unexpected', value: sumOf(({ mismatches }) => mismatches.length), atMost: 0 },
      { name: 'wrong citations', value: sumOf(({ wrongCitations }) => wrongCitations.length), atMost: 0 },
      { name: 'changed by a second run', value: sumOf(({ runs }) => added(runs.second)), atMost: 0 },
      { name: 'changed by rereading everything', value: sumOf(({ runs }) => added(runs.again)), atMost: 0 },
      {
        name: 'contradictions that superseded a known memory',
        value: sumOf(({ runs }) => runs.contradiction.job.result!.superseded),
        atLeast: dialogues.length,
      },
    ],
  };
}

function rowOf({ name, job, seconds }: Run) {
  const { added, superseded, nothing } = job.result!;
  return { run: name, passages: job.used.requests, added, superseded, nothing, seconds };
}

/** Runs all dialogues in one account of a dedicated daemon. */
export async function extractAll(
  dialogues: readonly Dialogue[],
  { nodeOptions, progress }: Pick<BenchOptions, 'nodeOptions' | 'progress'>,
): Promise<[Dialogue, ExtractedDialogue][]> {
  const server = await startProviderServer('openai', { answer: firstPersonModel });
  try {
    return await inFreshFolder(async (dataDir) => {
      const settings = { SVC_DEFAULT_TIER: 'Enterprise', SVC_PROVIDER_HOSTS: server.host };
      const daemon = await startDaemon({ dataDir, settings, nodeOptions });
      try {
        const apiKey = await signInByMail(daemon.url, join(dataDir, 'mail'), 'ada@example.com');
        const key = { key: 'sk-bench', baseUrl: server.baseUrl };
        await callApi(daemon.url, apiKey, '/v1/provider-keys/openai', key, 'PUT');
        const extracted: [Dialogue, ExtractedDialogue][] = [];
        for (const dialogue of dialogues) {
          progress(`extracting from ${dialogue.sampleId}`);
          extracted.push([dialogue, await extractDialogue({ url: daemon.url, apiKey }, dialogue)]);
        }
        return extracted;
      } finally {
        await daemon.stop();
      }
    });
  } finally {
    await server.close();
  }
}
