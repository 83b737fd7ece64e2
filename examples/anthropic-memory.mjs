// Claude keeps notes about a person in svc, with its memory tool.
// npm install @svc-memory/client @anthropic-ai/sdk
import Anthropic from '@anthropic-ai/sdk';
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory';
import { createClient } from '@svc-memory/client';
import { memoryFiles } from '@svc-memory/client/anthropic';

const question = process.argv[2] ?? 'Which tea should I bring?';
const files = memoryFiles({ client: createClient(), user: 'ada' });

const anthropic = new Anthropic(); // reads ANTHROPIC_API_KEY
const message = await anthropic.beta.messages
  .toolRunner({
    model: 'claude-sonnet-5-5',
    max_tokens: 2000,
    messages: [{ role: 'user', content: question }],
    tools: [betaMemoryTool(files)],
  })
  .runUntilDone();

for (const block of message.content) if (block.type === 'text') console.log(block.text);
console.log(await files.view({ command: 'view', path: '/memories' }));
