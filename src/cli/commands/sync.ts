import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { ApiError, type Client } from '../../client/client.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { systemRandom } from '../../lib/random.ts';
import type { Program } from '../assistants/bridge-command.ts';
import type { CommandContext } from '../command-context.ts';
import { requireYes } from '../confirmation.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure, EXIT_INTERRUPTED, toFailure } from '../failure.ts';
import { projectName } from '../hook/project-name.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  printJson,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { pluralize } from '../memory/import-report.ts';
import { localDay } from '../memory/local-day.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import { formatExactTime } from '../memory/relative-time.ts';
import { formatCount } from '../number-format.ts';
import { ownProgram } from '../own-program.ts';
import { type FileFormat, markdownFormat } from '../sync/file-format.ts';
import { createFolder, STATE_FILE, STATE_FOLDER } from '../sync/folder.ts';
import { lockFolder } from '../sync/folder-lock.ts';
import { NATIVE_ASSISTANTS, type NativeName, nativeFolder } from '../sync/native-assistants.ts';
import { nativeFormat } from '../sync/native-format.ts';
import { createRemote } from '../sync/remote.ts';
import { openState, type SyncScope } from '../sync/state.ts';
import { createSyncPass, type PassReport } from '../sync/sync-pass.ts';
import { createSyncReport, summarize } from '../sync/sync-report.ts';
import type { Due } from '../sync/watch.ts';

interface SyncOptions extends CommonOptions {
  user?: string;
  project?: string;
  native?: NativeName;
  once?: true;
  dryRun?: true;
  confirmDeletions?: true;
  service?: 'install' | 'uninstall';
  existing?: true;
  yes?: true;
}

const HELP = `
Each current memory is a Markdown file in the folder, and each Markdown file a
memory: change either, and the other follows, until Ctrl-C. Files can be renamed
and moved into subfolders; the id in their properties tells whose they are.
Deleting a file erases its memory; many at once wait for --confirm-deletions. What
changed on both sides is kept twice: svc's text in the file, and yours in
“NAME (conflict …).md” beside it.

With --native claude-code or gemini-cli, the folder is that of a project, and the
files are those that the assistant notes about it itself; they stay unchanged, and
are the same on all your machines.

Examples:
  $ svc sync ~/notes/memories
  $ svc sync ~/notes/memories --once
  $ svc sync ~/notes/memories --service install
  $ svc sync ~/notes/website --project website --dry-run
  $ svc sync --native claude-code`;

/** Deletions are looked at twice: an editor may be replacing the file. */
const PAUSE_ONCE_MS = 100;
const PAUSE_WATCHING_MS = 2000;
/** A person is told until when svc waits if it is longer than this. */
const LONG_WAIT_MS = 60_000;
/** A first run that would store more files than these asks: the folder may be a vault of other notes. */
const MAX_UNASKED = 20;

/** `svc sync`: keeps a folder of Markdown files and the memories equal. */
export function syncCommand(context: CommandContext, program: Program = ownProgram()): Command {
  return new Command('sync')
    .description('keep a folder of Markdown files and the memories equal, both ways')
    .argument('[folder]', 'the folder; created if it is missing')
    .option('--once', 'compare once instead of watching')
    .option('--dry-run', 'print what would change, and change nothing')
    .option('-y, --yes', 'do not ask before many files become memories')
    .option('--confirm-deletions', 'delete even if many files, or many memories, are gone')
    .addOption(
      new Option('--service <action>', 'sync in the background while you are logged in: install or uninstall')
        .choices(['install', 'uninstall'])
        .conflicts(['once', 'dryRun', 'confirmDeletions', 'json', 'yes']),
    )
    .addOption(new Option('--existing', 'only if it was synced before, for services').hideHelp())
    .option('--user <name>', 'whose memories, if the account serves several users')
    .option('--project <name>', 'only memories of this project; new files belong to it')
    .addOption(
      new Option('--native <assistant>', "the assistant's own memory files of a project, by default this one").choices(
        Object.keys(NATIVE_ASSISTANTS),
      ),
    )
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (typed: string | undefined, options: SyncOptions) => {
      const place = await placeOf(typed, options, context);
      if (options.service !== undefined) return changeService(place, options, context, program);
      const { root, project } = place;
      const stop = new AbortController();
      const isOnce = options.once === true || options.dryRun === true;
      void context.stopSignal().then(() => stop.abort(new CommandFailure(isOnce ? EXIT_INTERRUPTED : EXIT.done)));
      const signal = AbortSignal.any([stop.signal, context.terminal.closed]);
      const client = await openClient(context, options, { retries: isOnce ? 8 : 3, signal });
      try {
        await prepare(root, options);
        await runSync(
          root,
          { ...options, ...(project !== undefined && { project }) },
          { context, client, stop, signal },
        );
      } catch (error) {
        const { syscall, message } = error as NodeJS.ErrnoException;
        throw syscall
          ? new CommandFailure(EXIT.failed, `Cannot sync ${root}: ${message}`)
          : withRetryTime(error, context);
      }
    });
}

