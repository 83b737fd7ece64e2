import type { Command } from 'commander';
import type { Config } from '../../daemon/config-settings.ts';
import type { CommandContext, Terminal } from '../command-context.ts';
import { printableJson } from '../memory/terminal-text.ts';
import { readOperatorConfig } from './admin-config.ts';

/** Dependencies shared by the commands of `svc admin`. */
export interface AdminContext {
  context(): Promise<CommandContext>;
  config(): Promise<Config>;
  json(): true | undefined;
  print(text: string, data: unknown): void;
}

export const DATA_DIR_OPTION = ['--data-dir <folder>', 'the data folder [SVC_DATA_DIR]'] as const;

/** Creates the context of a command with the options `--data-dir` and `--json`. */
export function createAdminContext(
  command: Command,
  terminal: Terminal,
  context: () => Promise<CommandContext>,
): AdminContext {
  const options = () => command.opts<{ dataDir?: string; json?: true }>();
  return {
    context,
    config: async () => readOperatorConfig(options().dataDir, await context()),
    json: () => options().json,
    // The same JSON wherever it goes: a pipe cannot be told from a terminal here.
    print: (text, data) => terminal.out(`${options().json ? printableJson(JSON.stringify(data, null, 2)) : text}\n`),
  };
}
