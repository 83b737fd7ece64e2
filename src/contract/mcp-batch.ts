/**
 * How the stdio bridge sends several tool calls to `/v1/mcp` in one request: one message per line. Each answer is two
 * lines, in the order in which the answers are ready: its head, then its body.
 */
export const BATCH_MEDIA_TYPE = 'application/x-ndjson';

export const MAX_BATCH_MESSAGES = 50;
export const MAX_BATCH_BYTES = 64 * 1024;

/** HTTP status of an answer, and the index of the message that it belongs to. */
export interface BatchAnswerHead {
  /** The line of the message, from 0. */
  index: number;
  status: number;
  retryAfterSeconds?: number | undefined;
}
