import type { TestProject } from 'vitest/node';
import '../../scripts/build.mjs';
import buildDashboard from './build-dashboard.ts';

/** Builds the program (`dist`) for tests that start it as a process. */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  return buildDashboard(project);
}
