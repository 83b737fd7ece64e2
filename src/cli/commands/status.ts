import { Command } from 'commander';
import { formatSize } from '../../contract/byte-size.ts';
import type { QuotaState, StorageState } from '../../contract/limits.ts';
import { OWN_SPACE } from '../../contract/space-names.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import { type AccountContext, openKeychain } from '../account-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { createHttpFetch } from '../http-fetch.ts';
import { keyFilePath } from '../key-store.ts';
import { formatRelativeTime } from '../memory/relative-time.ts';
import { printable, wrap } from '../memory/terminal-text.ts';
import { formatCount, formatPercent } from '../number-format.ts';
import { bar, createOutput, type Field, formatFields, type Output, type Style } from '../output.ts';
import { readNotices } from '../service/daemon-probe.ts';
import { chosenProfiles } from '../session.ts';
import { openSettings } from '../settings.ts';
import { type AccountStatus, accountStatus, type SpaceStatus } from '../sign-in/account-status.ts';
import { profileOption } from '../sign-in/profile-choice.ts';

interface StatusOptions {
  profile?: string;
  all?: true;
  json?: true;
}

const HELP = `
Exits with 0 if you are signed in and the daemon responds, 3 if you are not
signed in, 4 if the daemon cannot be reached.

Examples:
  $ svc status
  $ svc status --all --json`;

const BAR_COLUMNS = 24;
/** Fewer changes are read within seconds. */
const SHOWN_UNREAD = 200;

/** `svc status`: shows the account, its quotas, and whether the daemon responds. */
export function statusCommand(context: AccountContext): Command {
  return new Command('status')
    .description('show your account, your quotas and whether the daemon responds')
    .addOption(profileOption('show this profile'))
    .option('--all', 'show every profile')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action((options: StatusOptions) => status(options, context));
}

async function status(options: StatusOptions, context: AccountContext): Promise<void> {
  const output = createOutput(context.terminal, options);
  const settings = openSettings(context.environment);
  const { clock, fetch } = context;
  const dependencies = { settings, keychain: openKeychain(context), clock, ...(fetch && { fetch }) };
  const names = options.all ? chosenProfiles(settings, options).map(({ name }) => name) : [options.profile];
  const results = await Promise.all(
    names.map((profile) => accountStatus({ ...dependencies, profile }).then((found) => withNotices(found, context))),
  );
  const more = Object.keys(settings.profiles()).length - results.length;
  for (const result of results) {
    if (result !== results[0]) output.line();
    printStatus(result, { output, nowMs: clock.nowMs(), more, folder: settings.folder });
  }
  const data = results.map(({ exitCode: _, account, ...result }) => ({ ...result, ...account }));
  output.data(options.all ? data : data[0]);
  const failed = results.find(({ exitCode }) => exitCode !== EXIT.done);
  if (failed) throw new CommandFailure(failed.exitCode);
}

/** Adds what the daemon tells its operator, to the account that may see its backups. */
async function withNotices(result: AccountStatus, { fetch }: AccountContext): Promise<AccountStatus> {
  if (result.account?.lastBackupAt === undefined) return result;
  return { ...result, ...(await readNotices(fetch ?? createHttpFetch(), result.url)) };
}

interface PrintOptions {
  output: Output;
  nowMs: number;
  /** How many profiles are not shown. */
  more: number;
  folder: string;
}

function printStatus(result: AccountStatus, { output, nowMs, more, folder }: PrintOptions): void {
  const { style, columns } = output;
  const { signedIn, email, url, account, problem } = result;
  const mark = signedIn ? style.good('✓') : signedIn === false ? style.bad('✗') : style.caution('!');
  const who = signedIn === false ? 'Not signed in' : signedIn ? 'Signed in' : 'Unknown whether signed in';
  output.line(`${mark} ${who}${email === undefined ? '' : ` as ${style.bold(email)}`}`);
  const where = wrap(`at ${url}${describeReachability(result)}`, columns - 2);
  const trouble = problem === undefined ? [] : wrap(problem, columns - 2);
  for (const text of [...where, ...trouble]) output.line(`  ${text}`);
  output.line();
  const rows: Field[] = [];
  if (account) {
    const { tier, limits, quotas, key, credential } = account;
    rows.push(['Tier', `${tier}, ${formatCount(limits.requestsPerMinute)} requests a minute`]);
    rows.push(['Memories', (width) => quotaLines(quotas.dailyMemories, 'today', { width, style, nowMs })]);
    rows.push(['Searches', (width) => quotaLines(quotas.monthlyQueries, 'this month', { width, style, nowMs })]);
    rows.push(['Text', (width) => storageLines(quotas.storedBytes, { width, style })]);
    if (account.openSuggestions > 0) {
      rows.push(['Review', `${formatCount(account.openSuggestions)} suggested changes (svc review)`]);
    }
    if (account.unreadChanges > SHOWN_UNREAD) {
      rows.push(['Reading', `${formatCount(account.unreadChanges)} changes to go, for suggestions and topics`]);
    }
    if (credential.kind === 'device') {
      rows.push(['Device', `${credential.client}: has a separate token and stays connected when the key is replaced`]);
    }
    if (key) {
      const used = key.lastUsedAt === null ? 'not used yet' : `last used ${formatPast(key.lastUsedAt, nowMs)}`;
      rows.push(['Key', `…${key.last4}, created ${formatPast(key.createdAt, nowMs)}, ${used}`]);
    }
  }
  rows.push(...spaceRows(result));
  rows.push(...noticeRows(result, style, nowMs));
  rows.push(['Stored in', keyLocation(result, folder)]);
  rows.push(['Profile', `${result.profile}${more > 0 ? ` (${more} more: svc status --all)` : ''}`]);
  for (const line of formatFields(rows, columns, style)) output.line(line);
}

