import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NODE_PACKAGE, NODE_VERSION } from '../../scripts/release/runtime.ts';
import { installPackages, packagesOf } from './npm-packages.ts';

/** Frameworks that are too large, too new for the oldest Node.js, or too old to be dependencies of the tests. */
const FRAMEWORKS = { '@google/adk': '2.0.0', '@llamaindex/core': '0.6.23', '@mastra/core': '1.71.0' };

/** The Node.js that runs them, once `installNode` has installed it. */
export const frameworkNode = (): string => join(packagesOf('node'), 'node/bin/node');

/** Installs from npm the Node.js that svc ships. */
export const installNode = () => installPackages('node', [`node@npm:${NODE_PACKAGE}@${NODE_VERSION}`]);

/** Installs the frameworks and their Node.js from npm, and links them into the packages of a project. */
export async function linkFrameworks(project: string): Promise<void> {
  const packages = Object.entries(FRAMEWORKS).map(([name, version]) => `${name}@${version}`);
  await Promise.all([installNode(), installPackages('frameworks', packages)]);
  for (const name of Object.keys(FRAMEWORKS)) await linkPackage(join(packagesOf('frameworks'), name), project, name);
}

/** Links the folder of a package into the packages of a project. */
export async function linkPackage(folder: string, project: string, name: string): Promise<void> {
  const path = join(project, 'node_modules', name);
  await mkdir(dirname(path), { recursive: true });
  await symlink(folder, path);
}
