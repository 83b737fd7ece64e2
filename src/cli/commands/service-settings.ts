import { readFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { ConfigError, type Flags, givenSettings, parseSettings, readConfig } from '../../daemon/config.ts';
import { listenerUrl } from '../../daemon/config-values.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { ServiceContext } from '../service/context.ts';
import type { ServiceLayout } from '../service/layout.ts';

type Settings = Record<string, string>;

/** The settings that the service runs with. */
export interface ServiceSettings {
  /** The settings that the environment file gets; an empty value removes one. */
  changes: Settings;
  dataDir: string;
  /** Folders besides the data folder that the daemon writes. */
  writable: string[];
  /** Where the daemon answers on this machine. */
  url: string;
  publicUrl: string;
  /** Mails appear in the log. */
  logsMails: boolean;
}

/** Settings whose relative paths are those of the working directory. */
const PATHS = ['SVC_DATA_DIR', 'SVC_MAIL_DIR', 'SVC_BACKUP_DIR'];

/**
 * Resolves the settings of the service: what `svc serve` would use here with these flags, over what the service had.
 * Throws `ConfigError` if they are invalid.
 */
export async function resolveSettings(
  flags: Flags,
  layout: ServiceLayout,
  { environment: { env, cwd } }: ServiceContext,
): Promise<ServiceSettings> {
  const dotEnv = await readFile(join(cwd, '.env'), 'utf8').catch(() => '');
  const given = givenSettings(flags, env, parseSettings(dotEnv));
  for (const name of PATHS) if (given[name]) given[name] = resolve(cwd, given[name]);
  if (/^\.{1,2}([/\\]|$)/.test(given.SVC_EMBEDDINGS ?? '')) given.SVC_EMBEDDINGS = resolve(cwd, given.SVC_EMBEDDINGS!);
  const kept = await readServiceSettings(layout);
  const dataDir = given.SVC_DATA_DIR || kept.SVC_DATA_DIR || layout.dataDir;
  const own = { SVC_DATA_DIR: dataDir, ...(layout.logFile !== undefined && { SVC_LOG_FILE: layout.logFile }) };
  const changes = { ...given, ...own };
  const config = readConfig({}, { ...kept, ...changes }, '');
  if (config.port === 0) throw new ConfigError('SVC_PORT must be fixed for a service, so that it can be found');
  const writable = [config.mailDir, config.backupDir].filter((folder) => folder !== undefined && isAbsolute(folder));
  const url = listenerUrl(config.host, config.port);
  const logsMails = config.smtpUrl === undefined && config.mailDir === undefined;
  return { changes, dataDir, writable: writable as string[], url, publicUrl: config.publicUrl ?? url, logsMails };
}

/** The settings in the service's environment file. Throws `CommandFailure` if only root can read it. */
export async function readServiceSettings({ environmentFile }: ServiceLayout): Promise<Settings> {
  const text = await readFile(environmentFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new CommandFailure(
      EXIT.failed,
      `${environmentFile} cannot be read (${error.code}).${error.code === 'EACCES' ? ' Run the command with sudo.' : ''}`,
    );
  });
  return parseSettings(text);
}

/** Where the daemon of these settings answers on this machine. */
export function addressIn(settings: Settings): string {
  return listenerUrl(settings.SVC_HOST || '127.0.0.1', Number(settings.SVC_PORT || 8787));
}
