// A checkpointer of LangGraph that keeps the conversation of each thread in svc. A graph takes it as `graph.compile({ checkpointer })`.
// npm install @svc-memory/client @langchain/langgraph-checkpoint @langchain/core
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { emptyCheckpoint, MemorySaver } from '@langchain/langgraph-checkpoint';
import { createClient } from '@svc-memory/client';
import { keepConversation } from '@svc-memory/client/langgraph';

const client = createClient();
const checkpointer = keepConversation(new MemorySaver(), { client });

// What a graph does after each step, here by hand.
const messages = [];
let config = { configurable: { thread_id: crypto.randomUUID(), checkpoint_ns: '' } };
for (const [step, Message] of [HumanMessage, AIMessage].entries()) {
  const content = step === 0 ? (process.argv[2] ?? 'Where did I park?') : 'On the roof, in row C.';
  messages.push(new Message({ id: crypto.randomUUID(), content }));
  const checkpoint = { ...emptyCheckpoint(), id: `${step}`, channel_values: { messages } };
  config = await checkpointer.put(config, checkpoint, { source: 'loop', step, parents: {} }, { messages: step });
}

const { metadata } = await checkpointer.getTuple(config);
for await (const { role, content } of client.conversations.messages.list(metadata.svcConversation, { order: 'oldest' }))
  console.log(`${role}: ${content}`);
