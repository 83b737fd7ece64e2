export declare function buildDashboard(outdir: string): Promise<void>;