/** Adds to a refusal when to sync again, if that is not soon. */
function withRetryTime(error: unknown, { clock }: CommandContext): unknown {
  const waitMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  if (waitMs < LONG_WAIT_MS) return error;
  return new CommandFailure(
    EXIT.failed,
    `${toFailure(error)!.message}\n${askedFor(clock.nowMs() + waitMs)} Sync again then.`,
  );
}

function askedFor(untilMs: number): string {
  return `It asks for no request before ${formatExactTime(untilMs)}.`;
}

interface Place {
  /** The folder that was named, and that with the files. */
  folder: string;
  root: string;
  /** Of the memories; the assistant's own files have one in any case. */
  project: string | undefined;
}

async function placeOf(typed: string | undefined, options: SyncOptions, context: CommandContext): Promise<Place> {
  const { cwd } = context.environment;
  if (options.native === undefined) {
    if (typed === undefined) throw new CommandFailure(EXIT.usage, 'Name the folder: svc sync FOLDER');
    const root = resolve(cwd, typed);
    return { folder: root, root, project: options.project };
  }
  const folder = resolve(cwd, typed ?? '.');
  const project = options.project ?? (await projectName(folder));
  if (project === undefined) throw new CommandFailure(EXIT.usage, `${folder} has no name. Pass --project NAME.`);
  return { folder, root: await nativeFolder(options.native, folder, context.environment), project };
}

async function changeService(
  { folder, root, project }: Place,
  options: SyncOptions,
  context: CommandContext,
  program: Program,
): Promise<void> {
  const [{ installSyncService, uninstallSyncService }, { openServiceContext }] = await Promise.all([
    import('../sync/sync-service.ts'),
    import('../service/context.ts'),
  ]);
  const serviceContext = openServiceContext(context, program);
  if (options.service === 'uninstall') return uninstallSyncService(root, serviceContext);
  if (!(await wasSynced(root))) {
    const words = options.native ? `${folder} --native ${options.native}` : root;
    const advice = `Run svc sync ${words} --once first, to see what it does.`;
    throw new CommandFailure(EXIT.usage, `${root} was never synced. ${advice}`);
  }
  await installSyncService({ ...options, folder, root, project }, serviceContext);
}

async function wasSynced(root: string): Promise<boolean> {
  return (await fs.stat(join(root, STATE_FOLDER, STATE_FILE)).catch(() => undefined)) !== undefined;
}

/** Throws `CommandFailure` if there is something else than a folder, or, in a dry run, nothing. */
async function prepare(root: string, { dryRun, existing }: SyncOptions): Promise<void> {
  // A service must not write memories to another disk than the one that is not mounted yet.
  if (existing && !(await wasSynced(root))) {
    throw new CommandFailure(EXIT.failed, `${root} has no record of a sync; it may be on a disk that is not mounted.`);
  }
  const found = await fs.stat(root).catch(() => undefined);
  if (found && !found.isDirectory()) throw new CommandFailure(EXIT.usage, `${root} is not a folder.`);
  if (dryRun && !found)
    throw new CommandFailure(EXIT.usage, `${root} does not exist; without --dry-run it is created.`);
  if (dryRun) return;
  await makeFolder(join(root, STATE_FOLDER));
  if (!(await fs.lstat(join(root, STATE_FOLDER))).isDirectory()) {
    throw new CommandFailure(EXIT.failed, `${join(root, STATE_FOLDER)} is a link; remove it.`);
  }
}

interface Run {
  context: CommandContext;
  client: Client;
  stop: AbortController;
  signal: AbortSignal;
}

