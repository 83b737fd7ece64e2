import { readFile } from 'node:fs/promises';
import { parse } from 'smol-toml';
import { inEnvFolder } from '../assistants/config-paths.ts';
import type { Environment } from '../settings.ts';
import {
  type AssistantProgram,
  type AssistantRun,
  numberIn,
  type OutputEvent,
  objectIn,
  type ProgramNews,
  TASKS,
  textIn,
} from './assistant-program.ts';
import type { AssistantProgramName } from './program-names.ts';

/** The tools of all tasks. */
const TOOLS = Object.values(TASKS).flatMap(({ tools }) => tools);

/** Features of Codex that bring tools, hooks or servers. An older or newer version ignores those that it does not know. */
const CODEX_FEATURES = [
  ...['apps', 'browser_use', 'computer_use', 'goals', 'hooks', 'image_generation', 'multi_agent', 'plugins'],
  ...['shell_tool', 'skill_search', 'tool_suggest', 'unified_exec', 'view_image'],
];
/** Tools of Qwen Code that its list of core tools does not govern. Without the search, all tools are offered at once. */
const QWEN_TOOLS = [
  'agent',
  'ask_user_question',
  'exit_plan_mode',
  'send_message',
  'skill',
  'task_stop',
  'tool_search',
];
/** No file has this name, so that no instructions of other work are read. */
const NO_CONTEXT = { fileName: 'svc-has-none.md' };

/**
 * How long to wait for the bridge, which starts late on a busy machine. By themselves, Claude Code and opencode go on without
 * its tools after five seconds, some versions of Claude Code at once, and Codex after ten.
 */
const BRIDGE_START_MS = 60_000;

/** The assistants that svc can run with their own model. */
export const ASSISTANT_PROGRAMS: Record<AssistantProgramName, AssistantProgram> = {
  claude: {
    command: 'claude',
    title: 'Claude Code',
    install: 'npm install -g @anthropic-ai/claude-code',
    start: (run) => ({
      args: [
        ...['-p', run.prompt, ...modelOf(run), '--mcp-config', 'mcp.json', '--strict-mcp-config', '--tools', ''],
        ...['--allowedTools', TASKS[run.task].tools.map((tool) => `mcp__svc__${tool}`).join(',')],
        ...['--settings', JSON.stringify({ disableAllHooks: true }), '--disable-slash-commands'],
        ...['--no-session-persistence', '--output-format', 'stream-json', '--verbose'],
      ],
      env: { MCP_CONNECTION_NONBLOCKING: 'false', MCP_CONNECT_TIMEOUT_MS: `${BRIDGE_START_MS}` },
      files: { 'mcp.json': mcpServers(run) },
    }),
    read: readMessages,
  },
  codex: {
    command: 'codex',
    title: 'Codex',
    install: 'npm install -g @openai/codex',
    start: async (run) => ({
      args: [
        ...['exec', '--json', '--skip-git-repo-check', '--ephemeral', '--ignore-rules', '--sandbox', 'read-only'],
        ...modelOf(run),
        ...CODEX_FEATURES.flatMap((feature) => ['-c', `features.${feature}=false`]),
        ...['-c', 'web_search="disabled"', '-c', 'project_doc_max_bytes=0'],
        ...['-c', `mcp_servers=${await codexServers(run)}`, run.prompt],
      ],
    }),
    read: readCodex,
  },
  gemini: {
    command: 'gemini',
    title: 'Gemini CLI',
    install: 'npm install -g @google/gemini-cli',
    start: (run) => ({
      args: [
        ...['--allowed-mcp-server-names', 'svc', '--extensions', 'none', '--policy', 'policy.toml'],
        ...[...modelOf(run), '--output-format', 'stream-json', '-p', run.prompt],
      ],
      // Only in a trusted folder are its settings read.
      env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
      files: {
        '.gemini/settings.json': JSON.stringify({
          mcpServers: { svc: geminiServer(run) },
          hooksConfig: { enabled: false },
          context: NO_CONTEXT,
        }),
        'policy.toml': [
          '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 900',
          `[[rule]]\nmcpName = "svc"\ntoolName = ${JSON.stringify(TASKS[run.task].tools)}\ndecision = "allow"\npriority = 999\n`,
        ].join('\n\n'),
      },
    }),
    read: readGemini,
  },
  opencode: {
    command: 'opencode',
    title: 'opencode',
    install: 'npm install -g opencode-ai',
    start: (run) => ({
      args: [
        ...['run', '--format', 'json', '--pure', '--agent', 'svc', '--title', `svc ${run.task}`, ...modelOf(run)],
        ...['--', run.prompt],
      ],
      env: {
        OPENCODE_DISABLE_PROJECT_CONFIG: '1',
        OPENCODE_DISABLE_CLAUDE_CODE: '1',
        OPENCODE_CONFIG_CONTENT: opencodeConfig(run),
      },
    }),
    read: readOpencode,
  },
  qwen: {
    command: 'qwen',
    title: 'Qwen Code',
    install: 'npm install -g @qwen-code/qwen-code',
    start: (run) => ({
      args: [
        ...['--mcp-config', 'mcp.json', '--allowed-mcp-server-names', 'svc', '--core-tools', 'none'],
        ...TASKS[run.task].tools.flatMap((tool) => ['--allowed-tools', `mcp__svc__${tool}`]),
        ...QWEN_TOOLS.flatMap((tool) => ['--exclude-tools', tool]),
        ...modelOf(run),
        ...['--extensions', 'none', '--chat-recording=false', '--output-format', 'stream-json', '-p', run.prompt],
      ],
      files: {
        'mcp.json': mcpServers(run),
        '.qwen/settings.json': JSON.stringify({ disableAllHooks: true, context: NO_CONTEXT }),
      },
    }),
    read: readMessages,
  },
};

