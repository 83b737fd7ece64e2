// A chat with LlamaIndex's memory that remembers a person, from one run to the next.
// npm install @svc-memory/client @llamaindex/core
import { createMemory } from '@llamaindex/core/memory';
import { createClient } from '@svc-memory/client';
import { memoryBlock } from '@svc-memory/client/llamaindex';

const question = process.argv[2] ?? 'Which tea should I bring?';
const { OPENAI_BASE_URL = 'https://api.openai.com/v1', OPENAI_API_KEY } = process.env;

const block = memoryBlock({ client: createClient(), user: 'ada' });
const memory = createMemory({ memoryBlocks: [block] });

await memory.add({ role: 'user', content: question });
const messages = await memory.getLLM();

// LlamaIndex has models of OpenAI. This one is of any server that speaks the Chat Completions API.
const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${OPENAI_API_KEY}` },
  body: JSON.stringify({
    model: 'gpt-4.1-mini',
    messages: messages.map(({ role, content }) => ({ role: role === 'memory' ? 'system' : role, content })),
  }),
});
if (!response.ok) throw new Error(await response.text());
const { choices } = await response.json();

await memory.add({ role: 'assistant', content: choices[0].message.content });
await block.save(memory);
console.log(choices[0].message.content);
