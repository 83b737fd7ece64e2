import { CommandFailure } from '../failure.ts';
import { printable } from '../memory/terminal-text.ts';
import type { Output } from '../output.ts';
import type { Environment } from '../settings.ts';
import type { Assistant, Scope } from './assistant.ts';
import { ASSISTANTS } from './assistant-table.ts';
import type { McpConfigContext } from './build-entry.ts';
import { findExtra } from './extra.ts';
import { EXTRAS } from './extra-table.ts';
import { findInstalledAssistants, type InspectedFile, inspectFiles } from './inspect-assistants.ts';
import { lastFour } from './mask-secrets.ts';
import { tildify } from './outcome.ts';

/** Runs `--list`: prints the state of every assistant. Reads the current key only if an entry contains a key. */
export async function listAssistants(
  profile: string | undefined,
  context: McpConfigContext,
  output: Output,
): Promise<void> {
  const { environment } = context;
  const installed = new Set(await findInstalledAssistants(environment));
  const files = await Promise.all(ASSISTANTS.map((assistant) => inspectFiles(assistant, environment)));
  const extras = await Promise.all(ASSISTANTS.map((assistant) => findExtras(assistant, environment)));
  const hasKeys = files.flat().some(({ entry }) => entry && entry.keys.length > 0);
  const current = hasKeys ? await currentKey(profile, context) : undefined;
  const width = Math.max(...ASSISTANTS.map(({ title }) => title.length));
  for (const [index, assistant] of ASSISTANTS.entries()) {
    const shown = files[index]!.filter(({ entry, error }) => entry || error);
    const absent = installed.has(assistant) ? 'not set up' : 'not found';
    const lines = shown.map(
      (file) => `${describeFile(file, current)}  ${output.style.dim(tildify(file.path, environment.home))}`,
    );
    for (const { part, files } of extras[index]!)
      for (const { scope, path } of files)
        lines.push(`${prefixOf(scope)}${part}  ${output.style.dim(tildify(path, environment.home))}`);
    const mark = shown.some(({ entry }) => entry) ? output.style.good('✓') : ' ';
    for (const line of lines.length > 0 ? lines : [output.style.dim(absent)]) {
      output.line(`${mark} ${assistant.title.padEnd(width)}  ${line}`);
    }
  }
  output.data({
    data: ASSISTANTS.map((assistant, index) => ({
      ...toJson(assistant.id, installed.has(assistant), files[index]!, current),
      ...Object.fromEntries(extras[index]!.map(({ part, files }) => [part, files])),
    })),
  });
}

async function findExtras(assistant: Assistant, environment: Environment) {
  return Promise.all(
    EXTRAS.map(async (extra) => ({ part: extra.part, files: await findExtra(extra, assistant, environment) })),
  );
}

/** Returns `undefined` if nobody is signed in or the keychain cannot be read. */
async function currentKey(profile: string | undefined, { session }: McpConfigContext): Promise<string | undefined> {
  try {
    return (await session(profile)).apiKey;
  } catch (error) {
    if (error instanceof CommandFailure) return undefined;
    throw error;
  }
}

function keyState({ entry }: InspectedFile, current: string | undefined): 'none' | 'current' | 'other' {
  if (!entry || entry.keys.length === 0) return 'none';
  return entry.keys.every((key) => key === current) ? 'current' : 'other';
}

function describeFile(file: InspectedFile, current: string | undefined): string {
  const { entry, scope, error } = file;
  if (error !== undefined) return `cannot be read: ${error}`;
  const how = {
    stdio: 'through the bridge',
    http: `over HTTP to ${printable(entry?.leadsTo ?? '')}`,
    unknown: 'with an unrecognized entry',
  }[entry!.transport];
  const keys = entry!.keys.map((key) => `…${lastFour(key)}`).join(' ');
  const key = { none: '', current: `, with the current key ${keys}`, other: `, with a different key ${keys}` }[
    keyState(file, current)
  ];
  return `${prefixOf(scope)}${how}${key}`;
}

function prefixOf(scope: Scope): string {
  return scope === 'project' ? 'this project, ' : '';
}

function toJson(id: string, installed: boolean, files: readonly InspectedFile[], current: string | undefined): object {
  return {
    client: id,
    installed,
    files: files.map((file) => ({
      scope: file.scope,
      path: file.path,
      configured: file.entry !== undefined,
      ...(file.entry && { transport: file.entry.transport, leadsTo: file.entry.leadsTo, key: keyState(file, current) }),
      ...(file.entry?.keys[0] && { keyLast4: lastFour(file.entry.keys[0]) }),
      ...(file.error !== undefined && { error: file.error }),
    })),
  };
}
