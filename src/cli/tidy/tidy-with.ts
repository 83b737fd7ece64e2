import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Client } from '../../client/client.ts';
import type { TidyWork } from '../../contract/tidy.ts';
import { type Program as BridgeProgram, findCommand, forwardedVariables } from '../assistants/bridge-command.ts';
import { createHttpTransport, endpointIn } from '../bridge/http-transport.ts';
import { parseMessage } from '../bridge/message.ts';
import { TOOL_SETS } from '../bridge/tool-sets.ts';
import type { CommandContext, Session } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import { OWN_RUN_VARIABLE } from '../hook/own-run.ts';
import { printJson } from '../memory/command-options.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import { oneLine, truncate } from '../memory/terminal-text.ts';
import { formatCount } from '../number-format.ts';
import type { TidyProgramName } from './program-names.ts';
import { type ProgramEnd, runProgram } from './run-program.ts';
import { objectIn, type ProgramNews, type TidyProgram, textIn } from './tidy-program.ts';
import { TIDY_PROGRAMS } from './tidy-programs.ts';

/** Whose memories to tidy. */
interface TidyScope {
  user?: string;
  project?: string;
}

/** What the daemon offers to those that tidy. */
interface TidyDaemon {
  /** The prompt that leads a model through the work. */
  prompt(scope: TidyScope): Promise<string>;
  /** Whether any memories may be about the same. */
  hasWork(scope: TidyScope): Promise<boolean>;
}

const LARGEST_PORTION = 50;

/** Opens the MCP endpoint that offers the tools to tidy memories. Calls throw `CommandFailure` if it offers none. */
function openTidyDaemon({ url, apiKey, space }: Session, signal: AbortSignal): TidyDaemon {
  const transport = createHttpTransport(endpointIn({ space: space?.key }, `${TOOL_SETS.tidy.path}&structured=true`));

  async function ask(method: string, params: object): Promise<Record<string, unknown>> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await transport({ url, apiKey, headers: {}, body, isToolCall: false, signal });
    for await (const text of answer.messages()) {
      const message = parseMessage(text);
      if (message?.result) return message.result;
      const why = message?.error?.message ?? textIn(message, 'detail');
      throw new CommandFailure(EXIT.failed, `The daemon does not offer to tidy memories: ${why}`);
    }
    throw new CommandFailure(EXIT.failed, `The daemon did not answer (HTTP ${answer.status}).`);
  }

  return {
    async prompt(scope) {
      const { messages } = await ask('prompts/get', { name: 'tidy', arguments: scope });
      return textIn(objectIn(Array.isArray(messages) ? messages[0] : undefined, 'content'), 'text');
    },
    async hasWork(scope) {
      let cursor: string | undefined;
      do {
        const page = { ...scope, limit: LARGEST_PORTION, ...(cursor !== undefined && { cursor }) };
        const { isError, structuredContent } = await ask('tools/call', { name: 'suggestions_list', arguments: page });
        if (isError === true) return true;
        const { data, nextCursor } = structuredContent as unknown as TidyWork;
        if (data.length > 0) return true;
        cursor = nextCursor ?? undefined;
      } while (cursor !== undefined);
      return false;
    },
  };
}

const DEFAULT_MAX_TURNS = 60;
const DEFAULT_MAX_MINUTES = 30;

export interface TidyWithOptions extends TidyScope {
  with: TidyProgramName;
  model?: string;
  maxTurns?: number;
  maxMinutes?: number;
  json?: true;
  profile?: string;
  space?: string;
}

export interface TidyWithParts {
  client: Pick<Client, 'suggestions'>;
  context: CommandContext;
  /** This program, which the assistant starts as its bridge. */
  program: BridgeProgram;
}

/** Why a run was ended before the assistant was done. */
type Stop = 'turns' | 'time' | 'interrupted';

/** What a run has done so far. */
interface Tally {
  turns: number;
  portions: number;
  proposed: number;
  tokens: number;
  costUsd: number;
  error?: NonNullable<ProgramNews['error']>;
}

