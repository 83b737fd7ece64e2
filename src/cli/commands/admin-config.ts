import envPaths from 'env-paths';
import { readProcessConfig, readServiceConfig } from '../../daemon/config.ts';
import type { Config } from '../../daemon/config-settings.ts';
import type { CommandContext } from '../command-context.ts';
import { chosenScope } from '../service/context.ts';
import { type ServiceLayout, serviceLayout } from '../service/layout.ts';
import { openSettings } from '../settings.ts';

type Context = Pick<CommandContext, 'environment' | 'terminal'>;

/**
 * Reads the configuration of the daemon that an operator command is about: with the data folder `dataDir`, or as `svc serve`
 * here would have it. Where that names no database, it is that of the installed service, which standard error then names.
 * Throws `ConfigError`.
 */
export async function readOperatorConfig(dataDir: string | undefined, context: Context): Promise<Config> {
  if (dataDir !== undefined) return readProcessConfig({ dataDir });
  const layout = layoutOf(context);
  const found = layout && (await readServiceConfig(layout.environmentFile, layout.dataDir));
  if (!found) return readProcessConfig({});
  context.terminal.error(`With the settings of the service, ${layout.environmentFile}.\n`);
  return found;
}

/** Where the service is that this user would install; `undefined` on a platform without services. */
function layoutOf({ environment }: Context): ServiceLayout | undefined {
  if (!['linux', 'darwin', 'win32'].includes(environment.platform)) return undefined;
  const folders = { config: openSettings(environment).folder, data: envPaths('svc', { suffix: '' }).data };
  return serviceLayout(chosenScope({}, { uid: process.getuid?.(), environment }), environment, folders);
}
