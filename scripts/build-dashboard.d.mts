import type { Metafile } from 'esbuild';

/** `app` lists the scripts and style sheet of the app with what they import; `assets` is their folder. */
export declare function buildDashboard(outdir: string): Promise<{ app: Metafile; assets: string }>;
