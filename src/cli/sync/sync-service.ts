import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { OWN_SPACE } from '../../contract/space-names.ts';
import { replaceFile } from '../../lib/atomic-file.ts';
import { forwardedVariables } from '../assistants/bridge-command.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { createOutput } from '../output.ts';
import { openSupervisor, type ServiceContext } from '../service/context.ts';

/** The folder of a service, and the options that it runs with. */
interface SyncService {
  /** The folder that the command gets, if not the one with the files. */
  folder?: string;
  root: string;
  native?: string | undefined;
  user?: string | undefined;
  project?: string | undefined;
  profile?: string | undefined;
  space?: string | undefined;
}

/** Installs, or updates, the service that syncs a folder while its user is logged in, and starts it. */
export async function installSyncService(
  { root, folder = root, native, user, project, profile, space: requested }: SyncService,
  context: ServiceContext,
): Promise<void> {
  const { profileName, space } = await context.session(profile, requested);
  if (context.environment.env.SVC_API_KEY) {
    throw new CommandFailure(EXIT.usage, 'A service does not have SVC_API_KEY. Sign in with svc login, then unset it.');
  }
  const supervisor = openSupervisor('user', context, nameOf(root));
  await supervisor.assertAvailable();
  // Named also if it is the own account, because `svc space use` may choose another one later.
  const where = ['--profile', profileName, '--space', space?.key ?? OWN_SPACE];
  const words = ['sync', folder, '--yes', '--existing', ...where];
  if (user !== undefined) words.push('--user', user);
  if (project !== undefined) words.push('--project', project);
  if (native !== undefined) words.push('--native', native);
  const program = [context.program.node, context.program.script];
  const environment = forwardedVariables(context.environment);
  const unit = await supervisor.render({ program, words, environment, dataDir: root, writable: [] });
  const { unitFile, logFile } = supervisor.layout;
  for (const file of [unitFile, logFile]) if (file !== undefined) await mkdir(dirname(file), { recursive: true });
  await replaceFile(unitFile, unit, { mode: 0o600 });
  await supervisor.start();
  const output = createOutput(context.terminal);
  const log = 'file' in supervisor.log ? supervisor.log.file : `journalctl --user --unit=${supervisor.layout.name}`;
  output.line(`${output.style.good('✓')} ${root} is synced in the background. Its log: ${log}`);
  const advice = await supervisor.bootAdvice();
  if (advice !== undefined) output.note(advice);
}

/** Stops and removes the service of a folder. */
export async function uninstallSyncService(root: string, context: ServiceContext): Promise<void> {
  const supervisor = openSupervisor('user', context, nameOf(root));
  await supervisor.assertAvailable();
  const { isInstalled } = await supervisor.state();
  if (isInstalled) await supervisor.remove();
  await rm(supervisor.layout.unitFile, { force: true });
  if (isInstalled) await supervisor.forget();
  const done = isInstalled ? `Removed ${supervisor.title}. The files stay.` : `No service syncs ${root}.`;
  createOutput(context.terminal).line(done);
}

/** A name for each folder, which people recognize. */
function nameOf(root: string): string {
  const words = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 8);
  return ['svc-sync', ...(words === '' ? [] : [words.slice(0, 40)]), hash].join('-');
}
