import { delimiter, join } from 'node:path';
import { commandsOf, installPackages } from './npm-packages.ts';

const NAME = 'mcp-tools';

/** The tools need a newer Node than the daemon, which also comes from the registry. */
const PACKAGES = [
  'node@24',
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  '@modelcontextprotocol/inspector@2.12.0',
];

/** Installs the conformance suite and the inspector of MCP. */
export const installMcpTools = (): Promise<void> => installPackages(NAME, PACKAGES);

/** Where a tool is installed, and the environment in which it finds its Node. */
export function mcpTool(command: 'conformance' | 'mcp-inspector'): { file: string; env: NodeJS.ProcessEnv } {
  const folder = commandsOf(NAME);
  return {
    file: join(folder, command),
    env: { ...process.env, PATH: [folder, process.env.PATH].join(delimiter) },
  };
}
