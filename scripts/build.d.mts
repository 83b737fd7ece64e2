import type { Metafile } from 'esbuild';

export const metafile: Metafile;
export const hookMetafile: Metafile;
