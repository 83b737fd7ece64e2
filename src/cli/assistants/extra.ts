import type { Environment } from '../settings.ts';
import type { Assistant, Scope } from './assistant.ts';
import type { McpConfigContext } from './build-entry.ts';
import { readConfigFile } from './config-file.ts';
import { ConfigFileError } from './editing/document.ts';
import { type ChangePlan, type OwnedPart, planFile } from './plan-change.ts';

/** Something that svc writes for an assistant in addition to the server entry, in a separate file. */
export interface Extra {
  part: 'instructions' | 'hooks' | 'permissions';
  /** The option that asks for the part. Only a part of the same name must exist for every assistant that is named. */
  option: 'instructions' | 'hooks';
  /** Says in a sentence what the part does, for the checklist. */
  explain(assistant: Assistant): string;
  /** Returns the path of the file, or `undefined` if svc knows none for the scope. */
  path(assistant: Assistant, scope: Scope, environment: Environment): string | undefined;
  owned(assistant: Assistant): OwnedPart;
  /** Returns the function that adds or updates the part in a text. */
  writer(assistant: Assistant, scope: Scope, context: McpConfigContext): Promise<(text: string) => string>;
  /** Notes by assistant, printed after the part was written. */
  notes?: Record<string, string>;
}

/** Plans to write the part to `path`, or to remove it. Throws `ConfigFileError`. */
export async function planExtra(
  { owned, writer }: Extra,
  change: 'write' | 'remove',
  { assistant, scope, path }: { assistant: Assistant; scope: Scope; path: string },
  context: McpConfigContext,
): Promise<ChangePlan> {
  const edit = change === 'remove' ? () => undefined : await writer(assistant, scope, context);
  return planFile(assistant, scope, path, edit, owned(assistant));
}

/** Lists the files of the assistant that contain the part. Skips unreadable files. */
export async function findExtra(
  extra: Extra,
  assistant: Assistant,
  environment: Environment,
): Promise<{ scope: Scope; path: string }[]> {
  const candidates = (['user', 'project'] as const).flatMap((scope) => {
    const path = extra.path(assistant, scope, environment);
    return path === undefined ? [] : [{ scope, path }];
  });
  const present = await Promise.all(candidates.map(({ path }) => contains(extra.owned(assistant), path)));
  return candidates.filter((_, index) => present[index]);
}

async function contains(owned: OwnedPart, path: string): Promise<boolean> {
  try {
    return owned.contains((await readConfigFile(path)).text ?? '');
  } catch (error) {
    if (error instanceof ConfigFileError) return false;
    throw error;
  }
}
