import { AppError } from '../../contract/errors.ts';
import {
  MAX_CONTENT_CHARACTERS,
  MAX_PARTS_BYTES,
  type MessageContent,
  type MessagePart,
} from '../../contract/message-content.ts';

/** The content of a message, as stored: `parts` is null for content that is a string. */
export interface StoredContent {
  content: string;
  parts: MessagePart[] | null;
}

/**
 * Splits content into its text and its parts. Throws `invalid_request` naming the field at `path` if either is too
 * long.
 */
export function storedContentOf(content: MessageContent, path: string): StoredContent {
  if (typeof content === 'string') return { content, parts: null };
  const text = textOf(content);
  if (text.length > MAX_CONTENT_CHARACTERS && codePointsOf(text) > MAX_CONTENT_CHARACTERS) {
    throw tooLong(path, `must have at most ${MAX_CONTENT_CHARACTERS} characters of text`);
  }
  if (Buffer.byteLength(JSON.stringify(content)) > MAX_PARTS_BYTES) {
    throw tooLong(path, `must be at most ${MAX_PARTS_BYTES} bytes as JSON`);
  }
  return { content: text, parts: content };
}

function codePointsOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Returns the searchable text of parts, one line each. It is never blank. */
export function textOf(parts: readonly MessagePart[]): string {
  return parts.map(lineOf).join('\n');
}

/** Returns the text that the sender of a message wrote, without tool calls and their results. */
export function writtenTextOf({ content, parts }: { content: string; parts: string | null }): string {
  if (parts === null) return content;
  const written = (JSON.parse(parts) as MessagePart[]).filter(({ type }) => type === 'text' || type === 'image_url');
  return textOf(written);
}

function lineOf(part: MessagePart): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'image_url') return '[image]';
  if (part.type === 'tool_call') return `${part.name} ${asText(part.arguments)}`;
  const text = asText(part.content);
  return text.trim() === '' ? '[no result]' : text;
}

function asText(json: unknown): string {
  return typeof json === 'string' ? json : JSON.stringify(json);
}

function tooLong(path: string, message: string): AppError {
  return new AppError('invalid_request', `${path} ${message}.`, { errors: [{ path, message }] });
}
