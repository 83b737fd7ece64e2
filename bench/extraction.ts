import { join } from 'node:path';
import { madeDialogue } from '../test/helpers/made-dialogue.ts';
import { startProviderServer } from '../test/helpers/providers/server.ts';
import type { BenchOptions } from './benchmarks.ts';
import { type DrawnDialogue, drawDialogue, type Run } from './dialogue-drawing.ts';
import { firstPersonModel } from './first-person-model.ts';
import { type Dialogue, readDialogues, toDialogue } from './locomo-data.ts';
import { callApi, signInByMail } from './person.ts';
import { inFreshFolder, startDaemon } from './processes.ts';
import type { Section } from './report.ts';

/** Draws memories from dialogues through the built daemon, by a provider whose model is a rule: what svc adds to it. */
export async function benchExtraction(options: BenchOptions): Promise<Section> {
  const dialogues = options.data === undefined ? [toDialogue(madeDialogue())] : await readDialogues(options.data);
  const drawn = await drawAll(dialogues, options);
  const rows = drawn.flatMap(([{ sampleId }, { turns, runs }]) =>
    Object.values(runs).map((run) => ({ dialogue: sampleId, turns, ...rowOf(run) })),
  );
  const count = (of: (one: DrawnDialogue) => number) => drawn.reduce((sum, [, one]) => sum + of(one), 0);
  const added = ({ job }: Run) => job.result!.added + job.result!.updated + job.result!.superseded;
  return {
    name: 'extraction',
    title: 'Memories drawn from dialogues, by a model that is a rule',
    rows,
    findings: [
      { name: 'memories', value: count(({ memories }) => memories.length), atLeast: 1 },
      { name: 'missing or too many', value: count(({ astray }) => astray.length), atMost: 0 },
      { name: 'cited wrongly', value: count(({ citedWrongly }) => citedWrongly.length), atMost: 0 },
      { name: 'changed by a second run', value: count(({ runs }) => added(runs.second)), atMost: 0 },
      { name: 'changed by reading all again', value: count(({ runs }) => added(runs.again)), atMost: 0 },
      {
        name: 'contradictions that took the place of what was known',
        value: count(({ runs }) => runs.contradiction.job.result!.superseded),
        atLeast: dialogues.length,
      },
    ],
  };
}

function rowOf({ name, job, seconds }: Run) {
  const { added, superseded, nothing } = job.result!;
  return { run: name, passages: job.used.requests, added, superseded, nothing, seconds };
}

/** All in one account of a daemon of their own. */
export async function drawAll(
  dialogues: readonly Dialogue[],
  { nodeOptions, progress }: Pick<BenchOptions, 'nodeOptions' | 'progress'>,
): Promise<[Dialogue, DrawnDialogue][]> {
  const server = await startProviderServer('openai', { answer: firstPersonModel });
  try {
    return await inFreshFolder(async (dataDir) => {
      const settings = { SVC_DEFAULT_TIER: 'Enterprise', SVC_PROVIDER_HOSTS: server.host };
      const daemon = await startDaemon({ dataDir, settings, nodeOptions });
      try {
        const apiKey = await signInByMail(daemon.url, join(dataDir, 'mail'), 'ada@example.com');
        const key = { key: 'sk-of-the-bench', baseUrl: server.baseUrl };
        await callApi(daemon.url, apiKey, '/v1/provider-keys/openai', key, 'PUT');
        const drawn: [Dialogue, DrawnDialogue][] = [];
        for (const dialogue of dialogues) {
          progress(`drawing from ${dialogue.sampleId}`);
          drawn.push([dialogue, await drawDialogue({ url: daemon.url, apiKey }, dialogue)]);
        }
        return drawn;
      } finally {
        await daemon.stop();
      }
    });
  } finally {
    await server.close();
  }
}
