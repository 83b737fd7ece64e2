import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    assistantsFolder: string;
  }
}

/** Provides the folder that the first test file which drives assistants installs them in. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-assistants-'));
  project.provide('assistantsFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
