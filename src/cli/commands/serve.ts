import { Command } from 'commander';
import { configTable, configWarnings, readProcessConfig } from '../../daemon/config.ts';
import type { Config } from '../../daemon/config-settings.ts';
import { createLogFile } from '../../daemon/log-file.ts';
import { keepNewSpaceSmall } from '../../daemon/new-space.ts';
import type { CommandContext, SetExitCode } from '../command-context.ts';
import { createPlainOutput, createScreenOutput, type ServeOutput } from '../serve-terminal/serve-output.ts';
import { addConfigFlags, readConfigFlags, secretFlagWarnings } from './serve-flags.ts';

interface Options {
  check?: true;
  json?: true;
  envFile?: string;
}

/** `svc serve`: runs the daemon. Every setting is also a flag. The daemon is loaded only if the configuration is valid. */
export function serveCommand(
  version: string,
  { terminal, stopSignal }: CommandContext,
  setExitCode: SetExitCode,
): Command {
  const command = new Command('serve')
    .description('run the daemon; without settings it serves this machine on port 8787')
    .option('--check', 'validate the configuration, print it with secrets masked, and exit')
    .option('--json', 'with --check: print JSON')
    .option('--env-file <file>', 'read settings from this file instead of .env in the working directory');
  addConfigFlags(command);
  return command.action(async ({ check, json, envFile, ...given }: Options & Record<string, string | undefined>) => {
    if (json && !check) command.error('error: --json requires --check');
    const config = await readProcessConfig(await readConfigFlags(given), envFile);
    const warnings = [...secretFlagWarnings(given), ...configWarnings(config)];
    if (check) {
      for (const warning of warnings) terminal.error(`svc: warning: ${warning}\n`);
      terminal.out(`${configTable(config, json === true)}\n`);
      return;
    }
    keepNewSpaceSmall();
    const { serve } = await import('../../daemon/serve.ts');
    const output = await openOutput(config, terminal);
    try {
      setExitCode(await serve(config, { version, warnings }, output, stopSignal()));
    } catch (error) {
      if (config.logFile !== undefined) output.mail(`svc did not start: ${(error as Error).message}`);
      throw error;
    }
  });
}

/** Text for people at a terminal, JSON for programs. */
async function openOutput(
  { logFile, logFormat }: Config,
  { out, error, isTty, errorIsTty, columns, color }: CommandContext['terminal'],
): Promise<ServeOutput> {
  if (logFile !== undefined) {
    const write = await createLogFile(logFile);
    return createPlainOutput(write, write);
  }
  const asText = logFormat === 'text' || (logFormat === 'auto' && isTty && errorIsTty);
  return asText ? createScreenOutput(out, { columns, color }) : createPlainOutput(out, error);
}
