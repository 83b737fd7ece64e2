import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Memory } from '../../src/contract/memories.ts';
import { listAll } from '../api-session.ts';
import { listsFile } from '../retrieval/lists.ts';
import type { Person } from './people.ts';

/** A memory that a model extracted from what a person said, recorded once. */
export interface Extracted {
  content: string;
  tags: string[];
  /** Keys of the facts in the messages that it cites. */
  says: string[];
  /** Where in the list the memory stands that it took the place of. */
  supersedes?: number;
}

/** Reads what was extracted of a person, from the folder `extracted` beside the file; empty if it was not recorded. */
export async function readExtracted(file: string): Promise<Extracted[]> {
  const path = listsFile(file, 'extracted');
  return existsSync(path) ? (JSON.parse(await readFile(path, 'utf8')) as Extracted[]) : [];
}

/** Stores memories as the model had them stored, one after the other, each with the message that it cites first. */
export async function storeExtracted(
  call: <T>(path: string, body?: unknown) => Promise<T>,
  { statements }: Person,
  extracted: readonly Extracted[],
): Promise<void> {
  const sources = await listSources(call);
  const ids: string[] = [];
  for (const { content, tags, says, supersedes } of extracted) {
    const said = statements.find(({ key }) => key !== undefined && says.includes(key));
    const memory = {
      ...{ content, tags, origin: 'extraction' },
      ...(said && { project: said.project, source: sources.get(said.prompt) }),
      ...(supersedes !== undefined && { supersedes: ids[supersedes] }),
    };
    ids.push((await call<Memory>('/v1/memories', memory)).id);
  }
}

/** Lists the captured messages by their texts. */
async function listSources(
  call: <T>(path: string) => Promise<T>,
): Promise<ReadonlyMap<string, { conversationId: string; messageId: string }>> {
  const sources = new Map<string, { conversationId: string; messageId: string }>();
  for (const { id: conversationId } of await listAll<{ id: string }>(call, '/v1/conversations')) {
    const messages = await listAll<{ id: string; content: string }>(
      call,
      `/v1/conversations/${conversationId}/messages`,
    );
    for (const { id: messageId, content } of messages) sources.set(content, { conversationId, messageId });
  }
  return sources;
}

/** Whether a text holds a memory that was extracted from the message that told a fact. */
export function saysExtracted(text: string, key: string | undefined, extracted: readonly Extracted[]): boolean {
  return extracted.some(({ content, says }) => key !== undefined && says.includes(key) && text.includes(content));
}
