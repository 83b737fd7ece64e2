import { type Assistant, ENTRY_NAME, MCP_SERVERS } from './assistant.ts';
import { config, home, inEnvFolder, inHome, inProject, inXdgConfig, project } from './config-paths.ts';
import * as spelling from './entry-formats.ts';

/** opencode writes this line into a file without it. */
const OPENCODE_SCHEMA = { $schema: 'https://opencode.ai/config.json' };

/** The assistants that run in a terminal. */
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
    stdio: spelling.commandEntry({ type: 'stdio' }),
    http: spelling.urlEntry(spelling.shellReference, { type: 'http' }),
    keyReference: true,
    traces: (environment) => [
      inEnvFolder(environment, 'CLAUDE_CONFIG_DIR', '.claude'),
      inHome(environment, '.claude.json'),
    ],
    commands: ['claude'],
    notes: { project: 'Claude Code asks everybody once before it uses a server of the project.' },
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
    stdio: spelling.commandEntry(),
    http: spelling.codexHttp,
    keyReference: true,
    traces: (environment) => [inEnvFolder(environment, 'CODEX_HOME', '.codex')],
    commands: ['codex'],
    notes: { project: 'Codex reads the file of a project only where the project is trusted.' },
  },
  {
    id: 'gemini',
    aliases: ['gemini-cli'],
    title: 'Gemini CLI',
    format: 'jsonc',
    files: { user: home('.gemini', 'settings.json'), project: project('.gemini', 'settings.json') },
    entry: MCP_SERVERS,
    stdio: spelling.commandEntry(),
    http: spelling.urlEntry(spelling.shellReference, { type: 'http' }),
    keyReference: true,
    traces: home('.gemini'),
    commands: ['gemini'],
    notes: {
      user: 'Gemini CLI uses servers only in folders that it trusts.',
      project: 'Gemini CLI uses servers only in folders that it trusts.',
    },
  },
  {
    id: 'copilot',
    aliases: ['copilot-cli'],
    title: 'Copilot CLI',
    format: 'jsonc',
    files: { user: home('.copilot', 'mcp-config.json') },
    entry: MCP_SERVERS,
    stdio: (entry) => ({ server: { ...spelling.commandEntry({ type: 'local' })(entry).server, tools: ['*'] } }),
    http: (entry) => {
      const { server } = spelling.urlEntry(spelling.shellReference, { type: 'http' })(entry);
      return { server: { ...server, tools: ['*'] } };
    },
    keyReference: true,
    traces: home('.copilot'),
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
    stdio: spelling.opencodeStdio,
    http: spelling.opencodeHttp,
    keyReference: true,
    traces: (environment) => [inXdgConfig(environment, 'opencode'), inHome(environment, '.opencode')],
    commands: ['opencode'],
    newFile: { user: OPENCODE_SCHEMA, project: OPENCODE_SCHEMA },
  },
  {
    id: 'goose',
    title: 'Goose',
    format: 'yaml',
    files: { user: config(['Block', 'goose', 'config', 'config.yaml'], ['goose', 'config.yaml']) },
    entry: ['extensions', ENTRY_NAME],
    stdio: spelling.gooseStdio,
    http: spelling.gooseHttp,
    keyReference: false,
    traces: config(['Block', 'goose'], ['goose']),
    commands: ['goose'],
  },
];
