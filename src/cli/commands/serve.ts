import { Command } from 'commander';
import { CONFIG_FLAGS, configTable, type Flags, readProcessConfig } from '../../daemon/config.ts';
import type { SetExitCode, Terminal } from '../command-context.ts';

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
  for (const { flag, about } of CONFIG_FLAGS) command.option(flag, about);
  return command.action(async ({ check, json, ...flags }: Flags & { check?: true; json?: true }) => {
    if (json && !check) command.error('error: --json requires --check');
    const config = await readProcessConfig(flags);
    if (check) {
      terminal.out(`${configTable(config, json === true)}\n`);
      return;
    }
    const { serve } = await import('../../daemon/serve.ts');
    setExitCode(await serve(config, version, terminal, stopSignal()));
  });
}
