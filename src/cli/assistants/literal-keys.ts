import { isObject } from '../../lib/is-object.ts';
import type { Environment } from '../settings.ts';
import { applyChange } from './apply-change.ts';
import type { Assistant, Scope } from './assistant.ts';
import { ASSISTANTS } from './assistant-table.ts';
import { ConfigFileError, type Path } from './editing/document.ts';
import { editorFor, variantFor } from './editors.ts';
import { inspectFiles } from './inspect-assistants.ts';
import { findApiKeys, lastFour } from './mask-secrets.ts';
import { planFile } from './plan-change.ts';
import { readEntry } from './write-entry.ts';

/** A key found in an svc entry. */
export interface LiteralKey {
  /** The assistant's id. */
  assistant: string;
  title: string;
  scope: Scope;
  path: string;
  /** The only part of the key that may be shown. */
  last4: string;
  /** The origin of the daemon, if the entry has a URL. A key for another daemon must not be replaced. */
  url?: string;
}

/** The result of rewriting one match. */
export interface RewrittenKey extends LiteralKey {
  /** One line, if the file was not changed. */
  error?: string;
}

/** Finds the keys in all svc entries, in user and project files. Skips unreadable files. */
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
 * Replaces the found keys with `newApiKey`, in svc entries only, with a backup and an atomic write per file. Reports a
 * file that cannot be changed and continues with the others.
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
      results.push({ ...match, error: error.message });
    }
  }
  return results;
}

function replaceKey(assistant: Assistant, text: string, last4: string, newApiKey: string): string {
  const { server } = readEntry(assistant, text);
  const editor = editorFor(assistant);
  return textsIn(server, variantFor(assistant, text).entry).reduce((changed, { path, value }) => {
    const [old] = findApiKeys(String(value)).filter((key) => lastFour(key) === last4);
    if (old === undefined) return changed;
    const renewed = (part: string) => part.replaceAll(old, newApiKey);
    return editor.set(changed, path, typeof value === 'string' ? renewed(value) : value.map(renewed));
  }, text);
}

/** Lists the strings, and the lists of strings, at any depth of an entry's objects, with their paths. */
function textsIn(value: unknown, path: Path): { path: Path; value: string | string[] }[] {
  if (typeof value === 'string') return [{ path, value }];
  if (Array.isArray(value)) return value.every((part) => typeof part === 'string') ? [{ path, value }] : [];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => textsIn(inner, [...path, key]));
}
