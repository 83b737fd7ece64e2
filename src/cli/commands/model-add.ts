import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { toTimestamp } from '../../lib/clock.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { systemRandom } from '../../lib/random.ts';
import {
  chooseModel,
  type ModelManifest,
  openStaging,
  publishModel,
  readManifest,
  writeManifest,
} from '../../outside/models/added-models.ts';
import { createLocalEmbedder, pathsOfLibraries } from '../../outside/models/local-embedder.ts';
import { downloadCommit, missingBytes } from '../../outside/models/model-download.ts';
import { ModelFolderFault, readModelFolder } from '../../outside/models/model-folder.ts';
import { type HubCommit, HubFault, type ModelHub } from '../../outside/models/model-hub.ts';
import type { ListedModel } from '../../outside/models/model-list.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import { formatBytes } from '../number-format.ts';

/** The dependencies of the model commands. */
export interface ModelContext extends Pick<CommandContext, 'terminal' | 'environment' | 'clock' | 'stopSignal'> {
  /** Opens the session of the account whose languages decide which models stand first. */
  session?: CommandContext['session'];
  /** Runs a downloaded model to try it; replaced in tests. */
  createEmbedder?: typeof createLocalEmbedder;
}

interface Dependencies {
  context: ModelContext;
  hub: ModelHub;
  /** The folder of downloaded models. */
  models: string;
  json: true | undefined;
  signal: AbortSignal;
}

/** Left free after a download. */
const SPARE_BYTES = 64 * 1024 * 1024;

/**
 * Downloads and tries a model unless it is downloaded already, and selects it. Throws `CommandFailure`; a partial
 * download is kept for the next attempt.
 */
export async function addModel(
  model: ListedModel,
  dependencies: Dependencies,
): Promise<{ manifest: ModelManifest; isNew: boolean }> {
  const { context, models } = dependencies;
  try {
    const present = await readManifest(join(models, model.name));
    const manifest = present ?? (await download(model, dependencies));
    await chooseModel(models, model.name, toTimestamp(context.clock.nowMs()));
    return { manifest, isNew: present === undefined };
  } catch (error) {
    throw failureOf(error, models);
  }
}

async function download(model: ListedModel, dependencies: Dependencies): Promise<ModelManifest> {
  const { context, hub, models, signal } = dependencies;
  pathsOfLibraries();
  await makeFolder(models);
  const commit = await hub.describe(model.repository, model.files, signal);
  const staging = await openStaging(models, model.name, commit.revision);
  await requireSpace(await missingBytes(commit, staging), models);
  await downloadWithProgress(commit, staging, dependencies);
  const { name, repository, license, dimensions, maxTokens, pooling, prefixes } = model;
  const addedAt = toTimestamp(context.clock.nowMs());
  const source = { hub: hub.url, repository, revision: commit.revision, license, addedAt };
  const manifest = { name, ...source, dimensions, maxTokens, pooling, prefixes, files: commit.files };
  await writeManifest(staging, manifest);
  await tryModel(staging, model, context.createEmbedder);
  await publishModel(staging, models, manifest);
  return manifest;
}

async function requireSpace(bytes: number, folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes + SPARE_BYTES) return;
  const found = `${folder} has ${formatBytes(bavail * bsize)} free, and the model needs ${formatBytes(bytes + SPARE_BYTES)}`;
  throw new CommandFailure(EXIT.failed, `${found}. Free some space, or choose a smaller model (svc model list).`);
}

/** Shows a progress bar in a terminal, or else a line per file. */
async function downloadWithProgress(
  commit: HubCommit,
  staging: string,
  { context, hub, json, signal }: Dependencies,
): Promise<void> {
  const { terminal } = context;
  const line = createProgressLine(context, json ? { json } : {});
  const whole = commit.files.reduce((sum, { bytes }) => sum + bytes, 0);
  let announced: string | undefined;
  try {
    await downloadCommit(hub, commit, staging, {
      signal,
      random: systemRandom,
      pause: (ms) => pause(ms, undefined, { signal }),
      onProgress({ path, bytes: size }, bytes) {
        line.show(`${path}, ${formatBytes(bytes)} of ${formatBytes(whole)}`, bytes / whole);
        if (announced === path || terminal.errorIsTty || json) return;
        announced = path;
        terminal.error(`${path} (${formatBytes(size)})\n`);
      },
    });
  } finally {
    line.clear();
  }
}

/** Loads the model and embeds a text, as the daemon will. Throws `ModelFolderFault`. */
async function tryModel(
  folder: string,
  { dimensions }: ListedModel,
  createEmbedder = createLocalEmbedder,
): Promise<void> {
  const embedder = createEmbedder(await readModelFolder(folder));
  try {
    await embedder.prepare('');
    const [vector] = await embedder.embed('', ['hello']);
    if (vector?.length === dimensions) return;
    throw new ModelFolderFault(`its vectors have ${vector?.length} dimensions instead of ${dimensions}`);
  } finally {
    await embedder.close();
  }
}

function failureOf(error: unknown, models: string): unknown {
  if (error instanceof HubFault) return new CommandFailure(EXIT.failed, error.message);
  if (error instanceof ModelFolderFault)
    return new CommandFailure(EXIT.failed, `The model cannot be used: ${error.message}`);
  const { code } = error as NodeJS.ErrnoException;
  const resumes = 'The next svc model add resumes the download.';
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new CommandFailure(EXIT.failed, `The disk of ${models} is full. Free some space. ${resumes}`);
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new CommandFailure(EXIT.failed, `${models} is not writable (${code}). Run svc as the daemon's user.`);
  }
  return error;
}
