import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Program as BridgeProgram, findCommand, forwardedVariables } from '../assistants/bridge-command.ts';
import { createHttpTransport, endpointIn } from '../bridge/http-transport.ts';
import { parseMessage } from '../bridge/message.ts';
import { TOOL_SETS } from '../bridge/tool-sets.ts';
import type { CommandContext, Session } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import { OWN_RUN_VARIABLE } from '../hook/own-run.ts';
import { printJson } from '../memory/command-options.ts';
import { pluralize } from '../memory/import-report.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import { oneLine, truncate } from '../memory/terminal-text.ts';
import { formatCount } from '../number-format.ts';
import {
  type AssistantProgram,
  objectIn,
  type ProgramNews,
  TASKS,
  type TaskName,
  textIn,
} from './assistant-program.ts';
import { ASSISTANT_PROGRAMS } from './assistant-programs.ts';
import type { AssistantProgramName } from './program-names.ts';
import { type ProgramEnd, runProgram } from './run-program.ts';

/** What the daemon offers to those that do a task. */
export interface TaskDaemon {
  /** The prompt that leads a model through the work. */
  prompt(scope: object): Promise<string>;
  /** Calls the tool that reads a portion; `undefined` if the daemon refuses. */
  read(page: object): Promise<Record<string, unknown> | undefined>;
}

/** Opens the MCP endpoint that offers the tools of a task. Calls throw `CommandFailure` if it offers none. */
function openTaskDaemon(task: TaskName, { url, apiKey, space }: Session, signal: AbortSignal): TaskDaemon {
  const transport = createHttpTransport(endpointIn({ space: space?.key }, `${TOOL_SETS[task].path}&structured=true`));

  async function ask(method: string, params: object): Promise<Record<string, unknown>> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await transport({ url, apiKey, headers: {}, body, isToolCall: false, signal });
    for await (const text of answer.messages()) {
      const message = parseMessage(text);
      if (message?.result) return message.result;
      const why = message?.error?.message ?? textIn(message, 'detail');
      throw new CommandFailure(EXIT.failed, `The daemon does not offer to ${TASKS[task].title}: ${why}`);
    }
    throw new CommandFailure(EXIT.failed, `The daemon did not answer (HTTP ${answer.status}).`);
  }

  return {
    async prompt(scope) {
      const { messages } = await ask('prompts/get', { name: task, arguments: scope });
      return textIn(objectIn(Array.isArray(messages) ? messages[0] : undefined, 'content'), 'text');
    },
    async read(page) {
      const called = { name: TASKS[task].tools[0], arguments: page };
      const { isError, structuredContent } = await ask('tools/call', called);
      return isError === true ? undefined : (structuredContent as Record<string, unknown>);
    },
  };
}

const DEFAULT_MAX_TURNS = 60;
const DEFAULT_MAX_MINUTES = 30;

/** Which assistant is run, with which model, and until when. */
export interface AssistantOptions {
  with: AssistantProgramName;
  model?: string;
  maxTurns?: number;
  maxMinutes?: number;
  json?: true;
  profile?: string;
  space?: string;
}

export interface AssistantParts {
  context: CommandContext;
  /** This program, which the assistant starts as its bridge. */
  program: BridgeProgram;
}

/** What an assistant is run for. */
export interface AssistantWork {
  task: TaskName;
  session: Session;
  /** Arguments of the daemon's prompt. */
  scope: object;
  /** Whether there is anything to do. */
  hasWork(daemon: TaskDaemon): Promise<boolean>;
  /** What it gives the daemon, in words: a change, changes, proposed. */
  given: [one: string, many: string, verb: string];
}

/** What a run did. */
export interface AssistantReport {
  /** In a line for a person. */
  text: string;
  fields: object;
  stopped: Stop | undefined;
  failure: CommandFailure | undefined;
}

/** Why a run was ended before the assistant was done. */
type Stop = 'turns' | 'time' | 'interrupted';

/** What a run has done so far. */
interface Tally {
  turns: number;
  portions: number;
  given: number;
  tokens: number;
  costUsd: number;
  error?: NonNullable<ProgramNews['error']>;
}

