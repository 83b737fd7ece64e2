import {
  ExtractedMemories,
  MessagePortion,
  PortionQuery,
  type StoredMemory,
  StoredPortion,
} from '../../contract/extraction-portions.ts';
import { fence, oneLine } from '../../contract/fence.ts';
import type { Portions } from '../../features/extraction/portions.ts';
import { ID, USER } from './mcp-notes.ts';
import { READS, type Registration, tool, WRITES } from './mcp-tool.ts';

const PROJECT = 'Only its conversations and general ones';
const AFTER = 'Only conversations with messages after it, RFC 3339 or a date; by default, of 7 days';

/** The tools with which a model extracts memories from what was said. */
export function createExtractTools({ portions }: { portions: Portions }): Registration[] {
  return [
    tool({
      name: 'messages_list',
      title: 'List messages to read',
      description:
        'Read the next portion of messages that memories were not extracted from, with what is known about the same.',
      annotations: READS,
      alwaysLoad: true,
      input: PortionQuery,
      arguments: { user: USER, project: PROJECT, after: AFTER },
      output: MessagePortion,
      run: (principal, input: PortionQuery) => portions.next(principal, input),
      text: portionText,
    }),
    tool({
      name: 'memories_store',
      title: 'Store extracted memories',
      description:
        'Store the memories extracted from a portion, an empty list if it has none, and read the next one. Each is stored or refused by itself.',
      annotations: WRITES,
      alwaysLoad: true,
      input: ExtractedMemories,
      arguments: {
        portion: 'Its name, as messages_list or the last call gave it; leave it out to give only replaced',
        memories: [
          'Up to 100',
          {
            content: 'One fact in one sentence that can be understood alone',
            messages: 'Numbers of the messages that state it',
            tags: '3 to 5 labels that the content lacks and somebody may ask for it with',
            decision:
              'add what is not known; update a known memory that says less; supersede one that it replaces; nothing if it is known',
            known: 'The known memory that the decision is about: its label, such as m3, or its id',
            date: 'YYYY-MM-DD when it happened or will happen, if known',
            reason: 'A few words',
          },
        ],
        replaced: [
          'Older memories that no longer hold, because of memories that earlier calls stored; they remain as history',
          { older: ID, newer: 'mem_… id of the one that you stored' },
        ],
      },
      output: StoredPortion,
      run: (principal, input: ExtractedMemories) => portions.store(principal, input),
      text: storedText,
      advice: ADVICE,
    }),
  ];
}

const READ_AGAIN = 'Call messages_list, and extract from what it returns.';
/** What has changed or is gone is read again. */
const ADVICE = { conflict: READ_AGAIN, not_found: READ_AGAIN };

function portionText({ portion, text }: MessagePortion, mark: string): string {
  if (portion === null) return 'There is nothing left to read.';
  return `${fence(text, mark)}\nThis is portion ${portion}`;
}

function storedText({ decisions, replaced, next }: StoredPortion, mark: string): string {
  const lines = [...replaced.map(replacedText), ...decisions.map(decisionText)];
  return `${fence(lines.join('\n') || 'Nothing to store.', mark)}\n${next === undefined ? 'messages_list has what is left to read.' : portionText(next, mark)}`;
}

function decisionText({ decision, content, memoryId, reason, related }: StoredMemory, index: number): string {
  const what = decision === 'nothing' ? `not stored: ${reason}` : `${decision}: [${memoryId}]`;
  const older = related.map(
    ({ id, at, content: text }) => `   about the same? [${id}] (${at.slice(0, 10)}) ${oneLine(text)}`,
  );
  return [oneLine(`${index + 1}. ${what} ${content}`), ...older].join('\n');
}

function replacedText({ older, error }: StoredPortion['replaced'][number]): string {
  return oneLine(error === null ? `replaced: ${older}` : `not replaced: ${older}: ${error.message}`);
}
