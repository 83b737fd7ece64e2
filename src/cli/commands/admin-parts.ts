import type { Config } from '../../daemon/config.ts';
import type { CommandContext } from '../command-context.ts';

/** What the commands of `svc admin` share. */
export interface AdminParts {
  context(): Promise<CommandContext>;
  config(): Promise<Config>;
  json(): true | undefined;
  say(text: string, data: unknown): void;
}
