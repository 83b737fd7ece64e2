import { rm } from 'node:fs/promises';
import { Command } from 'commander';
import { JSON_OPTION, parseCount } from '../memory/command-options.ts';
import { createOutput } from '../output.ts';
import { formatLogLine } from '../serve-terminal/log-line.ts';
import { chosenScope, openSupervisor, requireOwner, type ServiceContext } from '../service/context.ts';
import { readLog } from '../service/log-source.ts';
import { addConfigFlags } from './serve-flags.ts';
import { type InstallOptions, installService } from './service-install.ts';
import { readServiceSettings } from './service-settings.ts';
import { showServiceStatus } from './service-status.ts';

const HELP = `
Keeps the daemon running in the background: systemd on Linux, launchd on macOS,
the Task Scheduler on Windows.

Examples:
  $ svc service install
  $ svc service status
  $ svc service logs --follow`;

const INSTALL_HELP = `
The service gets the settings that svc serve would have here: options, SVC_
variables and .env. They are stored in a file that only you can read. Run it
again to change settings or after an upgrade: it updates and restarts the
service, and keeps the other settings. An empty value removes one.

Examples:
  $ svc service install
  $ svc service install --public-url https://memory.example.com --trust-proxy loopback
  $ sudo svc service install --system        at boot, as the user svc, hardened
  $ svc service install --dry-run            shows what it would do`;

const STATUS_HELP = `
Exits with 0 if the daemon is running and ready, 4 if it is not, and 1 if the
service is not installed.

Examples:
  $ svc service status
  $ svc service status --json`;

const LOGS_HELP = `
On a terminal the log is shown as text, elsewhere as the JSON it is.

Examples:
  $ svc service logs --lines 50
  $ svc service logs --follow`;

const SYSTEM_OPTION = ['--system', "the system's service instead of yours (systemd, as root)"] as const;
const DEFAULT_LINES = 100;

/** `svc service`: the daemon as a service of this machine. */
export function serviceCommand(context: ServiceContext): Command {
  const service = new Command('service')
    .description('keep the daemon running in the background')
    .addHelpText('after', HELP);
  const install = service
    .command('install')
    .description('install, start or update the service')
    .option(...SYSTEM_OPTION)
    .option('--dry-run', 'show what it would do')
    .option(...JSON_OPTION);
  addConfigFlags(install);
  install
    .addHelpText('after', INSTALL_HELP)
    .action((options: InstallOptions & Record<string, string | undefined>) => installService(options, context));
  service
    .command('uninstall')
    .description('stop and remove the service; data and settings stay')
    .option(...SYSTEM_OPTION)
    .option(...JSON_OPTION)
    .action((options: { system?: true; json?: true }) => uninstall(options, context));
  service
    .command('status')
    .description('show whether the service is running')
    .option(...SYSTEM_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', STATUS_HELP)
    .action((options: { system?: true; json?: true }) => showServiceStatus(options, context));
  service
    .command('logs')
    .description('show the log of the service')
    .option(...SYSTEM_OPTION)
    .option('-n, --lines <count>', `show this many of the last lines (${DEFAULT_LINES})`, parseCount, DEFAULT_LINES)
    .option('-f, --follow', 'continue with new lines until Ctrl-C')
    .option('--json', 'leave the lines as JSON')
    .addHelpText('after', LOGS_HELP)
    .action((options: LogsOptions) => logs(options, context));
  return service;
}

async function uninstall(options: { system?: true; json?: true }, context: ServiceContext): Promise<void> {
  const output = createOutput(context.terminal, options);
  const scope = chosenScope(options, context);
  const supervisor = openSupervisor(scope, context);
  requireOwner(scope, context, 'service uninstall');
  await supervisor.assertAvailable();
  const { unitFile, environmentFile, dataDir } = supervisor.layout;
  const { isInstalled, foreignUnit } = await supervisor.state();
  const settings = await readServiceSettings(supervisor.layout);
  const data = settings.SVC_DATA_DIR || dataDir;
  const removed = isInstalled && foreignUnit === undefined;
  if (removed) await supervisor.remove();
  await rm(unitFile, { force: true });
  if (removed) await supervisor.forget();
  output.data({ removed, unitFile, environmentFile, dataDir: data });
  if (foreignUnit !== undefined) return output.line(`${foreignUnit} belongs to a package. Remove the package instead.`);
  output.line(removed ? `Removed ${supervisor.title}.` : 'svc is not installed as a service.');
  output.line(`Data stays in ${data}, settings in ${environmentFile}.`);
}

interface LogsOptions {
  system?: true;
  json?: true;
  follow?: true;
  lines: number;
}

async function logs(options: LogsOptions, context: ServiceContext): Promise<void> {
  const { json, follow, lines } = options;
  const { terminal, environment, stopSignal } = context;
  const { log } = openSupervisor(chosenScope(options, context), context);
  const { style } = createOutput(terminal);
  const asText = terminal.isTty && !json;
  const stop = new AbortController();
  void stopSignal().then(() => stop.abort());
  terminal.closed.addEventListener('abort', () => stop.abort());
  let rest = '';
  await readLog(log, {
    ...{ lines, follow: follow === true, env: environment.env, signal: stop.signal },
    onText(text) {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) terminal.out(`${asText ? formatLogLine(line, style) : line}\n`);
    },
  });
}
