import { open } from 'node:fs/promises';
import type { HookClient } from './hook-event.ts';

/** The end of the file contains the answer, unless it is longer than what is stored of it anyway. */
const EXAMINED_BYTES = 512 * 1024;

/** What the model said last. */
export interface LastAnswer {
  text: string;
  /** False for what it says before it calls a tool: the answer follows. */
  isFinal: boolean;
}

/** A line of a transcript: what the user typed, what the model said, or neither. */
type Entry = 'prompt' | LastAnswer | undefined;

interface CopilotEvent {
  type?: unknown;
  data?: { content?: unknown; parentToolCallId?: unknown; toolRequests?: unknown };
}

interface GeminiMessage {
  type?: unknown;
  content?: unknown;
  toolCalls?: unknown;
}

/** How to read the JSON Lines of an assistant. */
const READERS: Partial<Record<HookClient, (line: object) => Entry>> = {
  copilot({ type, data }: CopilotEvent) {
    if (type === 'user.message') return 'prompt';
    // Subagents answer the model, not the user.
    if (type !== 'assistant.message' || data?.parentToolCallId !== undefined) return undefined;
    return toAnswer(data?.content, data?.toolRequests);
  },
  gemini({ type, content, toolCalls }: GeminiMessage) {
    if (type === 'user') return 'prompt';
    return type === 'gemini' ? toAnswer(content, toolCalls) : undefined;
  },
};

/** Whether svc can read the transcripts of an assistant. */
export function readsTranscript(client: HookClient): boolean {
  return READERS[client] !== undefined;
}

/**
 * Returns the last answer in a transcript, for assistants whose hooks do not report it (Copilot CLI 1.0) or report it with
 * its end repeated (Gemini CLI 0.61). `undefined` if the model has not answered the last prompt, if the file cannot be read,
 * and for other assistants.
 */
export async function lastAnswer(client: HookClient, path: string | undefined): Promise<LastAnswer | undefined> {
  const read = READERS[client];
  if (!read || path === undefined) return undefined;
  const lines = (await readEnd(path).catch(() => '')).split('\n');
  for (const line of lines.reverse()) {
    const entry = read(parsed(line));
    if (entry === 'prompt') return undefined;
    if (entry) return entry;
  }
  return undefined;
}

function toAnswer(content: unknown, toolCalls: unknown): Entry {
  if (typeof content !== 'string' || content.trim() === '') return undefined;
  return { text: content, isFinal: !(Array.isArray(toolCalls) && toolCalls.length > 0) };
}

async function readEnd(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, EXAMINED_BYTES));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

function parsed(line: string): object {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}
