import { isId } from './agent-items.ts';
import type { NewMessage } from './client.ts';
import { storableParts, storableText } from './message-parts.ts';

type Fields = Record<string, unknown>;

/** What is read of a part of Gemini's content. */
interface Part {
  text?: string;
  thought?: boolean;
  functionCall?: { id?: string; name?: string; args?: Fields };
  functionResponse?: { id?: string; name?: string; response?: Fields };
}

/** What is read of an event of the ADK. */
export interface AdkEvent {
  id: string;
  author?: string;
  partial?: boolean;
  timestamp: number;
  content?: { role?: string; parts?: Part[] };
}

/** The message that stores an event, with the id of the event. */
export type StoredEvent = NewMessage & { metadata: { adkEvent: string } };

/** Returns the messages that store the events with text, tool calls or results. Thoughts and files are left out. */
export function storedEvents(events: readonly AdkEvent[]): StoredEvent[] {
  return events.flatMap(toMessages);
}

/** Returns the time of an event as the daemon takes it. */
export function timestampOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

function toMessages({ id, author, partial, timestamp, content }: AdkEvent): StoredEvent[] {
  const parts = content?.parts ?? [];
  const stored = storableParts(parts.flatMap(toPart));
  if (partial || stored.length === 0) return [];
  const isResult = stored.some(({ type }) => type === 'tool_result');
  const isUser = author === undefined ? content?.role === 'user' : author === 'user';
  const role = isResult ? 'tool' : isUser ? 'user' : 'assistant';
  const [only] = stored;
  const isText = stored.length === 1 && only?.type === 'text';
  const createdAt = timestampOf(timestamp);
  return [
    {
      role,
      ...(role === 'assistant' && isId(author) && { name: author }),
      content: isText ? only.text : stored,
      createdAt,
      metadata: { adkEvent: id },
    },
  ];
}

function toPart({ text, thought, functionCall, functionResponse }: Part): Exclude<NewMessage['content'], string> {
  if (functionCall && isId(functionCall.name)) {
    const { name, args = {}, id } = functionCall;
    return [{ type: 'tool_call', id: isId(id) ? id : name, name, arguments: args }];
  }
  if (functionResponse) {
    const { name, response = {}, id } = functionResponse;
    const toolCallId = isId(id) ? id : name;
    return isId(toolCallId) ? [{ type: 'tool_result', toolCallId, content: response }] : [];
  }
  const shown = thought ? '' : storableText(text ?? '');
  return shown.trim() === '' ? [] : [{ type: 'text', text: shown }];
}
