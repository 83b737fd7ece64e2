import { CommandFailure } from '../failure.ts';
import type { Output } from '../output.ts';
import { ASSISTANTS } from './assistant-table.ts';
import { lastFour } from './key-text.ts';
import { shortPath } from './outcome.ts';
import { type FoundFile, installedAssistants, lookAtFiles } from './survey.ts';
import type { McpConfigContext } from './wanted-entry.ts';

/** `--list`: every assistant with what is known of it. The key is read only where an entry holds one to compare. */
export async function listAssistants(
  profile: string | undefined,
  context: McpConfigContext,
  output: Output,
): Promise<void> {
  const { environment } = context;
  const installed = new Set(await installedAssistants(environment));
  const files = await Promise.all(ASSISTANTS.map((client) => lookAtFiles(client, environment)));
  const holdsKeys = files.flat().some(({ entry }) => entry && entry.keys.length > 0);
  const current = holdsKeys ? await currentKey(profile, context) : undefined;
  const width = Math.max(...ASSISTANTS.map(({ title }) => title.length));
  for (const [index, client] of ASSISTANTS.entries()) {
    const told = files[index]!.filter(({ entry, fault }) => entry || fault);
    const absent = installed.has(client) ? 'not set up' : 'not found';
    const lines = told.map(
      (file) => `${say(file, current)}  ${output.style.dim(shortPath(file.path, environment.home))}`,
    );
    const sign = told.some(({ entry }) => entry) ? output.style.good('✓') : ' ';
    for (const line of lines.length > 0 ? lines : [output.style.dim(absent)]) {
      output.line(`${sign} ${client.title.padEnd(width)}  ${line}`);
    }
  }
  output.data({
    data: ASSISTANTS.map((client, index) => dataOf(client.id, installed.has(client), files[index]!, current)),
  });
}

/** Nobody signed in means that no key is the current one; a keychain that does not answer means that nobody knows. */
async function currentKey(profile: string | undefined, { session }: McpConfigContext): Promise<string | undefined> {
  try {
    return (await session(profile)).apiKey;
  } catch (error) {
    if (error instanceof CommandFailure) return undefined;
    throw error;
  }
}

function keyState({ entry }: FoundFile, current: string | undefined): 'none' | 'current' | 'other' {
  if (!entry || entry.keys.length === 0) return 'none';
  return entry.keys.every((key) => key === current) ? 'current' : 'other';
}

function say(file: FoundFile, current: string | undefined): string {
  const { entry, scope, fault } = file;
  if (fault !== undefined) return `cannot be read: ${fault}`;
  const how = { stdio: 'by the bridge', http: `at ${entry?.leadsTo}`, unknown: 'in a form of somebody else' }[
    entry!.transport
  ];
  const keys = entry!.keys.map((key) => `…${lastFour(key)}`).join(' ');
  const key = { none: '', current: `, with the current key ${keys}`, other: `, with another key ${keys}` }[
    keyState(file, current)
  ];
  return `${scope === 'project' ? 'in this project ' : ''}${how}${key}`;
}

function dataOf(client: string, installed: boolean, files: readonly FoundFile[], current: string | undefined): unknown {
  return {
    client,
    installed,
    files: files.map((file) => ({
      scope: file.scope,
      path: file.path,
      configured: file.entry !== undefined,
      ...(file.entry && { transport: file.entry.transport, leadsTo: file.entry.leadsTo, key: keyState(file, current) }),
      ...(file.entry?.keys[0] && { keyLast4: lastFour(file.entry.keys[0]) }),
      ...(file.fault !== undefined && { error: file.fault }),
    })),
  };
}