/** The tool that is called once for each portion. */
const PORTION_TOOLS: Record<TaskName, string> = { tidy: 'suggestions_list', extract: 'memories_store' };
const MAX_MESSAGE_COLUMNS = 300;
/** Variables that the bridge needs, and that some assistants do not pass on: the key, and where the keychain is. */
const BRIDGE_VARIABLES = ['SVC_API_KEY', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR'];
const NOT_SIGNED_IN =
  /not (?:logged|signed) in|\/login|log in|sign in|auth(?:entication)? (?:type|method)|api[ _-]?key|unauthorized|\b401\b|credential/i;

/** Runs an assistant with the tools of a task, until it is done or a bound is reached; not at all if there is nothing to do. */
export async function runAssistant(
  options: AssistantOptions,
  { task, session, scope, hasWork, given }: AssistantWork,
  { context, program }: AssistantParts,
): Promise<AssistantReport | undefined> {
  const { terminal, environment, clock } = context;
  const assistant = ASSISTANT_PROGRAMS[options.with];
  const path = await findAssistant(assistant, context);
  const daemon = openTaskDaemon(task, session, terminal.closed);
  if (!(await hasWork(daemon))) return undefined;
  const prompt = `${await daemon.prompt(scope)}\n\n${aloneWith(task)}`;
  const tally: Tally = { turns: 0, portions: 0, given: 0, tokens: 0, costUsd: 0 };
  const progress = createProgressLine(context, options);
  const show = () => progress.show(`${assistant.title}: ${progressOf(tally, given)}`);
  const bounds = startBounds(options, context);
  const startedMs = clock.monotonicMs();
  const folder = await mkdtemp(join(tmpdir(), `svc-${task}-`));
  let end: ProgramEnd;
  try {
    show();
    const {
      args,
      env,
      files = {},
    } = await assistant.start({
      ...{ task, prompt, model: options.model, environment },
      bridge: bridgeEntry(task, program, session, options, context),
      inherited: BRIDGE_VARIABLES.filter((name) => environment.env[name]),
    });
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text, { mode: 0o600 });
    }
    end = await runProgram({
      ...{ path, args, cwd: folder, signal: bounds.signal },
      env: { ...environment.env, PWD: folder, ...env, [OWN_RUN_VARIABLE]: '1' },
      onEvent(event) {
        count(task, assistant.read(event), tally);
        if (tally.turns > (options.maxTurns ?? DEFAULT_MAX_TURNS)) bounds.stop('turns');
        show();
      },
    });
  } finally {
    bounds.end();
    progress.clear();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  terminal.closed.throwIfAborted();
  const { portions, tokens, costUsd } = tally;
  const stopped = bounds.stopped();
  return {
    text: `${assistant.title}: ${doneOf(tally, given)}${spentOf(tally)}.`,
    fields: {
      ...{ portions, [given[2]]: tally.given, tokens: tokens || null, costUsd: costUsd || null },
      seconds: Math.round((clock.monotonicMs() - startedMs) / 1000),
    },
    stopped,
    failure: failureOf({ assistant, end, tally, stopped }),
  };
}

/** Prints what a run did and brought, and fails as it did. `brought` are the new ids, by their name in JSON. */
export async function reportRun(
  { text, fields, stopped, failure }: AssistantReport,
  options: AssistantOptions,
  {
    context,
    brought,
    describe,
  }: {
    context: CommandContext;
    brought: Record<string, readonly string[]>;
    describe(): string;
  },
): Promise<void> {
  const isNew = Object.values(brought).some((ids) => ids.length > 0);
  if (options.json) {
    printJson(context, { assistant: options.with, ...fields, ...brought, stopped: stopped ?? null });
  } else if (!failure || isNew) {
    context.terminal.out(`${text}\n${describe()}\n`);
  }
  if (failure) throw failure;
  if (stopped === 'interrupted') throw new CommandFailure(EXIT_INTERRUPTED);
  if (stopped) context.terminal.error(`${stopText(stopped, options)}\n`);
}

function aloneWith(task: TaskName): string {
  const tools = new Intl.ListFormat('en').format(TASKS[task].tools);
  return `Nobody reads along: ask no questions, and stop after the last portion. Use no other tools than ${tools}.`;
}

async function findAssistant({ command, title, install }: AssistantProgram, { environment }: CommandContext) {
  const path = await findCommand(environment, command);
  if (path === undefined) {
    throw new CommandFailure(
      EXIT.failed,
      `${title} is not installed: there is no ${command} on the PATH. Install it with: ${install}`,
    );
  }
  if (/\.(?:cmd|bat)$/i.test(path)) {
    const message = `svc cannot run ${path} without a screen. On Windows, install ${title} as ${command}.exe, or run svc in WSL.`;
    throw new CommandFailure(EXIT.failed, message);
  }
  return path;
}

