import { Command } from 'commander';
import type { QuotaState } from '../../contract/limits.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import { type AccountContext, openKeychain } from '../account-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { keyFilePath } from '../key-store.ts';
import { formatRelativeTime } from '../memory/relative-time.ts';
import { wrap } from '../memory/terminal-text.ts';
import { formatCount, formatPercent } from '../number-format.ts';
import { bar, createOutput, type Field, formatFields, type Output, type Style } from '../output.ts';
import type { AccountStatus } from '../sign-in/account-status.ts';
import { profileOption } from '../sign-in/profile-choice.ts';

interface StatusOptions {
  profile?: string;
  all?: true;
  json?: true;
}

const HELP = `
Ends with 0 where you are signed in and the daemon answers, 3 where you are not signed in, 4 where the daemon cannot be
reached.

Examples:
  $ svc status
  $ svc status --all --json`;

const BAR_COLUMNS = 24;

/** `svc status`: who is signed in where, what is left of the quotas, and whether the daemon answers. */
export function statusCommand(context: AccountContext): Command {
  return new Command('status')
    .description('who you are, where, and what is left of your quotas')
    .addOption(profileOption('look at this one'))
    .option('--all', 'look at every profile')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action((options: StatusOptions) => status(options, context));
}

async function status(options: StatusOptions, context: AccountContext): Promise<void> {
  const [{ accountStatus }, { openSettings }, { chosenProfiles }] = await Promise.all([
    import('../sign-in/account-status.ts'),
    import('../settings.ts'),
    import('../session.ts'),
  ]);
  const output = createOutput(context.terminal, options);
  const settings = openSettings(context.environment);
  const { clock, fetch } = context;
  const parts = { settings, keychain: openKeychain(context), clock, ...(fetch && { fetch }) };
  const names = options.all ? chosenProfiles(settings, options).map(({ name }) => name) : [options.profile];
  const results = await Promise.all(names.map((profile) => accountStatus({ ...parts, profile })));
  const more = Object.keys(settings.profiles()).length - results.length;
  for (const result of results) {
    if (result !== results[0]) output.line();
    tell(result, { output, nowMs: clock.nowMs(), more, folder: settings.folder });
  }
  const shown = results.map(({ exitCode: _, account, ...result }) => ({ ...result, ...account }));
  output.data(options.all ? shown : shown[0]);
  const bad = results.find(({ exitCode }) => exitCode !== EXIT.done);
  if (bad) throw new CommandFailure(bad.exitCode);
}

interface Telling {
  output: Output;
  nowMs: number;
  /** How many profiles are not shown. */
  more: number;
  folder: string;
}

function tell(result: AccountStatus, { output, nowMs, more, folder }: Telling): void {
  const { style, columns } = output;
  const { signedIn, email, url, account, problem } = result;
  const mark = signedIn ? style.good('✓') : signedIn === false ? style.bad('✗') : style.caution('!');
  const who = signedIn === false ? 'Not signed in' : signedIn ? 'Signed in' : 'Not known whether signed in';
  output.line(`${mark} ${who}${email === undefined ? '' : ` as ${style.bold(email)}`}`);
  const where = wrap(`at ${url}${reachOf(result)}`, columns - 2);
  const trouble = problem === undefined ? [] : wrap(problem, columns - 2);
  for (const text of [...where, ...trouble]) output.line(`  ${text}`);
  output.line();
  const rows: Field[] = [];
  if (account) {
    const { tier, limits, quotas, key } = account;
    rows.push(['Tier', `${tier}, ${formatCount(limits.requestsPerMinute)} requests a minute`]);
    rows.push(['Memories', (width) => quotaLines(quotas.dailyMemories, 'today', { width, style, nowMs })]);
    rows.push(['Searches', (width) => quotaLines(quotas.monthlyQueries, 'this month', { width, style, nowMs })]);
    const used = key.lastUsedAt === null ? 'not used yet' : `last used ${sayPast(key.lastUsedAt, nowMs)}`;
    rows.push(['Key', `…${key.last4}, made ${sayPast(key.createdAt, nowMs)}, ${used}`]);
  }
  rows.push(['Kept in', placeOf(result, folder)]);
  rows.push(['Profile', `${result.profile}${more > 0 ? ` (${more} more: svc status --all)` : ''}`]);
  for (const line of formatFields(rows, columns, style)) output.line(line);
}

function reachOf({ reachable, latencyMs }: AccountStatus): string {
  if (reachable === undefined) return '';
  return reachable
    ? `, which answers${latencyMs === undefined ? '' : ` in ${latencyMs} ms`}`
    : ', which does not answer';
}

function placeOf({ keyStore }: AccountStatus, folder: string): string {
  if (keyStore === 'environment') return 'the variable SVC_API_KEY';
  return keyStore === 'keychain'
    ? "the system's keychain"
    : `a file of mode 0600, not encrypted: ${keyFilePath({ folder })}`;
}

function quotaLines(
  { limit, used, resetsAt }: QuotaState,
  period: string,
  { width, style, nowMs }: { width: number; style: Style; nowMs: number },
): string[] {
  if (limit === null) return wrap(`${formatCount(used)} ${period}, without limit`, width);
  const share = limit === 0 ? 1 : used / limit;
  const drawn = bar(share, Math.min(BAR_COLUMNS, width - 11), style);
  const text = `${formatCount(used)} of ${formatCount(limit)} ${period}; starts anew ${sayInstant(resetsAt, nowMs)}`;
  return [`${drawn} ${formatPercent(share)}`, ...wrap(text, width)];
}

/** The daemon's clock may be ahead of this one; what it did is past all the same. */
function sayPast(timestamp: string, nowMs: number): string {
  return formatRelativeTime(Math.min(parseTimestamp(timestamp) ?? nowMs, nowMs), nowMs);
}

function sayInstant(timestamp: string, nowMs: number): string {
  return formatRelativeTime(parseTimestamp(timestamp) ?? nowMs, nowMs);
}
