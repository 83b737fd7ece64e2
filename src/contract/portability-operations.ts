import { tagged } from './operations.ts';

/** Media types that clients use for text and NDJSON. */
export const IMPORT_MEDIA_TYPES = [
  'application/x-ndjson',
  'application/json',
  'text/plain',
  'application/octet-stream',
  'text/markdown',
] as const;

const HEAD = { type: 'svc-export', format: 'svc', version: 2, exportedAt: '2026-11-22T04:30:00.000Z' };
const COUNTS = { memories: 0, conversations: 0, messages: 0, episodes: 0, learned: 0, suggestions: 0 };
const EXPORT = [HEAD, { type: 'end', ...COUNTS }].map((line) => `${JSON.stringify(line)}\n`).join('');

export const PORTABILITY_OPERATIONS = tagged('portability', {
  'GET /v1/export': {
    id: 'account.export',
    summary: 'Export everything in the account as NDJSON',
    description:
      'Streams everything in the account, or of one user, as NDJSON. A complete file ends with a line of type `end`.',
    answer: EXPORT,
    headers: ['Cache-Control'],
    errors: ['storage_full'],
  },
  'POST /v1/import': {
    id: 'account.import',
    summary: 'Import an export of svc or a file from another system',
    description:
      'Reads a file of any size: an export of svc, lines of text, or the file of another system named by `format`. Sending the same file again adds nothing. If it ends early, for example at a quota, the problem carries the `report` so far.',
    upload: IMPORT_MEDIA_TYPES,
    request: EXPORT,
    answer: { added: COUNTS, known: COUNTS, skipped: 0, reasons: [], complete: true },
    once: true,
    errors: ['quota_exceeded'],
  },
});
