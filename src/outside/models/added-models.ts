import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../lib/atomic-file.ts';
import { parseJson } from '../parse-json.ts';
import type { HubFile } from './model-hub.ts';
import type { ModelTraits } from './model-list.ts';

/** Where a downloaded model comes from and how it is used; `svc-model.json` in its folder. */
export interface ModelManifest extends ModelTraits {
  name: string;
  hub: string;
  repository: string;
  revision: string;
  license: string;
  /** RFC 3339. */
  addedAt: string;
  files: HubFile[];
}

const MANIFEST = 'svc-model.json';

/** The folder of added models in a data folder. */
export function modelsFolder(dataDir: string): string {
  return join(dataDir, 'models');
}

/** The added models by name, with the size of their files. */
export async function listAddedModels(models: string): Promise<ModelManifest[]> {
  const names = await readdir(models).catch(() => []);
  const found = await Promise.all(names.filter(isName).map((name) => readManifest(join(models, name))));
  return found.filter((manifest) => manifest !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The manifest in a folder; `undefined` if there is none. */
export async function readManifest(folder: string): Promise<ModelManifest | undefined> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => '');
  return parseJson(text) as ModelManifest | undefined;
}

/**
 * The text of the file that names the model in use: it differs after each choice. `undefined` if none is in use. If the
 * file cannot be read, a text that names no model.
 */
export async function readChoice(models: string): Promise<string | undefined> {
  return readFile(join(models, IN_USE), 'utf8').catch(({ code }: NodeJS.ErrnoException) =>
    code === 'ENOENT' ? undefined : `unreadable (${code})`,
  );
}

/** The name in the text of a choice. */
export function nameOfChoice(choice: string): string | undefined {
  const { name } = (parseJson(choice) ?? {}) as { name?: unknown };
  return typeof name === 'string' && isName(name) ? name : undefined;
}

/** Makes daemons on this data folder use the model within seconds. */
export async function chooseModel(models: string, name: string, now: string): Promise<void> {
  await replaceFile(join(models, IN_USE), `${JSON.stringify({ name, since: now })}\n`, { mode: 0o600 });
}

/** Makes daemons on this data folder use no model. */
export async function chooseNone(models: string): Promise<void> {
  await rm(join(models, IN_USE), { force: true });
}

/** The folder of an unfinished download. Those of other commits of the model are deleted. */
export async function openStaging(models: string, name: string, revision: string): Promise<string> {
  const wanted = stagingName(name, revision);
  for (const other of await readdir(models)) {
    if (other.startsWith(stagingName(name, '')) && other !== wanted) await rm(join(models, other), { recursive: true });
  }
  await mkdir(join(models, wanted), { recursive: true, mode: 0o700 });
  return join(models, wanted);
}

/** Makes a complete download an added model, in one step. */
export async function publishModel(staging: string, models: string, manifest: ModelManifest): Promise<void> {
  await rename(staging, join(models, manifest.name));
}

/** Writes the manifest of a complete download. */
export async function writeManifest(staging: string, manifest: ModelManifest): Promise<void> {
  await replaceFile(join(staging, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
}

/** Deletes an added model: first in one step, then its files. */
export async function deleteModel(models: string, name: string): Promise<void> {
  const removed = join(models, `.${name}.removed`);
  await rm(removed, { recursive: true, force: true });
  await rename(join(models, name), removed);
  await rm(removed, { recursive: true });
}

const IN_USE = 'in-use.json';

function stagingName(name: string, revision: string): string {
  return `.${name}.partial-${revision}`;
}

/** Unfinished and half-deleted models begin with a dot. */
function isName(name: string): boolean {
  return /^[A-Za-z0-9][\w.-]*$/.test(name);
}