async function runSync(typedRoot: string, options: SyncOptions, { context, client, stop, signal }: Run): Promise<void> {
  const { once, dryRun, json } = options;
  const { clock, terminal } = context;
  // The folder may be named by a link; links within it are not followed.
  const root = await fs.realpath(typedRoot);
  const lost = () => stop.abort(new CommandFailure(EXIT.failed, `Another svc sync took over ${root}.`));
  const unlock = dryRun ? async () => {} : await lockFolder(root, fs, clock.nowMs, lost);
  try {
    const progress = createProgressLine(context, options);
    const report = createSyncReport(context, options);
    const user = options.user ?? 'default';
    const project = options.project ?? null;
    const format: FileFormat = options.native ? nativeFormat(options.native, options.project!) : markdownFormat;
    const remote = createRemote(client, { user, project }, format);
    const folder = createFolder(root, fs, clock.nowMs, format);
    const onProgress = (done: number, total: number) => {
      signal.throwIfAborted();
      progress.show(`${formatCount(done)} of ${pluralize(total, 'change')}`, done / total);
    };
    const open = async () => {
      const { tenantId } = await client.account.get();
      const scope: SyncScope = { tenantId, user, project, ...(options.native && { native: options.native }) };
      const state = await openState(root, scope, fs, { readOnly: dryRun === true });
      const pause = () => sleep(once ? PAUSE_ONCE_MS : PAUSE_WATCHING_MS, undefined, { signal });
      const opened = createSyncPass({
        ...{ folder, state, remote, scope, format, onProgress, pause },
        day: () => formatDay(clock.nowMs()),
        newKey: randomUUID,
      });
      const isUnasked = !dryRun && !options.yes && state.entries.size === 0 && state.pending.size === 0;
      if (isUnasked) {
        const passed = await opened({ confirmsDeletions: false, dryRun: true });
        await confirmFirst(passed, options.native ? '' : ', and get an id each', root, context);
      }
      return opened;
    };
    let pass: Awaited<ReturnType<typeof open>> | undefined;
    // Later deletions are not confirmed by the option.
    let isFirst = true;
    const passOnce = async ({ all, ids }: Due): Promise<PassReport> => {
      if (all)
        await remote.load((count, total) =>
          progress.show(`${formatCount(count)} of ${pluralize(total, 'memory', 'memories')}`, count / total),
        );
      else await remote.refresh([...ids]);
      pass ??= await open();
      const confirmsDeletions = options.confirmDeletions === true && isFirst;
      return pass({ confirmsDeletions, dryRun: dryRun === true }).finally(() => progress.clear());
    };
    if (once || dryRun) return finish(await passOnce({ all: true, ids: new Set() }), options, context);

    const { watchSync } = await import('../sync/watch.ts');
    await watchSync({
      ...{ root, user, client, random: systemRandom, signal },
      async pass(due) {
        const passed = await passOnce(due);
        report.changes(passed.changes);
        report.attention(passed);
        if (isFirst && !json) terminal.out(`${summarize(passed, false)}\nWatching ${root}. Ctrl-C stops.\n`);
        isFirst = false;
      },
      onOutage({ message }, waitMs) {
        const until = waitMs < LONG_WAIT_MS ? '' : ` ${askedFor(clock.nowMs() + waitMs)}`;
        terminal.error(`${message}${until} Waiting for it; both sides catch up then.\n`);
      },
      onReturn: () => terminal.error('svc answers again.\n'),
    });
  } finally {
    await unlock();
  }
}

/** Asks before many files of a folder become memories for the first time. */
async function confirmFirst(
  { changes }: PassReport,
  more: string,
  root: string,
  { input }: CommandContext,
): Promise<void> {
  const count = changes.filter((one) => one.in === 'memories' && one.change === 'created').length;
  if (count <= MAX_UNASKED) return;
  const text = `${pluralize(count, 'file')} in ${root} would become memories${more}.`;
  if (!input.isTty) throw new CommandFailure(EXIT.usage, `${text} Pass --yes if that is meant.`);
  await requireYes(input, `${text} Continue?`, 'Nothing was changed.');
}

/** Reports a single pass. Exits with 1 if something needs a person. */
function finish(passed: PassReport, { json, dryRun }: SyncOptions, context: CommandContext): void {
  const report = createSyncReport(context, {});
  if (json) printJson(context, passed);
  else {
    report.changes(passed.changes);
    report.attention(passed);
    context.terminal.out(`${summarize(passed, dryRun === true)}\n`);
  }
  const { held, undecided, problems, changes } = passed;
  const isDone = problems.length === 0 && held.memories + held.files + undecided === 0;
  if (!isDone || changes.some(({ change }) => change === 'conflict')) throw new CommandFailure(EXIT.failed);
}

function formatDay(nowMs: number): string {
  const { year, month, day } = localDay(nowMs);
  return [String(year).padStart(4, '0'), ...[month, day].map((part) => String(part).padStart(2, '0'))].join('-');
}
