import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { createKeyStore } from '../../../src/cli/key-store.ts';
import { type Environment, openSettings } from '../../../src/cli/settings.ts';
import { commandsOf, installPackages } from '../npm-packages.ts';

const PACKAGES = [
  '@anthropic-ai/claude-code',
  '@openai/codex',
  '@google/gemini-cli',
  'opencode-ai',
  '@github/copilot',
  '@qwen-code/qwen-code',
];

/** Installs the assistants from npm. */
export const installAssistants = (): Promise<void> => installPackages('assistants', PACKAGES);

/** The path of the command of an assistant. */
export const assistantCommand = (command: string): string => join(commandsOf('assistants'), command);

/** A new home with a folder `project`, in which assistants work. `remove` deletes it. */
export async function createHome(): Promise<Environment & { remove: () => Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'svc-assistant-home-'));
  const cwd = join(home, 'project');
  await mkdir(cwd);
  const env = { PATH: process.env.PATH, SVC_CONFIG_DIR: join(home, 'svc') };
  const remove = () => rm(home, { recursive: true, force: true, maxRetries: 5 });
  return { home, cwd, platform: process.platform, env, remove };
}

/** Stores the settings and key as `svc login` does without a keychain. */
export async function storeKey(environment: Environment, url: string, apiKey: string): Promise<void> {
  const settings = openSettings(environment);
  await settings.save('default', { url, email: 'a@example.com', tenantId: 'ten_1', keyStore: 'file' });
  const keychain = { getPassword: none, setPassword: none, deletePassword: none, probe: none };
  await createKeyStore('file', { settings, keychain }).set('default', url, apiKey);
}

const none = () => Promise.reject(new Error('no keychain'));

/** Runs an assistant with `HOME` and `PATH` of its home and nothing of the real environment; returns what it prints. */
export async function runAssistant(
  { home, cwd, env: { PATH = '' } }: Environment,
  [command = '', ...args]: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  const { all } = await execa(assistantCommand(command), args, {
    extendEnv: false,
    env: { PATH, HOME: home, NO_COLOR: '1', ...env },
    cwd,
    stdin: 'ignore',
    all: true,
    reject: false,
    timeout: 120_000,
  });
  return stripVTControlCharacters(all);
}
