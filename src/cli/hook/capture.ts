import { setTimeout as sleep } from 'node:timers/promises';
import { toTimestamp } from '../../lib/clock.ts';
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
  nowMs: () => number;
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
  const written = await lastAnswer(options.client, transcriptPath);
  const said = written?.isFinal ? written.text : (answer ?? (await waitForAnswer(transcriptPath, options)));
  if (said !== undefined) return note('assistant', said, session, options);
  if (transcriptPath === undefined || !readsTranscript(options.client)) return;
  const unfinished = written && capturedText(written.text, options);
  await session.change((state) => {
    state.unreadTranscript = transcriptPath;
    if (unfinished !== undefined) state.unfinished = unfinished;
  });
}

async function waitForAnswer(path: string | undefined, { client }: CaptureOptions): Promise<string | undefined> {
  if (path === undefined || !readsTranscript(client)) return undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await sleep(PAUSE_MS);
    const answer = await lastAnswer(client, path);
    if (answer?.isFinal) return answer.text;
  }
  return undefined;
}

/** Notes the answer that a transcript had not yet when the model stopped, or else what it had. */
async function captureLateAnswer(session: SessionFile, options: CaptureOptions): Promise<void> {
  if (!readsTranscript(options.client)) return;
  const { unreadTranscript, unfinished } = await session.read();
  if (unreadTranscript === undefined) return;
  const said = (await lastAnswer(options.client, unreadTranscript))?.text ?? unfinished;
  if (said !== undefined) await note('assistant', said, session, options);
  await session.change((state) => {
    delete state.unreadTranscript;
    delete state.unfinished;
  });
}

async function note(
  role: SaidMessage['role'],
  said: string,
  session: SessionFile,
  { redact, nowMs }: CaptureOptions,
): Promise<void> {
  const content = capturedText(said, { redact });
  if (content === undefined) return;
  const createdAt = toTimestamp(nowMs());
  // The daemon refuses half of a surrogate pair.
  await session.change((state) => addSaid(state, { role, content: content.toWellFormed(), createdAt }));
}
