import { readFile, stat } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { isUnchecked } from '../db/postgres/url.ts';
import { type Config, SETTINGS } from './config-settings.ts';
import { isUnspecified } from './config-values.ts';
import type { Setting } from './setting.ts';

/** Invalid configuration; each line of the message names a setting and what is wrong with it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Settings of the command line and of the install script, which the daemon ignores. */
const CLIENT_NAMES = new Set([
  'SVC_URL',
  'SVC_PROFILE',
  'SVC_SPACE',
  'SVC_API_KEY',
  'SVC_CONFIG_DIR',
  'SVC_MODEL_HUB',
  'SVC_DOWNLOAD_URL',
  'SVC_INSTALL_DIR',
  'SVC_BIN_DIR',
  'SVC_VERSION',
]);

export type Flags = Partial<Record<keyof Config, string>>;

/** The flags of `svc serve`, one per setting: `--public-url` for SVC_PUBLIC_URL. */
export const CONFIG_FLAGS = (Object.keys(SETTINGS) as (keyof Config)[]).map((name) => {
  const { env, value, about, secret = false } = SETTINGS[name];
  const flag = `--${env.slice(4).toLowerCase().replaceAll('_', '-')} <${value}>`;
  return { name, env, flag, about: `${about} [${env}]`, secret };
});

/** Problems of a valid configuration that the operator should know of. */
export function configWarnings(config: Pick<Config, 'host' | 'publicUrl' | 'oauth' | 'databaseUrl'>): string[] {
  const { host, publicUrl, oauth, databaseUrl } = config;
  const warnings: string[] = [];
  if (isUnspecified(host) && publicUrl === undefined) {
    const advice = 'Set SVC_PUBLIC_URL to the address that people use.';
    const cause = `SVC_HOST is ${host} and SVC_PUBLIC_URL is not set`;
    warnings.push(`Links in mails lead to 127.0.0.1, which only works on this machine: ${cause}. ${advice}`);
  }
  const isPlain = publicUrl?.startsWith('http:') && !/^http:\/\/(localhost|127\.|\[::1\])/.test(publicUrl);
  if (oauth === 'on' && isPlain) {
    warnings.push('OAuth tokens are sent unencrypted: SVC_OAUTH is on, and SVC_PUBLIC_URL is not https.');
  }
  if (databaseUrl !== undefined && isUnchecked(databaseUrl)) {
    const advice = 'Use sslmode=verify-full, with sslrootcert for a private authority.';
    warnings.push(`Whoever is between svc and PostgreSQL can pose as it: sslmode=no-verify. ${advice}`);
  }
  return warnings;
}

/** Whether clients may connect with OAuth. */
export function isOAuthOn({ oauth, publicUrl }: Pick<Config, 'oauth' | 'publicUrl'>): boolean {
  return oauth === 'on' || (oauth === 'auto' && (publicUrl ?? '').startsWith('https:'));
}

/**
 * Reads the configuration from flags, environment and `envFile`, otherwise the `.env` of the working directory. Throws
 * `ConfigError`.
 */
export async function readProcessConfig(flags: Flags, envFile?: string): Promise<Config> {
  return readConfig(flags, process.env, await readEnvFile(envFile));
}

/**
 * Reads the configuration of an installed service from its settings file, with `dataDir` unless that names another folder, and
 * below the environment and the `.env` of the working directory. `undefined` if these say where the database is, or there is
 * no such file. Throws `ConfigError`.
 */
export async function readServiceConfig(file: string, dataDir: string): Promise<Config | undefined> {
  const dotEnv = await readEnvFile(undefined);
  const { SVC_DATA_DIR, SVC_DATABASE_URL } = givenSettings({}, process.env, parseSettings(dotEnv));
  if (SVC_DATA_DIR || SVC_DATABASE_URL) return undefined;
  const settings = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ConfigError(`${file} cannot be read (${error.code}). Name the data folder with --data-dir.`);
  });
  if (settings === undefined) return undefined;
  return readConfig(
    {},
    { ...process.env, SVC_DATA_DIR: parseSettings(settings).SVC_DATA_DIR || dataDir },
    `${settings}\n${dotEnv}`,
  );
}

