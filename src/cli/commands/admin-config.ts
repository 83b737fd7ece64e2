import envPaths from 'env-paths';
import { readProcessConfig, readServiceConfig } from '../../daemon/config.ts';
import type { Config } from '../../daemon/config-settings.ts';
import type { CommandContext } from '../command-context.ts';
import { serviceLayout } from '../service/layout.ts';
import { openSettings } from '../settings.ts';

type Context = Pick<CommandContext, 'environment' | 'terminal'>;

/**
 * Reads the configuration of the daemon that an operator command is about: with the data folder `dataDir`, or as `svc serve`
 * here would have it. Where that names no database, it is that of the installed service, which standard error then names.
 * Throws `ConfigError`.
 */
export async function readOperatorConfig(dataDir: string | undefined, context: Context): Promise<Config> {
  if (dataDir !== undefined) return readProcessConfig({ dataDir });
  const file = serviceFile(context);
  const found = file === undefined ? undefined : await readServiceConfig(file);
  if (!found) return readProcessConfig({});
  context.terminal.error(`With the settings of the service, ${file}.\n`);
  return found;
}

/** The settings file of the service that this user would install; `undefined` on a platform without services. */
function serviceFile({ environment }: Context): string | undefined {
  if (!['linux', 'darwin', 'win32'].includes(environment.platform)) return undefined;
  const folders = { config: openSettings(environment).folder, data: envPaths('svc', { suffix: '' }).data };
  const scope = environment.platform === 'linux' && process.getuid?.() === 0 ? 'system' : 'user';
  return serviceLayout(scope, environment, folders).environmentFile;
}
