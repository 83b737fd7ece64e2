import { describe, expect, test } from 'vitest';
import { TASKS } from '../../src/cli/own-model/assistant-program.ts';
import { ASSISTANT_PROGRAMS } from '../../src/cli/own-model/assistant-programs.ts';
import { ASSISTANT_PROGRAM_NAMES } from '../../src/cli/own-model/program-names.ts';

const [TIDY, EXTRACT] = [TASKS.tidy.tools, TASKS.extract.tools];

describe.each(ASSISTANT_PROGRAM_NAMES)('%s', (name) => {
  test.each([
    ['tidy', TIDY, EXTRACT],
    ['extract', EXTRACT, TIDY],
  ] as const)('is started with the tools to %s, and not with those of another task', async (task, own, others) => {
    const { args, env, files } = await ASSISTANT_PROGRAMS[name].start({
      ...{ task, prompt: 'Begin.', model: 'small', inherited: ['SVC_API_KEY'] },
      bridge: { transport: 'stdio', command: 'node', args: ['svc', 'mcp', '--tools', task], env: {} },
      environment: { home: '/nowhere', cwd: '/nowhere', platform: 'linux', env: {} },
    });
    const all = JSON.stringify([args, env, files]);
    for (const tool of own) expect(all).toContain(tool);
    for (const tool of others) expect(all).not.toContain(tool);
    expect(args).toContain('Begin.');
  });
});
