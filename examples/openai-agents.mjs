// An agent of the OpenAI Agents SDK whose history is a conversation in svc.
// npm install @svc-memory/client @openai/agents-core zod
import { Agent, Runner, Usage } from '@openai/agents-core';
import { createClient } from '@svc-memory/client';
import { SvcSession } from '@svc-memory/client/openai-agents';

const [question = 'Which tea should I bring?', conversationId] = process.argv.slice(2);
const { OPENAI_BASE_URL = 'https://api.openai.com/v1', OPENAI_API_KEY } = process.env;

// `@openai/agents` has models of OpenAI. This one is of any server that speaks the Chat Completions API.
const model = {
  async getResponse({ systemInstructions, input }) {
    const messages = input.map(({ role, content }) => ({
      role,
      content: typeof content === 'string' ? content : content.map(({ text }) => text).join(''),
    }));
    const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${OPENAI_API_KEY}` },
      body: JSON.stringify({
        model: 'gpt-4.1-mini',
        messages: [{ role: 'system', content: systemInstructions }, ...messages],
      }),
    });
    if (!response.ok) throw new Error(await response.text());
    const { choices } = await response.json();
    const content = [{ type: 'output_text', text: choices[0].message.content }];
    return { usage: new Usage(), output: [{ type: 'message', role: 'assistant', status: 'completed', content }] };
  },
};

const agent = new Agent({ name: 'Guide', instructions: 'Be brief.', model });
const session = new SvcSession({ client: createClient(), user: 'ada', conversationId });
const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, question, { session });

console.log(finalOutput);
console.log(`Continue with: node openai-agents.mjs 'And to eat?' ${await session.getSessionId()}`);
