export declare function buildReference(outdir: string): Promise<void>;
