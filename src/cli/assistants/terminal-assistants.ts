import { isObject } from '../../lib/is-object.ts';
import { type AssistantSetup, ENTRY_NAME, MCP_SERVERS } from './assistant.ts';
import {
  config,
  type Environment,
  home,
  inEnvFolder,
  inHome,
  inProject,
  inXdgConfig,
  project,
} from './config-paths.ts';
import { valueAt } from './editing/document.ts';
import * as formats from './entry-formats.ts';

/** Shows the tools to the model from the first request instead of only their names. */
const ALWAYS_LOAD = { alwaysLoad: true };

/** opencode adds this field itself if it is missing. */
const OPENCODE_SCHEMA = { $schema: 'https://opencode.ai/config.json' };

/** Whether the file has the server list of opencode 2 and no entry that was written for opencode 1, which it reads too. */
function isOpencode2(data: unknown): boolean {
  const servers = valueAt(data, ['mcp', 'servers']);
  return isObject(servers) && typeof servers.type !== 'string' && valueAt(data, ['mcp', ENTRY_NAME]) === undefined;
}

function openclawFile(environment: Environment): string[] {
  const named = environment.env.OPENCLAW_CONFIG_PATH;
  return [named || inEnvFolder(environment, 'OPENCLAW_STATE_DIR', '.openclaw', 'openclaw.json')];
}

