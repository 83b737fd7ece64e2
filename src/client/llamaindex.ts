import { isId } from './agent-items.ts';
import type { NewMessage } from './client.ts';
import { messageBatches } from './message-batches.ts';
import { type Call, contentOf, storableParts } from './message-parts.ts';
import { type RecallOptions, recall, rememberIn, textOfParts } from './turns.ts';

export interface MemoryBlockOptions extends RecallOptions {
  /** Where messages are appended. Unless given, a conversation is created with the first. */
  conversationId?: string;
  /** The name of the block in LlamaIndex's warnings, `svc-memory` unless given. */
  id?: string;
  /** Blocks of higher priority come first; with 0 the context is always included. 1 unless given. */
  priority?: number;
}

/** What is read of a message of LlamaIndex. */
interface BlockMessage {
  id: string;
  role: string;
  content: string | readonly { type: string; text?: unknown }[];
  options?: object | undefined;
}

/**
 * Returns a memory block of LlamaIndex. It recalls what svc remembers about the last user message, and appends the messages
 * that leave short-term memory to a conversation, tool calls and results included.
 */
export function memoryBlock(options: MemoryBlockOptions): SvcMemoryBlock {
  return new SvcMemoryBlock(options);
}

/** The memory block that `memoryBlock` returns. LlamaIndex logs what it throws, and the model answers without memory. */
export class SvcMemoryBlock {
  readonly id: string;
  readonly priority: number;
  readonly isLongTerm = true;
  readonly #options: RecallOptions;
  readonly #isGiven: boolean;
  #conversationId: string | undefined;
  readonly #known = new Set<string>();
  #unsaved: NewMessage[] = [];
  #saving: Promise<void> = Promise.resolve();

  constructor({ id = 'svc-memory', priority = 1, conversationId, ...options }: MemoryBlockOptions) {
    this.id = id;
    this.priority = priority;
    this.#options = options;
    this.#isGiven = conversationId !== undefined;
    this.#conversationId = conversationId;
  }

  async get(messages: readonly BlockMessage[] = []) {
    const asked = messages.findLast(
      (message) => message.role === 'user' && optionOf(message, 'toolResult') === undefined,
    );
    const content = asked ? await recall(textOf(asked), this.#options) : '';
    return content === '' ? [] : [{ id: this.id, role: 'memory' as const, content }];
  }

  /** Stores messages that it has not stored yet. What fails is stored with the next messages. */
  async put(messages: readonly BlockMessage[]): Promise<void> {
    for (const message of messages) {
      if (this.#known.has(message.id)) continue;
      this.#known.add(message.id);
      const stored = toMessage(message);
      if (stored) this.#unsaved.push(stored);
    }
    const saved = this.#saving.then(() => this.#save());
    this.#saving = saved.catch(() => {});
    await saved;
  }

  /** Stores the messages of short-term memory too, at the end of a chat. */
  async save(memory: { snapshot(): string }): Promise<void> {
    await this.put((JSON.parse(memory.snapshot()) as { messages: BlockMessage[] }).messages);
  }

  async #save(): Promise<void> {
    const { client, user } = this.#options;
    for (const messages of messageBatches([...this.#unsaved])) {
      const where = { user, conversationId: this.#conversationId, isGiven: this.#isGiven };
      this.#conversationId = await rememberIn(client, messages, where);
      this.#unsaved.splice(0, messages.length);
    }
  }
}

/** Returns the message to store, if there is something to store: instructions and recalled contexts are left out. */
function toMessage(message: BlockMessage): NewMessage | undefined {
  const { role } = message;
  const result = optionOf(message, 'toolResult') as { id: string; result: unknown } | undefined;
  if (result) {
    if (!isId(result.id)) return undefined;
    const content = storableParts([{ type: 'tool_result', toolCallId: result.id, content: result.result }]);
    return { role: 'tool', content };
  }
  if (role !== 'user' && role !== 'assistant') return undefined;
  const calls = (optionOf(message, 'toolCall') ?? []) as readonly Call[];
  const content = contentOf(textOf(message), calls);
  return content === undefined ? undefined : { role, content };
}

function optionOf({ options }: BlockMessage, name: 'toolCall' | 'toolResult'): unknown {
  return options && name in options ? (options as Record<string, unknown>)[name] : undefined;
}

function textOf({ content }: BlockMessage): string {
  return typeof content === 'string' ? content : textOfParts(content);
}
