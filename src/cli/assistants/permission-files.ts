import type { Assistant, Scope } from './assistant.ts';
import { ENTRY_NAME } from './assistant.ts';
import { inHome } from './config-paths.ts';
import type { Extra } from './extra.ts';
import { ALLOWS_READING, READ_ONLY_TOOLS } from './hook-table.ts';
import { ownFile, ownFileWriter } from './own-file.ts';

const MARK = '# Written by svc mcp-config --hooks; svc mcp-config --remove deletes it.';

/** Rules of Gemini CLI's policy engine (geminicli.com/docs/reference/policy-engine), which reads no policies of projects. */
const POLICY = `
# The tools of svc that change nothing may be called without asking.
[[rule]]
mcpName = "${ENTRY_NAME}"
toolName = ${JSON.stringify(READ_ONLY_TOOLS).replaceAll(',', ', ')}
decision = "allow"
priority = 100
`;

/** Read-only tools that assistants may call without asking, where that is declared in a separate file. */
export const PERMISSIONS: Extra = {
  part: 'permissions',
  option: 'hooks',
  explain: () => ALLOWS_READING,
  path: ({ id }: Assistant, scope: Scope, environment) =>
    id === 'gemini' && scope === 'user' ? inHome(environment, '.gemini', 'policies', 'svc.toml') : undefined,
  owned: () => ownFile(MARK),
  writer: async () => ownFileWriter(MARK, POLICY),
};