const MAX_MESSAGE_COLUMNS = 300;
/** Variables that the bridge needs, and that some assistants do not pass on: the key, and where the keychain is. */
const BRIDGE_VARIABLES = ['SVC_API_KEY', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR'];
const NOT_SIGNED_IN =
  /not (?:logged|signed) in|\/login|log in|sign in|auth(?:entication)? (?:type|method)|api[ _-]?key|unauthorized|\b401\b|credential/i;

const ALONE = `Nobody reads along: ask no questions, and stop after the last portion. Use no other tools than suggestions_list and suggestions_propose.`;

/** Runs an assistant with the two tools to tidy memories, until it is done or a bound is reached. */
export async function tidyWith(options: TidyWithOptions, { client, context, program }: TidyWithParts): Promise<void> {
  const { terminal, environment, clock } = context;
  const assistant = TIDY_PROGRAMS[options.with];
  const path = await findAssistant(assistant, context);
  const scope = scopeOf(options);
  const session = await context.session(options.profile, options.space);
  const before = await openIds(client, scope);
  const daemon = openTidyDaemon(session, terminal.closed);
  if (!(await daemon.hasWork(scope))) {
    if (options.json) return printJson(context, { assistant: options.with, newSuggestions: [], stopped: null });
    return terminal.out('Nothing to tidy: no memories are about the same.\n');
  }
  const prompt = `${await daemon.prompt(scope)}\n\n${ALONE}`;

  const tally: Tally = { turns: 0, portions: 0, proposed: 0, tokens: 0, costUsd: 0 };
  const progress = createProgressLine(context, options);
  const show = () => progress.show(`${assistant.title}: ${progressOf(tally)}`);
  const bounds = startBounds(options, context);
  const startedMs = clock.monotonicMs();
  const folder = await mkdtemp(join(tmpdir(), 'svc-tidy-'));
  let end: ProgramEnd;
  try {
    show();
    const {
      args,
      env,
      files = {},
    } = await assistant.start({
      ...{ prompt, model: options.model, environment },
      bridge: bridgeEntry(program, session, options, context),
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
        count(assistant.read(event), tally);
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
  const newSuggestions = (await openIds(client, scope)).filter((id) => !before.includes(id));
  const stopped = bounds.stopped();
  const failure = failureOf({ assistant, end, tally, stopped });
  if (options.json) {
    const { portions, proposed, tokens, costUsd } = tally;
    const seconds = Math.round((clock.monotonicMs() - startedMs) / 1000);
    const told = { tokens: tokens || null, costUsd: costUsd || null };
    printJson(context, {
      assistant: options.with,
      portions,
      proposed,
      newSuggestions,
      ...told,
      seconds,
      stopped: stopped ?? null,
    });
  } else if (!failure || newSuggestions.length > 0) {
    terminal.out(`${assistant.title}: ${progressOf(tally)}${spentOf(tally)}.\n${newText(newSuggestions.length)}\n`);
  }
  if (failure) throw failure;
  if (stopped === 'interrupted') throw new CommandFailure(EXIT_INTERRUPTED);
  if (stopped) terminal.error(`${stopText(stopped, options)}\n`);
}

async function findAssistant({ command, title, install }: TidyProgram, { environment }: CommandContext) {
  const path = await findCommand(environment, command);
  if (path === undefined) {
    throw new CommandFailure(
      EXIT.failed,
      `${title} is not installed: there is no ${command} on the PATH. Install it with: ${install}`,
    );
  }
  if (/\.(?:cmd|bat)$/i.test(path)) {
    const message = `svc cannot run ${path} without a screen. On Windows, install ${title} as ${command}.exe, or tidy in WSL.`;
    throw new CommandFailure(EXIT.failed, message);
  }
  return path;
}

/** The bridge reads the key itself, so that neither a command line nor a file has it. */
function bridgeEntry(program: BridgeProgram, session: Session, { profile }: TidyWithOptions, context: CommandContext) {
  const { env } = context.environment;
  const name = env.SVC_API_KEY ? undefined : (profile ?? session.profileName);
  const profileWords = name === undefined ? [] : ['--profile', name];
  const spaceWords = session.space ? ['--space', session.space.key] : [];
  return {
    transport: 'stdio' as const,
    command: program.node,
    args: [program.script, 'mcp', '--tools', 'tidy', ...profileWords, ...spaceWords],
    env: { ...forwardedVariables(context.environment), ...(env.SVC_URL && { SVC_URL: env.SVC_URL }) },
  };
}

/** Ends the run at the time limit, when the person stops it, or when nobody reads the output. */
function startBounds({ maxMinutes = DEFAULT_MAX_MINUTES }: TidyWithOptions, { terminal, stopSignal }: CommandContext) {
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

function count({ calls = [], tokens, moreTokens = 0, costUsd, moreCostUsd = 0, error }: ProgramNews, tally: Tally) {
  for (const { tool, proposed } of calls) {
    tally.turns += 1;
    if (tool === 'suggestions_list') tally.portions += 1;
    tally.proposed += proposed;
    // What it tried again has worked.
    delete tally.error;
  }
  tally.tokens = (tokens ?? tally.tokens) + moreTokens;
  tally.costUsd = (costUsd ?? tally.costUsd) + moreCostUsd;
  if (error) tally.error = error;
}

function failureOf(run: { assistant: TidyProgram; end: ProgramEnd; tally: Tally; stopped: Stop | undefined }) {
  const { assistant, end, tally, stopped } = run;
  const isTimeout = stopped === 'time' && tally.turns === 0;
  if (stopped && !isTimeout) return undefined;
  const isFailed = end.code !== 0 || tally.error?.isFatal || tally.turns === 0;
  if (!isFailed) return undefined;
  const why = truncate(oneLine(tally.error?.message || end.lastLine), MAX_MESSAGE_COLUMNS);
  if (tally.turns === 0 && NOT_SIGNED_IN.test(why)) {
    const message = `${assistant.title} is not signed in. Run ${assistant.command} once and sign in, then try again.\nIt said: ${why}`;
    return new CommandFailure(EXIT.failed, message);
  }
  const silent = isTimeout ? 'it did not answer in time' : `it ended with exit code ${end.code} and called no tool`;
  return new CommandFailure(EXIT.failed, `${assistant.title} failed: ${why || silent}`);
}

async function openIds(client: Pick<Client, 'suggestions'>, { user, project }: TidyScope): Promise<string[]> {
  const ids: string[] = [];
  const filter = { ...(user !== undefined && { user }), ...(project !== undefined && { project }) };
  for await (const { id } of client.suggestions.list({ state: 'open', by: 'assistant', limit: 200, ...filter })) {
    ids.push(id);
  }
  return ids;
}

function scopeOf({ user, project }: TidyWithOptions): TidyScope {
  return { ...(user !== undefined && { user }), ...(project !== undefined && { project }) };
}

function progressOf({ portions, proposed }: Tally): string {
  if (portions === 0) return 'starting';
  return `${plural(portions, 'portion')} read, ${plural(proposed, 'change')} proposed`;
}

function spentOf({ tokens, costUsd }: Tally): string {
  const parts = [
    ...(tokens > 0 ? [`${formatCount(tokens)} tokens`] : []),
    ...(costUsd > 0 ? [`$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`] : []),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function newText(total: number): string {
  if (total === 0) return 'No suggestion is new.';
  return `${plural(total, 'suggestion')} ${total === 1 ? 'is' : 'are'} new: decide with svc review.`;
}

function stopText(stopped: Stop, { maxTurns = DEFAULT_MAX_TURNS, maxMinutes = DEFAULT_MAX_MINUTES }: TidyWithOptions) {
  return stopped === 'turns'
    ? `Stopped after ${maxTurns} turns, before the last portion. --max-turns ${2 * maxTurns} goes further.`
    : `Stopped after ${maxMinutes} minutes, before the last portion. --max-minutes ${2 * maxMinutes} goes further.`;
}

const plural = (total: number, noun: string) => `${formatCount(total)} ${noun}${total === 1 ? '' : 's'}`;
