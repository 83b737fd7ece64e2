import type { Metafile } from 'esbuild';

/** `app` lists the scripts and style sheet of the app with what they import; `assets` is their folder; `words` has its translations. */
export declare function buildDashboard(
  outdir: string,
  options?: { words?: string },
): Promise<{ app: Metafile; assets: string; translations: Record<string, Metafile> }>;
