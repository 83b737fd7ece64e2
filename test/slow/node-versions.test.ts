import { readlink, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { NODE_PACKAGE, NODE_VERSION } from '../../scripts/release/runtime.ts';
import { frameworkNode, installNode } from '../helpers/frameworks.ts';
import { installPackages, packagesOf } from '../helpers/npm-packages.ts';
import { createWorkplaces, runCommand, signInAt } from '../helpers/process.ts';

/** The oldest Node.js that svc supports and the older maintained LTS. */
const OLDER = ['20.17.0', '22.23.3'];
const VERSIONS = [...OLDER, NODE_VERSION];

const workplaces = createWorkplaces();
afterEach(workplaces.clean);

beforeAll(async () => {
  const packages = OLDER.map((version) => `node-${version}@npm:${NODE_PACKAGE}@${version}`);
  // Other files use the shipped one, too.
  await Promise.all([installNode(), installPackages('node-versions', packages)]);
}, 300_000);

const programOf = (version: string) =>
  version === NODE_VERSION ? frameworkNode() : join(packagesOf('node-versions'), `node-${version}`, 'bin/node');

test('the oldest version that is tested is the oldest that svc accepts', () => {
  expect(`>=${OLDER[0]}`).toBe(`${manifest.engines.node}.0`);
});

test.each(VERSIONS)('the same build serves, stores, finds and stops on Node.js %s', async (version) => {
  const program = programOf(version);
  const dataDir = await workplaces.folder();
  const env = { PATH: `${dirname(program)}:${process.env.PATH}` };
  const daemon = await workplaces.start({ dataDir, env });
  expect(await readlink(`/proc/${daemon.pid}/exe`)).toBe(await realpath(program));

  const apiKey = await signInAt(daemon, 'ada@example.com');
  const client = { dataDir, env: { ...env, SVC_URL: daemon.url, SVC_API_KEY: apiKey } };
  const svc = (...args: string[]) => runCommand({ ...client, args });
  expect(await svc('--help')).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('Usage: svc') });
  expect(await svc('add', 'Ada prefers oolong tea')).toMatchObject({ exitCode: 0, stderr: '' });
  const found = await svc('search', 'what does Ada drink', '--json');
  expect(found).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('oolong') });

  daemon.kill('SIGTERM');
  expect(await daemon.exited).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('Warning') });
});
