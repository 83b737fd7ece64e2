// An agent of Google's Agent Development Kit that remembers a person, from one run to the next.
// npm install @svc-memory/client @google/adk
import {
  Gemini,
  InMemorySessionService,
  LlmAgent,
  LogLevel,
  PRELOAD_MEMORY,
  Runner,
  StreamingMode,
  setLogLevel,
} from '@google/adk';
import { createClient } from '@svc-memory/client';
import { SvcMemoryService } from '@svc-memory/client/google-adk';

const question = process.argv[2] ?? 'Which tea should I bring?';
const { GEMINI_MODEL: model = 'gemini-2.5-flash' } = process.env;

setLogLevel(LogLevel.WARN);
const agent = new LlmAgent({
  name: 'guide',
  model: new Gemini({ model }), // reads GEMINI_API_KEY
  instruction: 'Be brief.',
  tools: [PRELOAD_MEMORY], // or LOAD_MEMORY, with which the model searches itself
});
const sessionService = new InMemorySessionService();
const memoryService = new SvcMemoryService({ client: createClient() });
const runner = new Runner({ appName: 'tea', agent, sessionService, memoryService });

const { id: sessionId } = await sessionService.createSession({ appName: 'tea', userId: 'ada' });
const newMessage = { role: 'user', parts: [{ text: question }] };
const runConfig = { streamingMode: StreamingMode.SSE };
for await (const event of runner.runAsync({ userId: 'ada', sessionId, newMessage, runConfig })) {
  if (event.partial) process.stdout.write(event.content.parts.map(({ text = '' }) => text).join(''));
}
await memoryService.addSessionToMemory(await sessionService.getSession({ appName: 'tea', userId: 'ada', sessionId }));