function modelOf({ model }: AssistantRun): string[] {
  return model === undefined ? [] : ['--model', model];
}

/** Claude Code and Qwen Code pass all of their environment on. */
function mcpServers({ bridge: { command, args, env } }: AssistantRun): string {
  return JSON.stringify({ mcpServers: { svc: { type: 'stdio', command, args, env } } });
}

/** Gemini CLI keeps variables that look like keys from servers which do not name them. */
function geminiServer({ task, bridge: { command, args, env }, inherited }: AssistantRun) {
  const references = Object.fromEntries(inherited.map((name) => [name, `$${name}`]));
  return { command, args, env: { ...env, ...references }, includeTools: TASKS[task].tools };
}

/** The bridge as an inline table of TOML, and every other server switched off: Codex merges them with its settings. */
async function codexServers({ task, bridge, inherited, environment }: AssistantRun): Promise<string> {
  const others = (await codexServerNames(environment)).filter((name) => name !== 'svc');
  const env = Object.entries(bridge.env).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const svc = [
    `command=${JSON.stringify(bridge.command)}`,
    `args=${JSON.stringify(bridge.args)}`,
    `env={${env.join(',')}}`,
    `env_vars=${JSON.stringify(inherited)}`,
    `enabled_tools=${JSON.stringify(TASKS[task].tools)}`,
    `enabled=true,default_tools_approval_mode="approve",startup_timeout_sec=${BRIDGE_START_MS / 1000}`,
  ];
  return `{${[...others.map((name) => `${JSON.stringify(name)}={enabled=false}`), `svc={${svc.join(',')}}`].join(',')}}`;
}

async function codexServerNames(environment: Environment): Promise<string[]> {
  const path = inEnvFolder(environment, 'CODEX_HOME', '.codex', 'config.toml');
  try {
    return Object.keys(objectIn(parse(await readFile(path, 'utf8')), 'mcp_servers'));
  } catch {
    // Without settings there are no servers, and Codex itself reports a damaged file.
    return [];
  }
}

