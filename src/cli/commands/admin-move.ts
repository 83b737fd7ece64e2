import { type Command, InvalidArgumentError } from 'commander';
import type { MoveOptions, MoveReport } from '../../daemon/move.ts';
import type { MoveTarget } from '../../daemon/move-ends.ts';
import { databaseUrl } from '../../db/postgres/url.ts';
import { requireTerminal, requireYes, YES_OPTION } from '../confirmation.ts';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import { pluralize } from '../memory/import-report.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import type { AdminContext } from './admin-context.ts';

const MOVE_HELP = `
The daemons can keep running: they serve while rows are copied, and answer writes
with 503 while both databases are compared. After that the source is kept, but
accepts no more writes: start the daemons again on the target. If the command is
interrupted, run it again: it copies only what is missing.

Examples:
  $ svc admin move --to postgres://svc:password@db.example.com/svc
  $ SVC_DATABASE_URL=postgres://… svc admin move --to sqlite --data-dir /var/lib/svc
  $ svc admin move --cancel`;

interface Options {
  to?: MoveTarget;
  cancel?: true;
  yes?: true;
}

/** `svc admin move`. */
export function addMoveCommand(admin: Command, shared: AdminContext): void {
  const move = admin
    .command('move')
    .description('move the database to PostgreSQL, or back to a file, while the daemon keeps running')
    .option('--to <database>', "a PostgreSQL URL, or sqlite for the data folder's file", parseTarget)
    .option('--cancel', 'serve the source again after a move; what was written to the target stays there')
    .option(YES_OPTION[0], 'with --cancel: do not ask for confirmation')
    .addHelpText('after', MOVE_HELP);
  move.action(async ({ to, cancel, yes }: Options) => {
    if ((to === undefined) === (cancel === undefined)) move.error('error: name --to <database> or --cancel');
    await (to === undefined ? cancelIn(shared, yes === true) : moveIn(shared, to));
  });
}

function parseTarget(text: string): MoveTarget {
  if (text === 'sqlite') return text;
  try {
    return { url: databaseUrl(text) };
  } catch (error) {
    throw new InvalidArgumentError(`It ${(error as Error).message}. For the file of the data folder, name sqlite.`);
  }
}

async function moveIn({ config, context, json, print }: AdminContext, to: MoveTarget): Promise<void> {
  const { moveDatabase } = await import('../../daemon/move.ts');
  const settings = await config();
  const loaded = await context();
  const stop = new AbortController();
  const canceled = 'Interrupted. The source serves on; run the same command again to continue.';
  void loaded.stopSignal().then(() => stop.abort(new CommandFailure(EXIT_INTERRUPTED, canceled)));
  const progress = createProgressLine(loaded, json() ? { json: true } : {});
  const onProgress: MoveOptions['onProgress'] = (stage, fraction) => progress.show(stage, fraction);
  try {
    const report = await moveDatabase(settings, to, { onProgress, signal: stop.signal });
    progress.clear();
    print(reportText(report, to), { ...report, masterKeyFile: report.masterKeyFile ?? null });
  } finally {
    progress.clear();
  }
}

async function cancelIn({ config, context, print }: AdminContext, yes: boolean): Promise<void> {
  const { cancelMove } = await import('../../daemon/move.ts');
  const settings = await config();
  if (!yes) {
    const { input } = await context();
    requireTerminal(input);
    const what = 'What was written to the target since the move is not in this database.';
    await requireYes(input, `${what} Serve this one again?`, 'Nothing was changed.');
  }
  const { movedTo } = await cancelMove(settings);
  const advice = `Start the daemon on it, and stop the daemons of ${movedTo}.`;
  print(`This database serves again. ${advice}`, { canceled: movedTo });
}

function reportText(report: MoveReport, to: MoveTarget): string {
  const { from, tenants, rows, bytes, seconds, rowsPerSecond, pausedMs } = report;
  const amount = `${pluralize(tenants, 'account')}, ${pluralize(rows, 'row')}, ${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  return [
    `Moved ${from}`,
    `to ${report.to}:`,
    `${amount} in ${seconds} s (${rowsPerSecond} rows a second). Both are equal; writes waited ${pausedMs} ms.`,
    '',
    ...nextSteps(report, to),
    `${from} is kept and accepts no more writes. Delete it once you have a backup of the new one.`,
  ].join('\n');
}

function nextSteps({ masterKeyFile }: MoveReport, to: MoveTarget): string[] {
  if (to === 'sqlite') {
    return [
      'Restart the daemon without SVC_DATABASE_URL. Keep SVC_MASTER_KEY, or put it into master.key in the folder.',
    ];
  }
  const key =
    masterKeyFile === undefined ? 'SVC_MASTER_KEY as before' : `SVC_MASTER_KEY set to the text of ${masterKeyFile}`;
  return [`Restart the daemons with SVC_DATABASE_URL set to that database, and ${key}.`];
}
