import { Command } from 'commander';
import { CONFIG_FLAGS, type Config } from '../../daemon/config.ts';
import { configTable, readProcessConfig, serve, type Terminal } from '../../daemon/serve.ts';

/** `svc serve`: every setting is a flag too. */
export function serveCommand(version: string, terminal: Terminal, stopSignal: () => Promise<string>): Command {
  const command = new Command('serve')
    .description('run the daemon; without any setting it serves this machine on port 8787')
    .option('--check', 'validate the configuration, print what is in force (secrets masked) and stop')
    .option('--json', 'with --check: print JSON');
  for (const { flag, about } of CONFIG_FLAGS) command.option(flag, about);
  return command.action(async (flags: Partial<Record<keyof Config, string>> & { check?: true; json?: true }) => {
    const config = await readProcessConfig(flags);
    if (flags.check) terminal.out(`${configTable(config, flags.json === true)}\n`);
    else process.exitCode = await serve(config, version, terminal, stopSignal());
  });
}
