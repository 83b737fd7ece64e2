import { type Embedder, EmbedderFault } from './embedder.ts';
import { createLocalEmbedder } from './local-embedder.ts';
import { readModelFolder } from './model-folder.ts';

/** Models on this machine by name, each in a worker thread that starts with its first request. */
export interface LocalModels extends Embedder {
  /** Reads a model's folder and returns the model's name. Throws `ModelFolderFault`. */
  open(folder: string): Promise<string>;
}

/** `folderOf` returns the likely folder of a model, such as one that served before a restart. */
export function createLocalModels(folderOf: (model: string) => string | undefined): LocalModels {
  const open = new Map<string, Embedder>();
  const missing = new Set<string>();

  async function openFolder(folder: string): Promise<string> {
    const model = await readModelFolder(folder);
    missing.delete(model.name);
    if (!open.has(model.name)) open.set(model.name, createLocalEmbedder(model));
    return model.name;
  }

  async function embedderOf(model: string): Promise<Embedder> {
    const folder = open.has(model) || missing.has(model) ? undefined : folderOf(model);
    if (folder !== undefined) await openFolder(folder).catch(() => {});
    const found = open.get(model);
    if (found) return found;
    missing.add(model);
    throw new EmbedderFault('settings', `the model ${model} is no longer on this machine`);
  }

  async function close(models: readonly string[]): Promise<void> {
    for (const model of models) {
      const embedder = open.get(model);
      open.delete(model);
      await embedder?.close();
    }
  }

  return {
    open: openFolder,
    prepare: async (model) => (await embedderOf(model)).prepare(model),
    embed: async (model, texts, options) => (await embedderOf(model)).embed(model, texts, options),
    retain: (models) => close([...open.keys()].filter((model) => !models.includes(model))),
    close: () => close([...open.keys()]),
  };
}