/** The bridge reads the key itself, so that neither a command line nor a file has it. */
function bridgeEntry(
  task: TaskName,
  program: BridgeProgram,
  session: Session,
  { profile }: AssistantOptions,
  context: CommandContext,
) {
  const { env } = context.environment;
  const name = env.SVC_API_KEY ? undefined : (profile ?? session.profileName);
  const profileWords = name === undefined ? [] : ['--profile', name];
  const spaceWords = session.space ? ['--space', session.space.key] : [];
  return {
    transport: 'stdio' as const,
    command: program.node,
    args: [program.script, 'mcp', '--tools', task, ...profileWords, ...spaceWords],
    env: { ...forwardedVariables(context.environment), ...(env.SVC_URL && { SVC_URL: env.SVC_URL }) },
  };
}

/** Ends the run at the time limit, when the person stops it, or when nobody reads the output. */
function startBounds({ maxMinutes = DEFAULT_MAX_MINUTES }: AssistantOptions, { terminal, stopSignal }: CommandContext) {
  const controller = new AbortController();
  let reason: Stop | undefined;
  function stop(why: Stop): void {
    if (controller.signal.aborted) return;
    reason = why;
    controller.abort();
  }
  const timer = setTimeout(() => stop('time'), maxMinutes * 60_000);
  const hangUp = () => stop('interrupted');
  process.once('SIGHUP', hangUp);
  void stopSignal().then(hangUp);
  return {
    signal: AbortSignal.any([controller.signal, terminal.closed]),
    stop,
    stopped: () => reason,
    end() {
      clearTimeout(timer);
      process.off('SIGHUP', hangUp);
    },
  };
}

function count(
  task: TaskName,
  { calls = [], tokens, moreTokens = 0, costUsd, moreCostUsd = 0, error }: ProgramNews,
  tally: Tally,
) {
  for (const { tool, given } of calls) {
    tally.turns += 1;
    if (tool === PORTION_TOOLS[task]) tally.portions += 1;
    tally.given += given;
    // What it tried again has worked.
    delete tally.error;
  }
  tally.tokens = (tokens ?? tally.tokens) + moreTokens;
  tally.costUsd = (costUsd ?? tally.costUsd) + moreCostUsd;
  if (error) tally.error = error;
}

function failureOf(run: { assistant: AssistantProgram; end: ProgramEnd; tally: Tally; stopped: Stop | undefined }) {
  const { assistant, end, tally, stopped } = run;
  const isTimeout = stopped === 'time' && tally.turns === 0;
  if (stopped && !isTimeout) return undefined;
  const isFailed = end.code !== 0 || tally.error?.isFatal || tally.portions === 0;
  if (!isFailed) return undefined;
  const why = truncate(oneLine(tally.error?.message || end.lastLine), MAX_MESSAGE_COLUMNS);
  if (tally.turns === 0 && NOT_SIGNED_IN.test(why)) {
    const message = `${assistant.title} is not signed in. Run ${assistant.command} once and sign in, then try again.\nIt said: ${why}`;
    return new CommandFailure(EXIT.failed, message);
  }
  const called = tally.turns === 0 ? 'called no tool' : 'finished no portion';
  const silent = isTimeout ? 'it did not answer in time' : `it ended with exit code ${end.code} and ${called}`;
  return new CommandFailure(EXIT.failed, `${assistant.title} failed: ${why || silent}`);
}

function progressOf(tally: Tally, given: AssistantWork['given']): string {
  return tally.portions === 0 ? 'starting' : doneOf(tally, given);
}

function doneOf({ portions, given }: Tally, [one, many, verb]: AssistantWork['given']): string {
  return `${pluralize(portions, 'portion')} read, ${pluralize(given, one, many)} ${verb}`;
}

function spentOf({ tokens, costUsd }: Tally): string {
  const parts = [
    ...(tokens > 0 ? [`${formatCount(tokens)} tokens`] : []),
    ...(costUsd > 0 ? [`$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`] : []),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function stopText(stopped: Stop, { maxTurns = DEFAULT_MAX_TURNS, maxMinutes = DEFAULT_MAX_MINUTES }: AssistantOptions) {
  return stopped === 'turns'
    ? `Stopped after ${maxTurns} turns, before the last portion. --max-turns ${2 * maxTurns} goes further.`
    : `Stopped after ${maxMinutes} minutes, before the last portion. --max-minutes ${2 * maxMinutes} goes further.`;
}
