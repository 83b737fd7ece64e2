import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../lib/atomic-file.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import type { ToolList, ToolSet } from './tool-sets.ts';

/** The tools to list while the daemon is unreachable. */
export interface ToolCache {
  /** Returns the daemon's most recent list, or the built-in one. */
  list(): Promise<ToolList>;
  /** Stores the daemon's list. Never throws: the cache is only a convenience. */
  store(tools: ToolList): Promise<void>;
}

/**
 * Caches the daemon's list of a set of tools in the settings folder, so that an assistant that starts before the daemon
 * sees the tools it will be able to call. The list is the same for every account and contains no secrets.
 */
export function createToolCache(folder: string, { cacheFile, builtIn }: ToolSet): ToolCache {
  const path = join(folder, cacheFile);
  let cached: string | undefined;
  const read = async () => {
    cached ??= await readFile(path, 'utf8').catch(() => undefined);
    return cached;
  };
  return {
    async list() {
      const tools = parseTools(await read());
      return tools ?? builtIn;
    },
    async store(tools) {
      const text = JSON.stringify(tools);
      if (tools.length === 0 || text === (await read())) return;
      cached = text;
      await makeFolder(folder)
        .then(() => replaceFile(path, text, { mode: 0o600 }))
        .catch(() => {});
    },
  };
}

function parseTools(text: string | undefined): ToolList | undefined {
  if (text === undefined) return undefined;
  try {
    const tools: unknown = JSON.parse(text);
    const valid = Array.isArray(tools) && tools.every((tool) => typeof tool?.name === 'string' && tool.inputSchema);
    return valid && tools.length > 0 ? (tools as ToolList) : undefined;
  } catch {
    return undefined;
  }
}
