// An agent of Mastra that remembers each person it talks to. Mastra needs Node 22.13 or newer.
// npm install @svc-memory/client @mastra/core
import { Agent } from '@mastra/core/agent';
import { createClient } from '@svc-memory/client';
import { memoryProcessor } from '@svc-memory/client/mastra';

const [question = 'Which tea should I bring?', person = 'ada'] = process.argv.slice(2);
const { OPENAI_BASE_URL: url = 'https://api.openai.com/v1', OPENAI_API_KEY: apiKey } = process.env;

const memory = memoryProcessor({ client: createClient() });
const agent = new Agent({
  id: 'guide',
  name: 'Guide',
  instructions: 'Be brief.',
  model: { id: 'openai/gpt-4.1-mini', url, apiKey },
  inputProcessors: [memory],
  outputProcessors: [memory],
});

// The resource is the person in svc, and each thread a conversation.
const { textStream } = await agent.stream(question, { memory: { resource: person, thread: `${person}-1` } });
for await (const text of textStream) process.stdout.write(text);
