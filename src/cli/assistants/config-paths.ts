/** Facts that the paths of configuration files depend on. The command line's `Environment` has them. */
export interface Environment {
  home: string;
  /** Node's name of the platform: `darwin`, `win32`, or another. */
  platform: string;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** Joins parts of a path. Without `node:path`, because the web app shows these paths too. */
function join({ platform }: Environment, ...parts: string[]): string {
  const given = parts.filter((part) => part !== '');
  if (platform !== 'win32') return given.map((part) => part.replace(/\/+$/, '')).join('/');
  return given.map((part) => part.replaceAll('/', '\\').replace(/\\+$/, '')).join('\\');
}

/** Returns a path in the home folder. */
export function inHome(environment: Environment, ...parts: string[]): string {
  return join(environment, environment.home, ...parts);
}

/** Returns a path in the current folder. */
export function inProject(environment: Environment, ...parts: string[]): string {
  return join(environment, environment.cwd, ...parts);
}

/** Returns a path in the folder that `variable` names, or else in the `fallback` folder in the home folder. */
export function inEnvFolder(environment: Environment, variable: string, fallback: string, ...parts: string[]): string {
  const named = environment.env[variable];
  return named ? join(environment, named, ...parts) : inHome(environment, fallback, ...parts);
}

/** Returns a path in `XDG_CONFIG_HOME` or `~/.config`, on every platform. */
export function inXdgConfig(environment: Environment, ...parts: string[]): string {
  return inEnvFolder(environment, 'XDG_CONFIG_HOME', '.config', ...parts);
}

/** Returns a path in the platform's settings folder: Application Support, `%APPDATA%` or `~/.config`. */
function inAppSupport(environment: Environment, ...parts: string[]): string {
  if (environment.platform === 'darwin') return inHome(environment, 'Library', 'Application Support', ...parts);
  return environment.platform === 'win32' ? inAppData(environment, ...parts) : inXdgConfig(environment, ...parts);
}

/** Returns a path in `%APPDATA%`. */
function inAppData(environment: Environment, ...parts: string[]): string {
  const folder = environment.env.APPDATA ?? inHome(environment, 'AppData', 'Roaming');
  return join(environment, folder, ...parts);
}

/** Path functions for the assistant tables: in the home folder, the project, or the application settings. */
export const home =
  (...parts: string[]) =>
  (environment: Environment) => [inHome(environment, ...parts)];
export const project =
  (...parts: string[]) =>
  (environment: Environment) => [inProject(environment, ...parts)];
export const support =
  (...parts: string[]) =>
  (environment: Environment) => [inAppSupport(environment, ...parts)];

/** A path in `~/.config`, on macOS too, and another path in `%APPDATA%` on Windows. */
export const config = (onWindows: string[], elsewhere: string[]) => (environment: Environment) => {
  if (environment.platform === 'win32') return [inAppData(environment, ...onWindows)];
  if (environment.platform === 'darwin') return [inHome(environment, '.config', ...elsewhere)];
  return [inXdgConfig(environment, ...elsewhere)];
};
