import { posix, win32 } from 'node:path';
import type { Environment } from '../settings.ts';

function join(environment: Environment, ...parts: string[]): string {
  return (environment.platform === 'win32' ? win32 : posix).join(...parts);
}

/** A path under the home folder. */
export function inHome(environment: Environment, ...parts: string[]): string {
  return join(environment, environment.home, ...parts);
}

/** A path under the folder that the command runs in. */
export function inProject(environment: Environment, ...parts: string[]): string {
  return join(environment, environment.cwd, ...parts);
}

/** A path under the folder that a variable names, else under the one given from home. */
export function inEnvFolder(environment: Environment, variable: string, fallback: string, ...parts: string[]): string {
  const named = environment.env[variable];
  return named ? join(environment, named, ...parts) : inHome(environment, fallback, ...parts);
}

/** `~/.config`, or what `XDG_CONFIG_HOME` says, on every platform. */
export function inXdgConfig(environment: Environment, ...parts: string[]): string {
  return inEnvFolder(environment, 'XDG_CONFIG_HOME', '.config', ...parts);
}

/** Where programs with a window keep their settings: Application Support, `%APPDATA%` or `~/.config`. */
export function inAppSupport(environment: Environment, ...parts: string[]): string {
  if (environment.platform === 'darwin') return inHome(environment, 'Library', 'Application Support', ...parts);
  return environment.platform === 'win32' ? inAppData(environment, ...parts) : inXdgConfig(environment, ...parts);
}

/** A path under `%APPDATA%`. */
export function inAppData(environment: Environment, ...parts: string[]): string {
  const folder = environment.env.APPDATA ?? inHome(environment, 'AppData', 'Roaming');
  return join(environment, folder, ...parts);
}

/** Paths of one assistant as the table gives them: under home, under the project, among the settings of programs. */
export const home =
  (...parts: string[]) =>
  (environment: Environment) => [inHome(environment, ...parts)];
export const project =
  (...parts: string[]) =>
  (environment: Environment) => [inProject(environment, ...parts)];
export const support =
  (...parts: string[]) =>
  (environment: Environment) => [inAppSupport(environment, ...parts)];

/** `~/.config` on macOS too, and a folder of another name on Windows. */
export const config = (onWindows: string[], elsewhere: string[]) => (environment: Environment) => {
  if (environment.platform === 'win32') return [inAppData(environment, ...onWindows)];
  if (environment.platform === 'darwin') return [inHome(environment, '.config', ...elsewhere)];
  return [inXdgConfig(environment, ...elsewhere)];
};
