import { setTimeout as sleep } from 'node:timers/promises';
import { capturedText } from './captured-text.ts';
import type { HookClient, HookEventName, HookInput } from './hook-event.ts';
import { addSaid, type SaidMessage, type SessionFile } from './session-state.ts';
import { lastAnswer, readsTranscript } from './transcript.ts';

/** Copilot CLI may write its transcript a moment after it starts the hook. */
const ATTEMPTS = 8;
const PAUSE_MS = 25;

interface CaptureOptions {
  client: HookClient;
  redact: boolean;
}

/** Notes what was said: the prompt or the answer of an event, and an answer that was not written yet at an earlier one. */
export async function capture(
  event: HookEventName,
  input: HookInput,
  session: SessionFile,
  options: CaptureOptions,
): Promise<void> {
  if (event === 'stop') return captureAnswer(input, session, options);
  await captureLateAnswer(session, options);
  const { prompt } = input;
  // A slash command is an order to the assistant's program.
  if (event !== 'prompt' || prompt === undefined || prompt.trimStart().startsWith('/')) return;
  await note('user', prompt, session, options);
}

async function captureAnswer(
  { answer, transcriptPath }: HookInput,
  session: SessionFile,
  options: CaptureOptions,
): Promise<void> {
  const said =
    (await lastAnswer(options.client, transcriptPath)) ?? answer ?? (await waitForAnswer(transcriptPath, options));
  if (said !== undefined) return note('assistant', said, session, options);
  if (transcriptPath === undefined || !readsTranscript(options.client)) return;
  await session.change((state) => {
    state.unreadTranscript = transcriptPath;
  });
}

async function waitForAnswer(path: string | undefined, { client }: CaptureOptions): Promise<string | undefined> {
  if (path === undefined || !readsTranscript(client)) return undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await sleep(PAUSE_MS);
    const answer = await lastAnswer(client, path);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

async function captureLateAnswer(session: SessionFile, options: CaptureOptions): Promise<void> {
  if (!readsTranscript(options.client)) return;
  const { unreadTranscript } = await session.read();
  if (unreadTranscript === undefined) return;
  const answer = await lastAnswer(options.client, unreadTranscript);
  if (answer !== undefined) await note('assistant', answer, session, options);
  await session.change((state) => {
    delete state.unreadTranscript;
  });
}

async function note(
  role: SaidMessage['role'],
  said: string,
  session: SessionFile,
  { redact }: CaptureOptions,
): Promise<void> {
  const content = capturedText(said, { redact });
  if (content !== undefined) await session.change((state) => addSaid(state, { role, content }));
}
