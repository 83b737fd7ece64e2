/** What a source says: each message with its place. */
export declare function wordsOf(source: string, file: string): { start: number; end: number; message: string }[];
/** A source in other words: `say` returns how a message is said. */
export declare function inOtherWords(source: string, file: string, say: (message: string) => string): string;
/** All that the web app says, in the order of its files. */
export declare function wordsOfPages(folder: string): Promise<string[]>;
