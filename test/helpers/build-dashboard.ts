import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildDashboard } from '../../scripts/build-dashboard.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    dashboardFolder: string;
  }
}

/** Builds the dashboard once for all tests, whose daemons serve it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-dashboard-'));
  await buildDashboard(folder);
  project.provide('dashboardFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
