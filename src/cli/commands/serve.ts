import { Command } from 'commander';
import { CONFIG_FLAGS, configTable, type Flags, readProcessConfig } from '../../daemon/config.ts';
import type { SetExitCode, Terminal } from '../command-context.ts';

/** `svc serve`: every setting is a flag too. The daemon itself is loaded only when the configuration is sound. */
export function serveCommand(
  version: string,
  terminal: Terminal,
  stopSignal: () => Promise<string>,
  endWith: SetExitCode,
): Command {
  const command = new Command('serve')
    .description('run the daemon; without any setting it serves this machine on port 8787')
    .option('--check', 'validate the configuration, print what is in force (secrets masked) and stop')
    .option('--json', 'with --check: print JSON');
  for (const { flag, about } of CONFIG_FLAGS) command.option(flag, about);
  return command.action(async ({ check, json, ...flags }: Flags & { check?: true; json?: true }) => {
    if (json && !check) command.error('error: --json goes with --check');
    const config = await readProcessConfig(flags);
    if (check) {
      terminal.out(`${configTable(config, json === true)}\n`);
      return;
    }
    const { serve } = await import('../../daemon/serve.ts');
    endWith(await serve(config, version, terminal, stopSignal()));
  });
}
