import type { BuildOptions } from 'esbuild';

export const root: string;
export const daemonBuild: BuildOptions;
