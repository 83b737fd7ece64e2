export declare function placeBuild(draft: string, folder: string, isKept: (name: string) => boolean): Promise<string[]>;
