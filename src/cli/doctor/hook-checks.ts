import { realpath } from 'node:fs/promises';
import { isObject } from '../../lib/is-object.ts';
import type { Assistant } from '../assistants/assistant.ts';
import { ASSISTANTS, findAssistant } from '../assistants/assistant-table.ts';
import { readConfigFile } from '../assistants/config-file.ts';
import { ConfigFileError, valueAt } from '../assistants/editing/document.ts';
import { jsoncEditor } from '../assistants/editing/edit-jsonc.ts';
import { tomlEditor } from '../assistants/editing/edit-toml.ts';
import { HOOKS } from '../assistants/hook-files.ts';
import { HOOK_TABLE } from '../assistants/hook-table.ts';
import { inspectFiles } from '../assistants/inspect-assistants.ts';
import { tildify } from '../assistants/outcome.ts';
import { type DeclaredHooks, readDeclaredHooks, type UnreadableHooks } from './declared-hooks.ts';
import type { Finding } from './finding.ts';
import { findStarted, isSameFile } from './started-program.ts';
import type { Subject } from './subject.ts';

type Verdict = Omit<Finding, 'check'>;
type HookSubject = Pick<Subject, 'environment' | 'script'>;

/** Checks the hooks of every assistant that has some: that they start this svc, and that the assistant runs them once. */
export async function checkHooks(subject: HookSubject): Promise<Finding[]> {
  const { environment } = subject;
  const findings = await Promise.all(
    ASSISTANTS.filter((assistant) => HOOKS.path(assistant, 'user', environment)).map(async (assistant) => {
      const verdicts = await checkAssistantHooks(assistant, subject);
      return verdicts.map((verdict): Finding => ({ check: `${assistant.title} hooks`, ...verdict }));
    }),
  );
  return findings.flat();
}

async function checkAssistantHooks(assistant: Assistant, subject: HookSubject): Promise<Verdict[]> {
  const { environment } = subject;
  const files = await readDeclaredHooks(assistant, environment);
  const plugin = assistant.id === 'claude-code' ? await enabledPlugin(subject) : undefined;
  const verdicts = await Promise.all(files.map((file) => checkFile(assistant, file, subject)));
  if (plugin !== undefined) return [...verdicts, await checkPlugin(plugin, files, subject)];
  if (verdicts.length > 0) return verdicts;
  const isSetUp = (await inspectFiles(assistant, environment)).some(({ entry }) => entry);
  return isSetUp ? [{ state: 'ok', message: `none; svc mcp-config ${assistant.id} --hooks adds them` }] : [];
}

async function checkFile(
  assistant: Assistant,
  file: DeclaredHooks | UnreadableHooks,
  subject: HookSubject,
): Promise<Verdict> {
  const { environment } = subject;
  const path = tildify(file.path, environment.home);
  const fix = `svc mcp-config ${assistant.id} --hooks${file.scope === 'project' ? ' --scope project' : ''}`;
  if ('error' in file)
    return { state: 'problem', message: `${path}: ${file.error}`, fix: `repair that file, then ${fix}` };
  for (const words of file.commands) {
    const verdict = await checkCommand(words, subject);
    if (verdict) return { ...verdict, message: `${path} starts ${verdict.message}`, fix };
  }
  if (file.isOutdated) return { state: 'warning', message: `${path} was written by another version of svc`, fix };
  if (file.disabledBy !== undefined) {
    const message = `${file.disabledBy} in ${path} switches all hooks off`;
    return { state: 'warning', message, fix: `remove ${file.disabledBy} from that file` };
  }
  const skipped = assistant.id === 'codex' ? await untrustedHooks(file, subject) : 0;
  if (skipped > 0) {
    const message = `Codex skips ${skipped} of ${file.positions.length} hooks in ${path}: you have not trusted them`;
    return { state: 'warning', message, fix: 'type /hooks in Codex and trust them' };
  }
  const all = Object.keys(HOOK_TABLE[assistant.id]?.events ?? {}).length;
  const some = file.positions.length < all ? `, for ${file.positions.length} of ${all} events` : '';
  return { state: 'ok', message: path + some };
}

async function checkCommand(words: readonly string[], subject: HookSubject): Promise<Verdict | undefined> {
  const started = await findStarted(words, subject.environment);
  if ('missing' in started) return { state: 'problem', message: `${started.missing}, which does not exist` };
  // On Windows, `svc` is a .cmd file that starts the script.
  if (/\.(cmd|bat)$/i.test(started.path) || (await isSameFile(started.path, subject.script))) return undefined;
  return { state: 'warning', message: `${started.path}; this is ${subject.script}` };
}

/** Returns the plugin of svc that is enabled in Claude Code's settings, such as `svc@svc`. */
async function enabledPlugin({ environment }: HookSubject): Promise<string | undefined> {
  const [path = ''] = HOOK_TABLE['claude-code']!.files.user(environment);
  const plugins = valueAt(await readData(path, jsoncEditor(false).read), ['enabledPlugins']);
  return Object.entries(isObject(plugins) ? plugins : {}).find(([name, on]) => /^svc@/.test(name) && on === true)?.[0];
}

async function checkPlugin(plugin: string, files: readonly { path: string }[], subject: HookSubject): Promise<Verdict> {
  const file = files.find((declared) => 'commands' in declared);
  if (file) {
    const message = `each runs twice: they are in ${tildify(file.path, subject.environment.home)} and in the plugin ${plugin}`;
    return {
      state: 'warning',
      message,
      fix: `svc mcp-config claude-code --remove, or claude plugin uninstall ${plugin}`,
    };
  }
  const verdict = await checkCommand(['svc'], subject);
  if (!verdict) return { state: 'ok', message: `in the plugin ${plugin}` };
  const fix = `put svc on the PATH, or claude plugin uninstall ${plugin} and svc mcp-config claude-code --hooks`;
  return { ...verdict, message: `the plugin ${plugin} starts ${verdict.message}`, fix };
}

/**
 * Counts the hooks that Codex skips. Its `config.toml` has the hash of each trusted one under file, event and position
 * (codex-rs/hooks, `hook_key`); a hash that no longer fits is not recognized.
 */
async function untrustedHooks({ path, positions }: DeclaredHooks, { environment }: HookSubject): Promise<number> {
  const [config = ''] = findAssistant('codex')!.files.user(environment);
  const states = valueAt(await readData(config, tomlEditor.read), ['hooks', 'state']);
  const paths = [path, await realpath(path)];
  const isTrusted = ([event, position]: [string, string]) => {
    const name = event.replaceAll(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
    const state = paths.map((source) => valueAt(states, [`${source}:${name}:${position}`])).find(isObject);
    return typeof state?.trusted_hash === 'string' && state.enabled !== false;
  };
  return positions.filter((position) => !isTrusted(position)).length;
}

/** Parses a file; `undefined` if it is missing or invalid, which other checks report. */
async function readData(path: string, parse: (text: string) => unknown): Promise<unknown> {
  try {
    return parse(((await readConfigFile(path)).text ?? '').replace(/^\ufeff/, ''));
  } catch (error) {
    if (error instanceof ConfigFileError) return undefined;
    throw error;
  }
}
