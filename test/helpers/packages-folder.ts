import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    packagesFolder: string;
  }
}

/** Provides the folder that the test files of a run install npm packages in (see `npm-packages.ts`). */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-packages-'));
  project.provide('packagesFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
