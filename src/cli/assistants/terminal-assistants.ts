import { type Assistant, ENTRY_NAME, MCP_SERVERS } from './assistant.ts';
import { config, home, inEnvFolder, inHome, inProject, inXdgConfig, project } from './config-paths.ts';
import * as formats from './entry-formats.ts';

/** opencode adds this field itself if it is missing. */
const OPENCODE_SCHEMA = { $schema: 'https://opencode.ai/config.json' };

/** Assistants that run in a terminal. */
export const TERMINAL_ASSISTANTS: readonly Assistant[] = [
  {
    id: 'claude-code',
    aliases: ['claude'],
    title: 'Claude Code',
    format: 'json',
    files: {
      user: (environment) => [inEnvFolder(environment, 'CLAUDE_CONFIG_DIR', '', '.claude.json')],
      project: project('.mcp.json'),
    },
    entry: MCP_SERVERS,
    stdio: formats.commandEntry({ type: 'stdio' }),
    http: formats.urlEntry(formats.shellReference, { type: 'http' }),
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
    title: 'Codex',
    format: 'toml',
    files: {
      user: (environment) => [inEnvFolder(environment, 'CODEX_HOME', '.codex', 'config.toml')],
      project: project('.codex', 'config.toml'),
    },
    entry: ['mcp_servers', ENTRY_NAME],
    stdio: formats.commandEntry(),
    http: formats.codexHttp,
    keyReference: true,
    markerPaths: (environment) => [inEnvFolder(environment, 'CODEX_HOME', '.codex')],
    commands: ['codex'],
    notes: { project: 'Codex reads project configuration only in trusted projects.' },
  },
  {
    id: 'gemini',
    aliases: ['gemini-cli'],
    title: 'Gemini CLI',
    format: 'jsonc',
    files: { user: home('.gemini', 'settings.json'), project: project('.gemini', 'settings.json') },
    entry: MCP_SERVERS,
    stdio: formats.commandEntry(),
    http: formats.urlEntry(formats.shellReference, { type: 'http' }),
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
    aliases: ['copilot-cli'],
    title: 'Copilot CLI',
    format: 'jsonc',
    files: { user: home('.copilot', 'mcp-config.json') },
    entry: MCP_SERVERS,
    stdio: (entry) => ({ server: { ...formats.commandEntry({ type: 'local' })(entry).server, tools: ['*'] } }),
    http: (entry) => {
      const { server } = formats.urlEntry(formats.shellReference, { type: 'http' })(entry);
      return { server: { ...server, tools: ['*'] } };
    },
    keyReference: true,
    markerPaths: home('.copilot'),
    commands: ['copilot'],
  },
  {
    id: 'opencode',
    title: 'opencode',
    format: 'jsonc',
    files: {
      user: (environment) =>
        ['opencode.json', 'opencode.jsonc'].map((name) => inXdgConfig(environment, 'opencode', name)),
      project: (environment) => ['opencode.json', 'opencode.jsonc'].map((name) => inProject(environment, name)),
    },
    entry: ['mcp', ENTRY_NAME],
    stdio: formats.opencodeStdio,
    http: formats.opencodeHttp,
    keyReference: true,
    markerPaths: (environment) => [inXdgConfig(environment, 'opencode'), inHome(environment, '.opencode')],
    commands: ['opencode'],
    newFile: { user: OPENCODE_SCHEMA, project: OPENCODE_SCHEMA },
  },
  {
    id: 'goose',
    title: 'Goose',
    format: 'yaml',
    files: { user: config(['Block', 'goose', 'config', 'config.yaml'], ['goose', 'config.yaml']) },
    entry: ['extensions', ENTRY_NAME],
    stdio: formats.gooseStdio,
    http: formats.gooseHttp,
    keyReference: false,
    markerPaths: config(['Block', 'goose'], ['goose']),
    commands: ['goose'],
  },
];
