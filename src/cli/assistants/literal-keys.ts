import type { Environment } from '../settings.ts';
import { applyChange } from './apply-change.ts';
import { type Assistant, editorFor, type Scope } from './assistant.ts';
import { ASSISTANTS } from './assistant-table.ts';
import { ConfigFileError, isObject, type Path } from './editing/document.ts';
import { inspectFiles } from './inspect-assistants.ts';
import { findApiKeys, lastFour } from './mask-secrets.ts';
import { planFile } from './plan-change.ts';
import { readEntry } from './write-entry.ts';

/** An entry of ours with a key written into it. */
export interface LiteralKey {
  /** The assistant's id. */
  assistant: string;
  title: string;
  scope: Scope;
  path: string;
  /** All that may be told of the key. */
  last4: string;
  /** The daemon that the entry leads to, where it says so: the key of another daemon is not ours to replace. */
  url?: string;
}

/** What became of one match. */
export interface RewrittenKey extends LiteralKey {
  /** One line, where the file was left alone. */
  fault?: string;
}

/** Every entry of ours, for the user and for the folder at hand, that holds a key. Unreadable files are passed over. */
export async function findLiteralKeys(environment: Environment): Promise<LiteralKey[]> {
  const files = (await Promise.all(ASSISTANTS.map((assistant) => inspectFiles(assistant, environment)))).flat();
  return files.flatMap(({ assistant, scope, path, entry }) =>
    (entry?.keys ?? []).map((key) => ({
      assistant: assistant.id,
      title: assistant.title,
      scope,
      path,
      last4: lastFour(key),
      ...(entry && URL.canParse(entry.leadsTo) && { url: new URL(entry.leadsTo).origin }),
    })),
  );
}

/**
 * Puts `newApiKey` in the place of the keys that were found, within our entries only, with all the care of any other
 * change. A file that cannot be changed is told of and stops no other.
 */
export async function rewriteLiteralKeys(matches: readonly LiteralKey[], newApiKey: string): Promise<RewrittenKey[]> {
  const results: RewrittenKey[] = [];
  for (const match of matches) {
    try {
      const assistant = ASSISTANTS.find(({ id }) => id === match.assistant)!;
      const edit = (text: string) => replaceKey(assistant, text, match.last4, newApiKey);
      await applyChange(await planFile(assistant, match.scope, match.path, edit));
      results.push(match);
    } catch (error) {
      if (!(error instanceof ConfigFileError)) throw error;
      results.push({ ...match, fault: error.message });
    }
  }
  return results;
}

function replaceKey(assistant: Assistant, text: string, last4: string, newApiKey: string): string {
  const { server } = readEntry(assistant, text);
  const editor = editorFor(assistant);
  return stringsIn(server, assistant.entry).reduce((changed, { path, value }) => {
    const old = findApiKeys(value).filter((key) => lastFour(key) === last4);
    return old.length === 0 ? changed : editor.set(changed, path, value.replaceAll(old[0]!, newApiKey));
  }, text);
}

/** The texts at any depth of an entry's objects, with the way to each. */
function stringsIn(value: unknown, path: Path): { path: Path; value: string }[] {
  if (typeof value === 'string') return [{ path, value }];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => stringsIn(inner, [...path, key]));
}