/** Where commands and hooks act, besides the own account. */
function spaceRows({ space, ties = [], reads = [] }: AccountStatus): Field[] {
  const rows: Field[] = space ? [['Space', `${describeSpace(space)}; commands act there`]] : [];
  for (const { folder, space } of ties) {
    rows.push(['Tied', `${printable(folder)} to ${describeSpace(space)}`]);
  }
  for (const { folder, spaces } of reads) {
    const where = folder === null ? 'other projects' : printable(folder);
    rows.push(['Hooks read', `${spaces.map(describeSpace).join('; ')} in ${where}`]);
  }
  return rows;
}

function describeSpace({ name, role, members }: SpaceStatus): string {
  if (name === OWN_SPACE) return 'your own account';
  if (role === undefined) return `“${printable(name)}”, of which you are not a member`;
  return `“${printable(name)}”, as ${role}, with ${members === 1 ? '1 member' : `${members} members`}`;
}

/** Nothing for an account that may not see backups. */
function noticeRows({ account, update, backupFails }: AccountStatus, style: Style, nowMs: number): Field[] {
  const at = account?.lastBackupAt;
  if (at === undefined) return [];
  const last = at === null ? 'none yet (svc backup)' : formatPast(at, nowMs);
  const backup = backupFails ? `${last}; ${style.bad('the scheduled backup fails')} (svc doctor)` : last;
  return [['Backup', backup], ...(update === undefined ? [] : [['Update', `svc ${update} is available`] as Field])];
}

function describeReachability({ reachable, latencyMs }: AccountStatus): string {
  return reachable ? ` (responded${latencyMs === undefined ? '' : ` in ${latencyMs} ms`})` : ' (not responding)';
}

function keyLocation({ keyStore }: AccountStatus, folder: string): string {
  if (keyStore === 'environment') return 'the environment variable SVC_API_KEY';
  return keyStore === 'keychain'
    ? 'the system keychain'
    : `a file with mode 0600, not encrypted: ${keyFilePath({ folder })}`;
}

function quotaLines(
  { limit, used, resetsAt }: QuotaState,
  period: string,
  { width, style, nowMs }: { width: number; style: Style; nowMs: number },
): string[] {
  if (limit === null) return wrap(`${formatCount(used)} ${period}, no limit`, width);
  const text = `${formatCount(used)} of ${formatCount(limit)} ${period}; resets ${formatInstant(resetsAt, nowMs)}`;
  return [usageBar(used, limit, { width, style }), ...wrap(text, width)];
}

function storageLines({ limit, used }: StorageState, { width, style }: { width: number; style: Style }): string[] {
  if (limit === null) return wrap(`${formatSize(used)} stored, no limit`, width);
  const text = `${formatSize(used)} of ${formatSize(limit)} stored; deleting frees room`;
  return [usageBar(used, limit, { width, style }), ...wrap(text, width)];
}

function usageBar(used: number, limit: number, { width, style }: { width: number; style: Style }): string {
  const share = limit === 0 ? 1 : used / limit;
  return `${bar(share, Math.min(BAR_COLUMNS, width - 11), style)} ${formatPercent(share)}`;
}

/** Formats a past time. The daemon's clock may be ahead of ours, so it is clamped to now. */
function formatPast(timestamp: string, nowMs: number): string {
  return formatRelativeTime(Math.min(parseTimestamp(timestamp) ?? nowMs, nowMs), nowMs);
}

function formatInstant(timestamp: string, nowMs: number): string {
  return formatRelativeTime(parseTimestamp(timestamp) ?? nowMs, nowMs);
}
