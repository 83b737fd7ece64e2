import type { TestProject } from 'vitest/node';
import '../../scripts/build.mjs';
import { root } from '../../scripts/build-options.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    dashboardFolder: string;
    referenceFolder: string;
  }
}

/** Builds the program (`dist`) for tests that start it as a process, and the pages that all daemons serve. */
export default function setup(project: TestProject): void {
  project.provide('dashboardFolder', `${root}dist/dashboard`);
  project.provide('referenceFolder', `${root}dist/reference`);
}
