import { createBoundedMap } from '../lib/bounded-map.ts';
import { createTurns, type TurnOptions, type Turns, textOfParts } from './turns.ts';

/** `user` is the memory resource of each call unless given, and `default` where a call has none. */
export interface MemoryProcessorOptions extends TurnOptions {}

/** What is read of a message of Mastra. */
interface ProcessedMessage {
  role: string;
  resourceId?: string;
  threadId?: string;
  content: { parts: readonly { type: string; text?: unknown }[] };
}

interface InputArguments<Message, SystemMessage> {
  messages: Message[];
  systemMessages: SystemMessage[];
  state: Record<string, unknown>;
  abortSignal?: AbortSignal;
}

interface ResultArguments<Message> {
  messages: Message[];
  state: Record<string, unknown>;
  result: { text: string; finishReason: string };
}

/** How many threads keep their conversation; one of the others starts a new one with its next turn. */
const MOST_THREADS = 1000;

/**
 * Returns a processor for `inputProcessors` and `outputProcessors` of a Mastra agent: what svc remembers about the last
 * user message becomes a system message, and each finished turn is appended to the conversation of its thread.
 */
export function memoryProcessor(options: MemoryProcessorOptions) {
  const threads = createBoundedMap<string, Turns>(MOST_THREADS);

  function turnsOf({ resourceId, threadId }: ProcessedMessage): Turns {
    const user = options.user ?? resourceId;
    const thread = JSON.stringify([user, threadId]);
    const turns = threads.get(thread) ?? createTurns({ ...options, ...(user !== undefined && { user }) });
    // Without a thread the model does not have the messages of earlier calls: they are recalled like any others.
    if (threadId !== undefined) threads.set(thread, turns);
    return turns;
  }

  return {
    id: 'svc-memory' as const,
    name: 'Memory in svc',

    async processInput<Message extends ProcessedMessage, SystemMessage>({
      messages,
      systemMessages,
      state,
      abortSignal,
    }: InputArguments<Message, SystemMessage>) {
      const message = messages.findLast(({ role }) => role === 'user');
      const asked = textOfParts(message?.content.parts ?? []);
      const turns = message && turnsOf(message);
      Object.assign(state, { asked, turns });
      const context = (await turns?.recall(asked, abortSignal)) ?? '';
      const recalled = context === '' ? [] : [{ role: 'system' as const, content: context }];
      return { messages, systemMessages: [...systemMessages, ...recalled] };
    },

    async processOutputResult<Message>({ messages, state, result }: ResultArguments<Message>) {
      const { asked, turns } = state as { asked?: string; turns?: Turns };
      // After an error or an aborted stream the text is only the beginning of an answer.
      if (result.finishReason !== 'error') await turns?.add(asked ?? '', result.text);
      return messages;
    },
  };
}
