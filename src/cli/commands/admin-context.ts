import type { Config } from '../../daemon/config-settings.ts';
import type { CommandContext } from '../command-context.ts';

/** Dependencies shared by the commands of `svc admin`. */
export interface AdminContext {
  context(): Promise<CommandContext>;
  config(): Promise<Config>;
  json(): true | undefined;
  print(text: string, data: unknown): void;
}
