/**
 * What an import reads: svc's own exports, plain lines of text, and other systems' files. Apart from the schemas, so that
 * who only names a format loads no schema library.
 */
export const IMPORT_FORMATS = ['svc', 'lines', 'chatgpt', 'claude', 'mem0', 'basic-memory', 'mcp-memory'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];
