import type { BuildOptions } from 'esbuild';

export const root: string;
export const daemonBuild: BuildOptions;
export const clientBuild: BuildOptions;
