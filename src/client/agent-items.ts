import type { AgentInputItem } from '@openai/agents-core';
import type { MessagePart } from '../contract/message-content.ts';
import type { Message, NewMessage } from './client.ts';

type Fields = Record<string, unknown>;
type Role = NewMessage['role'];

/**
 * How the content of a message holds its item; what it does not hold is `rest` in the metadata. `whole`: the item is all
 * in the metadata, or, if it is too large for that, in a tool result. `json`: the same, as JSON. `none`: the message is no item.
 */
type Form = 'text' | 'texts' | 'call' | 'result' | 'whole' | 'json' | 'none';

interface Packed {
  form: Form;
  role: Role;
  content: NewMessage['content'];
  rest: unknown;
}

/** Metadata is limited to 16 KiB. */
const LARGEST_REST_BYTES = 15_000;
const LONGEST_ID = 256;
/** What the daemon rejects, as JSON escapes it: NUL characters and unpaired surrogates. */
const UNSTORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][\da-f]{2})/g;

/** Returns the message that stores an item of the OpenAI Agents SDK: its text, tool calls and results are searchable. */
export function toMessage(item: AgentInputItem): NewMessage {
  const json = JSON.stringify(item);
  const shown = json.replace(UNSTORABLE, '$1\\ufffd');
  const isStorable = shown === json;
  const packed: Packed = isStorable
    ? pack(item as unknown as Fields)
    : { ...pack(JSON.parse(shown) as Fields), form: 'json', rest: json };
  const packWhole = () => (isStorable ? packLarge('whole', item) : packLarge('json', json));
  const { form, role, content, rest } = sizeOf(packed.rest) > LARGEST_REST_BYTES ? packWhole() : packed;
  return { role, content, metadata: { agentItem: { form, rest } } };
}

/** Returns the item that a message stores; for a message that did not come from a session, one like it, if there is one. */
export function fromMessage({ metadata, role, content }: Message): AgentInputItem | undefined {
  const stored = metadata.agentItem as { form: Form; rest: unknown } | undefined;
  if (stored === undefined) return itemOf(role, content);
  if (stored.form === 'none') return undefined;
  return unpack(stored.form, stored.rest, content) as unknown as AgentInputItem;
}

function pack(item: Fields): Packed {
  const { role, content, type = 'message', ...rest } = item;
  if (type === 'message' && isRole(role)) {
    if (isText(content)) return { form: 'text', role, content, rest: without(item, 'content') };
    const texts = Array.isArray(content) ? content.map((part: Fields) => part?.text) : [];
    if (texts.length > 0 && texts.every(isText)) {
      const parts = (content as Fields[]).map((part) => without(part, 'text'));
      return {
        form: 'texts',
        role,
        content: texts.map((text) => ({ type: 'text', text })),
        rest: { ...item, content: parts },
      };
    }
  }
  const { callId, name, arguments: given, output } = rest;
  if (type === 'function_call' && isId(callId) && isId(name) && given !== undefined) {
    const part: MessagePart = { type: 'tool_call', id: callId, name, arguments: given };
    return { form: 'call', role: 'assistant', content: [part], rest: without(item, 'callId', 'name', 'arguments') };
  }
  if (type === 'function_call_result' && isId(callId) && output !== undefined) {
    const part: MessagePart = { type: 'tool_result', toolCallId: callId, content: output };
    return { form: 'result', role: 'tool', content: [part], rest: without(item, 'callId', 'output') };
  }
  return { form: 'whole', role: 'assistant', content: `(${String(type)})`, rest: item };
}

function packLarge(form: 'whole' | 'json', content: unknown): Packed {
  const part: MessagePart = { type: 'tool_result', toolCallId: 'item', content };
  return { form, role: 'tool', content: [part], rest: null };
}

function unpack(form: Form, rest: unknown, content: Message['content']): unknown {
  const item = rest as Fields;
  if (form === 'text') return { ...item, content };
  const parts = content as MessagePart[];
  const [part] = parts;
  if (form === 'texts') {
    const contents = (item.content as Fields[]).map((fields, index) => ({ ...fields, text: textOf(parts[index]!) }));
    return { ...item, content: contents };
  }
  if (form === 'call' && part?.type === 'tool_call') {
    return { ...item, callId: part.id, name: part.name, arguments: part.arguments };
  }
  if (form === 'result' && part?.type === 'tool_result')
    return { ...item, callId: part.toolCallId, output: part.content };
  const whole = rest ?? (part?.type === 'tool_result' ? part.content : undefined);
  return form === 'json' ? JSON.parse(whole as string) : whole;
}

/** The item for a message that something else appended. Tool messages have none: their call is not in the conversation. */
function itemOf(role: Role, content: Message['content']): AgentInputItem | undefined {
  const text = typeof content === 'string' ? content : content.map(textOf).filter(Boolean).join('\n');
  if (role === 'tool' || text === '') return undefined;
  if (role !== 'assistant') return { role, content: text };
  return { role, status: 'completed', content: [{ type: 'output_text', text }] };
}

function textOf(part: MessagePart): string {
  return part.type === 'text' ? part.text : '';
}

function without(fields: Fields, ...names: string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function sizeOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** Messages cannot be blank. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && /\S/.test(value);
}

/** Whether the daemon takes a value as the id of a tool call, or as the name of a tool. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_ID && /^[^\u0000-\u001f\u007f]+$/.test(value);
}

function isRole(value: unknown): value is 'user' | 'assistant' | 'system' {
  return value === 'user' || value === 'assistant' || value === 'system';
}
