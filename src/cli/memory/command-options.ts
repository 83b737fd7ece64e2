import { InvalidArgumentError } from 'commander';
import { type Client, type ClientOptions, createClient } from '../../client/client.ts';
import type { SearchRequest } from '../../contract/search.ts';
import { OWN_SPACE } from '../../contract/space-names.ts';
import type { CommandContext, CommandTerminal, Session } from '../command-context.ts';
import { createHttpFetch } from '../http-fetch.ts';
import { jsonFor } from '../output.ts';
import type { RenderOptions } from './memory-card.ts';
import { createMemoryStyle } from './style.ts';
import { printable } from './terminal-text.ts';

/** Options of every memory command. */
export interface CommonOptions {
  profile?: string;
  json?: true;
  space?: string;
}

export const PROFILE_OPTION = ['--profile <name>', 'the account to use, if there are several [SVC_PROFILE]'] as const;
export const SPACE_OPTION = ['--space <name>', 'the space to act in, if not your own account [SVC_SPACE]'] as const;
export const JSON_OPTION = ['--json', 'print JSON'] as const;

/**
 * Returns a client for the session, and says in which space it acts. One retry rather than three, because a person is
 * waiting.
 */
export async function openClient(
  { session, terminal }: CommandContext,
  { profile, space }: Pick<CommonOptions, 'profile' | 'space'>,
  more: Partial<ClientOptions> = {},
): Promise<Client> {
  const opened = await session(profile, space);
  if (opened.space) terminal.error(`Space: ${printable(opened.space.name)}\n`);
  return clientOf(opened, terminal, more);
}

/** Returns a client for an open session. */
export function clientOf(
  { url, apiKey, space }: Session,
  { closed }: Pick<CommandTerminal, 'closed'>,
  more: Partial<ClientOptions> = {},
): Client {
  const fetch = createHttpFetch();
  return createClient({ baseUrl: url, apiKey, space: space?.key, fetch, retries: 1, signal: closed, ...more });
}

/** Returns a client that acts in the own account, whichever space is in use. */
export function openOwnClient(context: CommandContext, { profile }: Pick<CommonOptions, 'profile'>): Promise<Client> {
  return openClient(context, { ...(profile !== undefined && { profile }), space: OWN_SPACE });
}

/** Option parser that collects repeated values. */
export function collect(value: string, before: unknown): string[] {
  return [...(Array.isArray(before) ? before : []), value];
}

/** Parses a whole number of at least 1. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1)
    throw new InvalidArgumentError('Expected a whole number of at least 1.');
  return count;
}

export type ItemType = NonNullable<SearchRequest['types']>[number];
const ITEM_TYPES: readonly ItemType[] = ['memory', 'message', 'episode'];

/** Parses a comma-separated list of types. */
export function parseTypes(text: string): ItemType[] {
  const names = text.split(',').map((name) => name.trim());
  const types = ITEM_TYPES.filter((type) => names.includes(type));
  if (types.length !== names.length)
    throw new InvalidArgumentError(`Expected a comma-separated list of ${ITEM_TYPES.join(', ')}.`);
  return types;
}

/** Parses `key=text`, or `key:=json` for any other JSON value; repeated options accumulate. */
export function parseMetadata(text: string, before: Record<string, unknown> = {}): Record<string, unknown> {
  const [, key, operator, value = ''] = /^([^=]+?)(:?=)(.*)$/s.exec(text) ?? [];
  if (key === undefined) throw new InvalidArgumentError('Expected key=value or key:=json.');
  if (operator === '=') return { ...before, [key]: value };
  try {
    return { ...before, [key]: JSON.parse(value) };
  } catch {
    throw new InvalidArgumentError(`The value of ${key}:= is not valid JSON.`);
  }
}

export function renderOptions({ terminal, clock }: CommandContext): RenderOptions {
  return { columns: terminal.columns, style: createMemoryStyle(terminal.color), nowMs: clock.nowMs() };
}

export function printJson({ terminal }: Pick<CommandContext, 'terminal'>, data: unknown): void {
  terminal.out(`${jsonFor(terminal, JSON.stringify(data, null, 2))}\n`);
}