/** Assistants that run in a terminal. */
export const TERMINAL_ASSISTANTS: readonly AssistantSetup[] = [
  {
    id: 'claude-code',
    format: 'json',
    files: {
      user: (environment) => [inEnvFolder(environment, 'CLAUDE_CONFIG_DIR', '', '.claude.json')],
      project: project('.mcp.json'),
    },
    entry: MCP_SERVERS,
    stdio: formats.commandEntry({ type: 'stdio', ...ALWAYS_LOAD }),
    http: formats.urlEntry(formats.shellReference, { type: 'http', ...ALWAYS_LOAD }),
    oauth: true,
    keyReference: true,
    markerPaths: (environment) => [
      inEnvFolder(environment, 'CLAUDE_CONFIG_DIR', '.claude'),
      inHome(environment, '.claude.json'),
    ],
    commands: ['claude'],
    notes: { project: 'Claude Code asks each user for approval before it uses a project server.' },
  },
  {
    id: 'codex',
    format: 'toml',
    files: {
      user: (environment) => [inEnvFolder(environment, 'CODEX_HOME', '.codex', 'config.toml')],
      project: project('.codex', 'config.toml'),
    },
    entry: ['mcp_servers', ENTRY_NAME],
    stdio: formats.commandEntry(),
    http: formats.codexHttp,
    oauth: true,
    keyReference: true,
    markerPaths: (environment) => [inEnvFolder(environment, 'CODEX_HOME', '.codex')],
    commands: ['codex'],
    notes: { project: 'Codex reads project configuration only in trusted projects.' },
  },
  {
    id: 'gemini',
    format: 'jsonc',
    files: { user: home('.gemini', 'settings.json'), project: project('.gemini', 'settings.json') },
    entry: MCP_SERVERS,
    stdio: formats.commandEntry(),
    http: formats.urlEntry(formats.shellReference, { type: 'http' }),
    oauth: true,
    keyReference: true,
    markerPaths: home('.gemini'),
    commands: ['gemini'],
    notes: {
      user: 'Gemini CLI uses MCP servers only in trusted folders.',
      project: 'Gemini CLI uses MCP servers only in trusted folders.',
    },
  },
  {
    id: 'copilot',
    format: 'jsonc',
    files: {
      user: (environment) => [inEnvFolder(environment, 'COPILOT_HOME', '.copilot', 'mcp-config.json')],
      // Copilot CLI also reads .mcp.json, but Claude Code owns the entry there.
      project: project('.github', 'mcp.json'),
    },
    entry: MCP_SERVERS,
    stdio: (entry) => ({ server: { ...formats.commandEntry({ type: 'local' })(entry).server, tools: ['*'] } }),
    http: (entry) => {
      const { server } = formats.urlEntry(formats.shellReference, { type: 'http' })(entry);
      return { server: { ...server, tools: ['*'] } };
    },
    keyReference: true,
    markerPaths: (environment) => [inEnvFolder(environment, 'COPILOT_HOME', '.copilot')],
    commands: ['copilot'],
  },
  {
    id: 'opencode',
    format: 'jsonc',
    files: {
      user: (environment) =>
        ['opencode.json', 'opencode.jsonc'].map((name) => inXdgConfig(environment, 'opencode', name)),
      project: (environment) => ['opencode.json', 'opencode.jsonc'].map((name) => inProject(environment, name)),
    },
    entry: ['mcp', ENTRY_NAME],
    stdio: formats.opencodeStdio,
    http: formats.opencodeHttp,
    oauth: true,
    keyReference: true,
    markerPaths: (environment) => [inXdgConfig(environment, 'opencode'), inHome(environment, '.opencode')],
    commands: ['opencode'],
    newFile: { user: OPENCODE_SCHEMA, project: OPENCODE_SCHEMA },
    variant: (data) =>
      isOpencode2(data)
        ? { entry: ['mcp', 'servers', ENTRY_NAME], stdio: formats.opencode2Stdio, http: formats.opencode2Http }
        : {},
  },
  {
    id: 'kilo',
    format: 'jsonc',
    files: {
      user: (environment) => ['kilo.json', 'kilo.jsonc'].map((name) => inXdgConfig(environment, 'kilo', name)),
      project: (environment) =>
        [['.kilo', 'kilo.json'], ['.kilo', 'kilo.jsonc'], ['kilo.json'], ['kilo.jsonc']].map((parts) =>
          inProject(environment, ...parts),
        ),
    },
    entry: ['mcp', ENTRY_NAME],
    stdio: formats.opencodeStdio,
    http: formats.opencodeHttp,
    keyReference: true,
    markerPaths: (environment) => [inXdgConfig(environment, 'kilo')],
    commands: ['kilo'],
  },
  {
    id: 'qwen',
    format: 'jsonc',
    files: { user: home('.qwen', 'settings.json'), project: project('.qwen', 'settings.json') },
    entry: MCP_SERVERS,
    stdio: formats.commandEntry(),
    http: formats.urlEntry(formats.shellReference, {}, 'httpUrl'),
    keyReference: true,
    markerPaths: home('.qwen'),
    commands: ['qwen'],
  },
  {
    id: 'kimi',
    format: 'jsonc',
    files: {
      user: (environment) => [inEnvFolder(environment, 'KIMI_CODE_HOME', '.kimi-code', 'mcp.json')],
      project: project('.kimi-code', 'mcp.json'),
    },
    entry: MCP_SERVERS,
    stdio: formats.commandEntry(),
    http: formats.kimiHttp,
    keyReference: true,
    markerPaths: (environment) => [inEnvFolder(environment, 'KIMI_CODE_HOME', '.kimi-code')],
    commands: ['kimi'],
    notes: { project: 'Kimi Code uses project servers only in trusted folders.' },
  },
  {
    id: 'amp',
    format: 'jsonc',
    files: {
      user: config(['amp', 'settings.json'], ['amp', 'settings.json']),
      project: project('.amp', 'settings.json'),
    },
    entry: ['amp.mcpServers', ENTRY_NAME],
    stdio: formats.commandEntry(),
    http: formats.urlEntry(formats.shellReference),
    keyReference: true,
    markerPaths: config(['amp'], ['amp']),
    commands: ['amp'],
  },
  {
    id: 'auggie',
    format: 'jsonc',
    files: { user: home('.augment', 'settings.json'), project: project('.augment', 'settings.json') },
    entry: MCP_SERVERS,
    stdio: formats.commandEntry(),
    http: formats.urlEntry(undefined, { type: 'http' }),
    keyReference: false,
    markerPaths: home('.augment'),
    commands: ['auggie'],
  },
  {
    id: 'grok',
    format: 'toml',
    files: { user: (environment) => [inEnvFolder(environment, 'GROK_HOME', '.grok', 'config.toml')] },
    entry: ['mcp_servers', ENTRY_NAME],
    stdio: formats.commandEntry(),
    http: formats.urlEntry(formats.shellReference),
    keyReference: true,
    markerPaths: (environment) => [inEnvFolder(environment, 'GROK_HOME', '.grok')],
    commands: ['grok'],
  },
  {
    id: 'openclaw',
    format: 'jsonc',
    files: { user: openclawFile },
    entry: ['mcp', 'servers', ENTRY_NAME],
    stdio: formats.commandEntry(),
    http: formats.openclawHttp,
    keyReference: true,
    markerPaths: (environment) => [
      inEnvFolder(environment, 'OPENCLAW_STATE_DIR', '.openclaw'),
      ...openclawFile(environment),
    ],
    commands: ['openclaw'],
  },
  {
    id: 'goose',
    format: 'yaml',
    files: { user: config(['Block', 'goose', 'config', 'config.yaml'], ['goose', 'config.yaml']) },
    entry: ['extensions', ENTRY_NAME],
    stdio: formats.gooseStdio,
    http: formats.gooseHttp,
    oauth: true,
    keyReference: false,
    markerPaths: config(['Block', 'goose'], ['goose']),
    commands: ['goose'],
  },
];
