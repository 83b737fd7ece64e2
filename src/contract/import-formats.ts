/**
 * Import formats: svc's own exports, plain lines of text, and files from other systems. Separate from the schemas, so that
 * code which only names a format does not load the schema library.
 */
export const IMPORT_FORMATS = ['svc', 'lines', 'chatgpt', 'claude', 'mem0', 'basic-memory', 'mcp-memory'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];