/** A separate agent: the rules of an agent come after those of the person, and the last one that fits decides. */
function opencodeConfig({ task, bridge: { command, args, env } }: AssistantRun): string {
  const { title, tools } = TASKS[task];
  const allowed = Object.fromEntries(tools.map((tool) => [`svc_${tool}`, 'allow']));
  return JSON.stringify({
    share: 'disabled',
    mcp: {
      svc: { type: 'local', command: [command, ...args], environment: env, enabled: true, timeout: BRIDGE_START_MS },
    },
    agent: {
      svc: { mode: 'primary', prompt: `You ${title}.`, permission: { '*': 'deny', ...allowed } },
    },
  });
}

function callOf(tool: string, input: OutputEvent): ProgramNews {
  const name = TOOLS.find((one) => tool.endsWith(one));
  if (name === undefined) return {};
  const { suggestions, memories = suggestions } = input;
  return { calls: [{ tool: name, given: Array.isArray(memories) ? memories.length : 0 }] };
}

/** Claude Code and Qwen Code write the messages of the conversation. */
function readMessages(event: OutputEvent): ProgramNews {
  if (event.type === 'assistant') {
    const { content } = objectIn(event, 'message');
    const parts = Array.isArray(content) ? content : [];
    const calls = parts.flatMap((part) => callOf(textIn(part, 'name'), objectIn(part, 'input')).calls ?? []);
    // Qwen Code ends with success after this.
    const failed = parts.map((part) => textIn(part, 'text')).find((text) => text.startsWith('[API Error'));
    return { calls, ...(failed !== undefined && { error: { message: failed, isFatal: true } }) };
  }
  if (event.type !== 'result') return {};
  const usage = objectIn(event, 'usage');
  const fields = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'];
  // Qwen Code counts what was cached as input, and says so by a total.
  const tokens = numberIn(usage, 'total_tokens') || fields.reduce((sum, field) => sum + numberIn(usage, field), 0);
  const message = textIn(objectIn(event, 'error'), 'message') || textIn(event, 'result') || textIn(event, 'subtype');
  return {
    tokens,
    costUsd: numberIn(event, 'total_cost_usd'),
    ...(event.is_error === true && { error: { message, isFatal: true } }),
  };
}

function readCodex(event: OutputEvent): ProgramNews {
  const item = objectIn(event, 'item');
  if (event.type === 'item.started' && item.type === 'mcp_tool_call') {
    return callOf(textIn(item, 'tool'), objectIn(item, 'arguments'));
  }
  const usage = objectIn(event, 'usage');
  if (event.type === 'turn.completed') {
    return { moreTokens: numberIn(usage, 'input_tokens') + numberIn(usage, 'output_tokens') };
  }
  if (event.type === 'turn.failed') {
    return { error: { message: textIn(objectIn(event, 'error'), 'message'), isFatal: true } };
  }
  return event.type === 'error' ? { error: { message: textIn(event, 'message'), isFatal: false } } : {};
}

function readGemini(event: OutputEvent): ProgramNews {
  if (event.type === 'tool_use') return callOf(textIn(event, 'tool_name'), objectIn(event, 'parameters'));
  if (event.type === 'error') return { error: { message: textIn(event, 'message'), isFatal: false } };
  if (event.type !== 'result') return {};
  const message = textIn(objectIn(event, 'error'), 'message');
  return {
    tokens: numberIn(objectIn(event, 'stats'), 'total_tokens'),
    ...(event.status === 'error' && { error: { message, isFatal: true } }),
  };
}

function readOpencode(event: OutputEvent): ProgramNews {
  const part = objectIn(event, 'part');
  if (event.type === 'tool_use') return callOf(textIn(part, 'tool'), objectIn(objectIn(part, 'state'), 'input'));
  if (event.type === 'step_finish') {
    return { moreTokens: numberIn(objectIn(part, 'tokens'), 'total'), moreCostUsd: numberIn(part, 'cost') };
  }
  if (event.type !== 'error') return {};
  const error = objectIn(event, 'error');
  const message = textIn(objectIn(error, 'data'), 'message') || textIn(error, 'name');
  return { error: { message, isFatal: true } };
}
