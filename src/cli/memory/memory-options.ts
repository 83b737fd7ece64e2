import { type Command, InvalidArgumentError } from 'commander';
import type { MemoriesQuery, MemoryChange, NewMemory } from '../../contract/memories.ts';
import { parseTimestamp, toTimestamp } from '../../lib/clock.ts';
import { collect, parseMetadata } from './command-options.ts';
import { parseTime, type TimeDirection } from './time-option.ts';

/** The options of `svc add`, `svc edit` and `svc list` that name fields of a memory, and what they send. */

type ParseTime = (text: string) => string;

export interface NewMemoryOptions {
  user?: string;
  project?: string;
  tag?: string[];
  metadata?: Record<string, unknown>;
  occurred?: string;
  expires?: string;
  pin?: true;
}

export interface ChangeOptions {
  content?: string;
  /** `false` for `--no-project`. */
  project?: string | false;
  /** `false` for `--no-tag`. */
  tag?: string[] | false;
  metadata?: Record<string, unknown>;
  occurred?: string;
  expires?: string;
  pin?: boolean;
  /** `true` for `--outdated` without a time, `false` for `--no-outdated`. */
  outdated?: string | boolean;
}

export interface FilterOptions {
  cursor?: string;
  user?: string;
  project?: string;
  tag?: string;
  client?: string;
  after?: string;
  before?: string;
  superseded?: true;
  pinned?: true;
}

/** Clears a time. */
const NEVER = 'never';

/** The options of `svc edit`, for the error of a call without one. */
export const CHANGE_FLAGS = '--content, --project, --tag, --metadata, --occurred, --expires, --pin or --outdated';

export function withNewMemoryOptions(command: Command, nowMs: () => number): Command {
  const time = timeParser(nowMs);
  return command
    .option('--user <name>', 'whose memory, if the account serves several users')
    .option('--project <name>', 'the project it belongs to, if not to all')
    .option('--tag <tag>', 'a tag to filter by later; repeatable', collect)
    .option('--metadata <key=value>', 'an extra field; key:=json for anything but text; repeatable', parseMetadata)
    .option('--occurred <time>', 'when it happened, if not now', time('past'))
    .option('--expires <time>', 'when to forget it', parseExpiry(nowMs))
    .option('--pin', 'show it first in the profile');
}

export function newMemoryOf(content: string, options: NewMemoryOptions): NewMemory {
  const { user, project, tag, metadata, occurred, expires, pin } = options;
  return {
    content,
    ...(user !== undefined && { user }),
    ...(project !== undefined && { project }),
    ...(tag && { tags: [...new Set(tag)] }),
    ...(metadata && { metadata }),
    ...(occurred !== undefined && { occurredAt: occurred }),
    ...(expires !== undefined && { expiresAt: expires }),
    ...(pin && { pinned: true }),
  };
}

export function withChangeOptions(command: Command, nowMs: () => number): Command {
  const time = timeParser(nowMs);
  const orNever = (parse: ParseTime) => (text: string) => (text.trim().toLowerCase() === NEVER ? NEVER : parse(text));
  return command
    .option('--content <text>', 'the new text')
    .option('--project <name>', 'the project it belongs to')
    .option('--no-project', 'take it out of its project')
    .option('--tag <tag>', 'replace the tags; repeatable', collect)
    .option('--no-tag', 'remove all tags')
    .option('--metadata <key=value>', 'replace the metadata; repeatable', parseMetadata)
    .option('--occurred <time>', 'when it happened; never clears it', orNever(time('past')))
    .option('--expires <time>', 'when to forget it; never keeps it', orNever(parseExpiry(nowMs)))
    .option('--pin', 'show it first in the profile')
    .option('--no-pin', 'no longer show it first')
    .option('--outdated [time]', 'no longer true, since now or a time; alone', (text) => time('past')(text))
    .option('--no-outdated', 'true after all; alone');
}

/** What the options of `svc edit` change, at `nowMs`. */
export function changeOf(options: ChangeOptions, nowMs: number): MemoryChange {
  const { content, project, tag, metadata, occurred, expires, pin, outdated } = options;
  const since = outdated === true ? toTimestamp(nowMs) : outdated || null;
  return {
    ...(outdated !== undefined && { validTo: since }),
    ...(content !== undefined && { content }),
    ...(project !== undefined && { project: project || null }),
    ...(Array.isArray(tag) && { tags: [...new Set(tag)] }),
    ...(tag === false && { tags: [] }),
    ...(metadata && { metadata }),
    ...(occurred !== undefined && { occurredAt: occurred === NEVER ? null : occurred }),
    ...(expires !== undefined && { expiresAt: expires === NEVER ? null : expires }),
    ...(pin !== undefined && { pinned: pin }),
  };
}

export function withFilterOptions(command: Command, nowMs: () => number): Command {
  const past = timeParser(nowMs)('past');
  return command
    .option('--cursor <cursor>', 'continue after a page: the nextCursor of its --json')
    .option('--user <name>', 'whose memories, if the account serves several users')
    .option('--project <name>', 'only what belongs to this project or to none')
    .option('--tag <tag>', 'only memories with this tag')
    .option('--client <name>', 'only memories that this client stored, such as claude-code')
    .option('--after <time>', 'only memories after this time', past)
    .option('--before <time>', 'only memories before this time', past)
    .option('--superseded', 'include superseded memories')
    .option('--pinned', 'only pinned memories');
}

export function queryOf({
  cursor,
  user,
  project,
  tag,
  client,
  after,
  before,
  superseded,
  pinned,
}: FilterOptions): MemoriesQuery {
  return {
    ...(cursor !== undefined && { cursor }),
    ...(user !== undefined && { user }),
    ...(project !== undefined && { project }),
    ...(tag !== undefined && { tag }),
    ...(client !== undefined && { client }),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
    ...(superseded && { includeSuperseded: true }),
    ...(pinned && { pinned: true }),
  };
}

const timeParser =
  (nowMs: () => number) =>
  (direction: TimeDirection): ParseTime =>
  (text) =>
    parseTime(text, nowMs(), direction);

/** Refuses what has passed: the daemon would accept the memory and erase it at once. */
const parseExpiry =
  (nowMs: () => number): ParseTime =>
  (text) => {
    const expires = timeParser(nowMs)('future')(text);
    if (parseTimestamp(expires)! > nowMs()) return expires;
    throw new InvalidArgumentError(
      `${expires} has passed: the memory would be erased at once. A day begins at midnight.`,
    );
  };
