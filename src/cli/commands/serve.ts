import { Command } from 'commander';
import { configTable, configWarnings, readProcessConfig } from '../../daemon/config.ts';
import type { SetExitCode, Terminal } from '../command-context.ts';
import { addConfigFlags, readConfigFlags, secretFlagWarnings } from './serve-flags.ts';

interface Options {
  check?: true;
  json?: true;
}

/** `svc serve`: runs the daemon. Every setting is also a flag. The daemon is loaded only if the configuration is valid. */
export function serveCommand(
  version: string,
  terminal: Terminal,
  stopSignal: () => Promise<string>,
  setExitCode: SetExitCode,
): Command {
  const command = new Command('serve')
    .description('run the daemon; without settings it serves this machine on port 8787')
    .option('--check', 'validate the configuration, print it with secrets masked, and exit')
    .option('--json', 'with --check: print JSON');
  addConfigFlags(command);
  return command.action(async ({ check, json, ...given }: Options & Record<string, string | undefined>) => {
    if (json && !check) command.error('error: --json requires --check');
    const config = await readProcessConfig(await readConfigFlags(given));
    const warnings = [...secretFlagWarnings(given), ...configWarnings(config)];
    if (check) {
      for (const warning of warnings) terminal.error(`svc: warning: ${warning}\n`);
      terminal.out(`${configTable(config, json === true)}\n`);
      return;
    }
    const { serve } = await import('../../daemon/serve.ts');
    setExitCode(await serve(config, { version, warnings }, terminal, stopSignal()));
  });
}
