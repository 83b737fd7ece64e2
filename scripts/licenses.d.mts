import type { Metafile } from 'esbuild';

export declare function writeLicenses(metafiles: readonly Metafile[], file: string): Promise<void>;
export declare function licenseOf(folder: string): Promise<string>;
