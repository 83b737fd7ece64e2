import { open } from 'node:fs/promises';

/** The end of the file contains the answer, unless it is longer than what is stored of it anyway. */
const EXAMINED_BYTES = 512 * 1024;

interface TranscriptEvent {
  type?: unknown;
  data?: { content?: unknown; parentToolCallId?: unknown };
}

/**
 * Returns the last answer in a transcript of Copilot CLI (`events.jsonl`), whose `agentStop` does not report it. `undefined`
 * if the model has not answered the last prompt, or the file cannot be read.
 */
export async function lastAnswer(path: string): Promise<string | undefined> {
  const lines = (await readEnd(path).catch(() => '')).split('\n');
  for (const line of lines.reverse()) {
    const { type, data } = parsed(line);
    if (type === 'user.message') return undefined;
    // Subagents answer the model, not the user.
    if (type !== 'assistant.message' || data?.parentToolCallId !== undefined) continue;
    if (typeof data?.content === 'string' && data.content.trim() !== '') return data.content;
  }
  return undefined;
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

function parsed(line: string): TranscriptEvent {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}
