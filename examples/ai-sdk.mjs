// A model of the AI SDK that remembers a person, from one run to the next.
// npm install @svc-memory/client ai @ai-sdk/openai
import { openai } from '@ai-sdk/openai';
import { createClient } from '@svc-memory/client';
import { memoryTools, withMemory } from '@svc-memory/client/ai-sdk';
import { generateText, stepCountIs } from 'ai';

const client = createClient();
const { text } = await generateText({
  model: withMemory(openai('gpt-4.1-mini'), { client, user: 'ada' }), // reads OPENAI_API_KEY
  tools: memoryTools({ client, user: 'ada' }),
  stopWhen: stepCountIs(5),
  prompt: process.argv[2] ?? 'Which tea should I bring?',
});
console.log(text);