async function readEnvFile(envFile: string | undefined): Promise<string> {
  return readFile(envFile ?? '.env', 'utf8').catch(async (error: NodeJS.ErrnoException) => {
    if (envFile === undefined && (error.code === 'ENOENT' || error.code === 'EISDIR')) return '';
    // `sudo -u svc svc …` in a folder of another user, who may not even look for the file there.
    if (envFile === undefined && error.code === 'EACCES' && !(await canLookAround())) return '';
    throw new ConfigError(`${envFile ?? '.env'} cannot be read (${error.code})`);
  });
}

function canLookAround(): Promise<boolean> {
  return stat('.').then(
    () => true,
    () => false,
  );
}

/** Parses `NAME=value` lines. An editor's byte order mark would hide the first name. */
export function parseSettings(text: string): Record<string, string> {
  return parseEnv(text.replace(/^\uFEFF/, '')) as Record<string, string>;
}

/** The settings that are set, as text by environment name: flags override the environment, which overrides the file. */
export function givenSettings(
  flags: Flags,
  environment: Record<string, string | undefined>,
  fromFile: Record<string, string>,
): Record<string, string> {
  const rows = (Object.keys(SETTINGS) as (keyof Config)[]).map((name) => {
    const { env } = SETTINGS[name];
    return [env, flags[name] ?? environment[env] ?? fromFile[env]] as const;
  });
  return Object.fromEntries(rows.flatMap(([env, text]) => (text === undefined ? [] : [[env, text.trim()]])));
}

/**
 * Resolves the configuration: flags override the environment, which overrides `.env`, which overrides the defaults.
 * Throws `ConfigError` listing every problem, including unknown `SVC_` names.
 */
export function readConfig(flags: Flags, environment: Record<string, string | undefined>, dotEnv: string): Config {
  const fromFile = parseSettings(dotEnv);
  const given = givenSettings(flags, environment, fromFile);
  const faults = [...unknownNames(environment, ''), ...unknownNames(fromFile, ' in .env')];
  const config: Partial<Record<keyof Config, unknown>> = {};
  for (const name of Object.keys(SETTINGS) as (keyof Config)[]) {
    const { env, parse } = SETTINGS[name];
    try {
      config[name] = parse(given[env] || undefined);
    } catch (error) {
      faults.push(`${env} ${(error as Error).message}`);
    }
  }
  if (config.smtpUrl && config.mailFrom === SETTINGS.mailFrom.parse(undefined)) {
    faults.push('SVC_MAIL_FROM is required with SVC_SMTP_URL: it is the sender of the mails');
  }
  if (config.databaseUrl && !config.masterKeys) {
    faults.push('SVC_MASTER_KEY is required with SVC_DATABASE_URL: daemons share it (openssl rand -base64 32)');
  }
  if (config.databaseUrl && config.backupSchedule && config.backupSchedule !== 'off') {
    faults.push('SVC_BACKUP_SCHEDULE is for SQLite: back up PostgreSQL with its own tools, such as pg_dump');
  }
  if (config.redisUrl && !config.databaseUrl) {
    faults.push('SVC_REDIS_URL needs SVC_DATABASE_URL: a daemon on SQLite counts requests in its memory');
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return config as Config;
}

function unknownNames(environment: Record<string, string | undefined>, where: string): string[] {
  const known = new Set(Object.values(SETTINGS).map(({ env }) => env));
  return Object.keys(environment)
    .filter((name) => name.startsWith('SVC_') && !known.has(name) && !CLIENT_NAMES.has(name))
    .filter((name) => environment[name] !== undefined)
    .map((name) => `${name}${where} is not a setting of svc (see svc serve --help)`);
}

/** The effective settings by name, with secrets masked and `null` for unset ones. */
export function describeConfig(config: Config): Record<string, string | number | string[] | null> {
  const rows = (Object.keys(SETTINGS) as (keyof Config)[]).map((name) => {
    const { env, secret, show } = SETTINGS[name] as Setting<Config[keyof Config]>;
    const value = config[name];
    if (value === undefined) return [env, null] as const;
    if (show) return [env, show(value)] as const;
    return [env, secret ? '********' : (value as string | number | string[])] as const;
  });
  return Object.fromEntries(rows);
}

/** Formats the effective settings as a table, or as one JSON object. */
export function configTable(config: Config, json: boolean): string {
  const settings = describeConfig(config);
  if (json) return JSON.stringify(settings, null, 2);
  const width = Math.max(...Object.keys(settings).map((env) => env.length));
  const shown = (value: unknown) => String(value ?? '') || '–';
  return Object.entries(settings)
    .map(([env, value]) => `${env.padEnd(width)}  ${shown(value)}`)
    .join('\n');
}
