import { spawn } from 'node:child_process';
import type { Environment } from './settings.ts';

/** A browser that cannot be opened fails within this time; one that opens may keep its launcher running. */
const LAUNCH_MS = 1500;

/**
 * Opens a URL in the user's browser. Returns whether that worked, which it does not on a machine without a screen or over
 * ssh.
 */
export function openBrowser(url: string, { env, platform }: Environment): Promise<boolean> {
  const launcher = launcherOf({ env, platform });
  if (launcher === undefined) return Promise.resolve(false);
  const [program, ...leading] = launcher;
  return new Promise((resolve) => {
    const child = spawn(program, [...leading, url], { env, stdio: 'ignore', detached: true });
    const timer = setTimeout(() => resolve(true), LAUNCH_MS);
    const finish = (opened: boolean) => {
      clearTimeout(timer);
      resolve(opened);
    };
    child.once('error', () => finish(false));
    child.once('exit', (code) => finish(code === 0));
    child.unref();
  });
}

/** The program that opens URLs, without a shell, which would interpret them. */
function launcherOf({ env, platform }: Pick<Environment, 'env' | 'platform'>): [string, ...string[]] | undefined {
  if (env.SSH_CONNECTION) return undefined;
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME ? ['xdg-open'] : undefined;
}
