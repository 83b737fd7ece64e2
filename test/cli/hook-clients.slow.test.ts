import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookHarness, SILENT } from './hook-harness.ts';

/** The input of each assistant as it sends it, and what it expects. */

const harness = hookHarness();
const { hook, stored, add } = harness;

const QUESTION = 'what tea does Ada drink?';
const TOLD = [
  [
    { role: 'user', content: QUESTION },
    { role: 'assistant', content: 'Jasmine.' },
  ],
];
const remember = () => add('Ada drinks jasmine tea in the afternoon', { pinned: true });

/** Runs a hook and returns its output as JSON. */
async function run(client: string, event: string, input: object) {
  const { exitCode, stdout, stderr } = await hook(event, { cwd: harness.folder, ...input }, { client });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout === '' ? undefined : JSON.parse(stdout);
}

describe.each([
  ['claude-code', 'UserPromptSubmit'],
  ['codex', 'UserPromptSubmit'],
  ['qwen', 'UserPromptSubmit'],
  ['gemini', 'BeforeAgent'],
])('svc hook --client %s', (client, name) => {
  const session = { session_id: 'session-1' };

  test('adds context with the names of the assistant', async () => {
    await remember();
    const started = await run(client, 'session-start', { ...session, source: 'startup' });
    expect(started.hookSpecificOutput).toEqual({
      hookEventName: 'SessionStart',
      additionalContext: expect.stringContaining('jasmine'),
    });
    const prompted = await run(client, 'prompt', { session_id: 'session-2', hook_event_name: name, prompt: QUESTION });
    expect(prompted.hookSpecificOutput).toEqual({
      hookEventName: name,
      additionalContext: expect.stringContaining('jasmine'),
    });
  });

  test('stores the prompt and the answer, without a transcript that svc can read', async () => {
    const answer = client === 'gemini' ? { prompt_response: 'Jasmine.' } : { last_assistant_message: 'Jasmine.' };
    await run(client, 'prompt', { ...session, prompt: QUESTION });
    await run(client, 'stop', { ...session, prompt: QUESTION, ...answer, transcript_path: harness.folder });
    expect(await stored()).toEqual(TOLD);
  });
});

describe('svc hook --client gemini', () => {
  test('does not store what hooks added, with which Gemini CLI begins the first prompt without a terminal', async () => {
    const added = '<hook_context>&lt;svc-memory-1&gt;\nold\n&lt;/svc-memory-1&gt;</hook_context>\n\n';
    await run('gemini', 'prompt', { session_id: 'session-1', prompt: added + QUESTION });
    await run('gemini', 'stop', { session_id: 'session-1', prompt_response: 'Jasmine.' });
    expect(await stored()).toEqual(TOLD);
  });

  test('stores the answer of the transcript, because that of the hook has its end twice if it was streamed', async () => {
    const lines = [
      { $set: { messages: [{ type: 'user', content: [] }] } },
      { id: '1', type: 'user', content: [{ text: QUESTION }] },
      { id: '2', type: 'gemini', content: '', toolCalls: [{}] },
      { id: '3', type: 'gemini', content: 'Jasmine.', thoughts: [] },
      { $set: { lastUpdated: '2026-11-22T11:37:03.231Z' } },
    ];
    const transcript = join(harness.folder, 'session.jsonl');
    await writeFile(transcript, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const answered = { session_id: 'session-1', prompt_response: 'Jasmine. .', transcript_path: transcript };
    await run('gemini', 'prompt', { session_id: 'session-1', prompt: QUESTION });
    await run('gemini', 'stop', answered);
    expect(await stored()).toEqual(TOLD);
  });

  test('stores the answer of the hook while the transcript ends with what was said before a tool', async () => {
    const lines = [
      { id: '1', type: 'user', content: [{ text: QUESTION }] },
      { id: '2', type: 'gemini', content: 'Looking …', toolCalls: [{}] },
    ];
    const transcript = join(harness.folder, 'session.jsonl');
    await writeFile(transcript, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await run('gemini', 'prompt', { session_id: 'session-1', prompt: QUESTION });
    await run('gemini', 'stop', { session_id: 'session-1', prompt_response: 'Jasmine.', transcript_path: transcript });
    expect(await stored()).toEqual(TOLD);
  });

  test('repeats nothing at pre-compact, which Gemini CLI reports before every turn', async () => {
    await remember();
    await run('gemini', 'prompt', { session_id: 'session-1', prompt: QUESTION });
    await run('gemini', 'pre-compact', { session_id: 'session-1', trigger: 'auto' });
    expect(await run('gemini', 'prompt', { session_id: 'session-1', prompt: QUESTION })).toBeUndefined();
  });
});

describe('svc hook --client cursor', () => {
  const session = () => ({ conversation_id: 'c-1', generation_id: 'g-1', cwd: undefined });

  test('adds context without holding the prompt back', async () => {
    await remember();
    const started = await run('cursor', 'session-start', { ...session(), session_id: 'c-1' });
    expect(started).toEqual({ additional_context: expect.stringContaining('jasmine') });
    const prompted = await run('cursor', 'prompt', { ...session(), conversation_id: 'c-2', prompt: QUESTION });
    expect(prompted).toEqual({ continue: true, additional_context: expect.stringContaining('jasmine') });
  });

  test('reads input with byte order marks, as Cursor sends it on Windows', async () => {
    const send = (event: string, input: object) =>
      hook(event, `\ufeff\ufeff${JSON.stringify({ ...session(), ...input })}\n`, { client: 'cursor' });
    await send('prompt', { prompt: QUESTION });
    await send('stop', { text: 'Jasmine.' });
    expect(await stored()).toEqual(TOLD);
  });

  test('stores the prompt and the answer in the project of the workspace', async () => {
    await run('cursor', 'prompt', { ...session(), prompt: QUESTION, workspace_roots: ['/home/ada/tea'] });
    await run('cursor', 'stop', { ...session(), text: 'Jasmine.', workspace_roots: ['/home/ada/tea'] });
    expect(await stored()).toEqual(TOLD);
    const { body } = await harness.daemon.call(harness.apiKey, '/v1/conversations');
    expect(body).toMatchObject({ data: [{ project: 'tea' }] });
  });
});

describe('svc hook --client copilot', () => {
  const session = (fields: object = {}) => ({ sessionId: 'session-1', timestamp: 1_795_345_452_041, ...fields });
  const event = (type: string, data: object) => JSON.stringify({ type, data, id: 'x', timestamp: 'x', parentId: null });
  const transcript = async (...lines: string[]) => {
    const transcriptPath = join(harness.folder, 'events.jsonl');
    await writeFile(transcriptPath, lines.map((line) => `${line}\n`).join(''));
    return session({ transcriptPath, stopReason: 'end_turn' });
  };

  test('adds context to the session, and to what the model reads of a prompt', async () => {
    await remember();
    const started = await run('copilot', 'session-start', session({ source: 'new' }));
    expect(started).toEqual({ additionalContext: expect.stringContaining('jasmine') });
    const asked = { sessionId: 'session-2', prompt: QUESTION, transformedPrompt: `<now/>\n\n${QUESTION}` };
    const prompted = await run('copilot', 'prompt', asked);
    expect(prompted).toEqual({ modifiedTransformedPrompt: expect.stringContaining('jasmine') });
    expect(prompted.modifiedTransformedPrompt.startsWith(`<now/>\n\n${QUESTION}\n\n<svc-memory-`)).toBe(true);
  });

  test('stores the prompt and the last answer of the transcript', async () => {
    const input = await transcript(
      event('user.message', { content: QUESTION, transformedContent: 'x' }),
      event('assistant.message', { content: 'Looking …', toolRequests: [{}] }),
      event('assistant.message', { content: 'from a subagent', parentToolCallId: 't-1' }),
      event('assistant.message', { content: 'Jasmine.', toolRequests: [] }),
      event('assistant.message', { content: '', toolRequests: [] }),
      event('assistant.turn_end', { turnId: '0' }),
    );
    await run('copilot', 'prompt', session({ prompt: QUESTION, transformedPrompt: QUESTION }));
    await run('copilot', 'stop', input);
    expect(await stored()).toEqual(TOLD);
  });

  test('stores no answer twice if the model did not answer the last prompt', async () => {
    const earlier = [event('user.message', { content: QUESTION }), event('assistant.message', { content: 'Jasmine.' })];
    await run('copilot', 'prompt', session({ prompt: QUESTION, transformedPrompt: QUESTION }));
    await run('copilot', 'stop', await transcript(...earlier));
    await run('copilot', 'stop', await transcript(...earlier, event('user.message', { content: 'and coffee?' })));
    await run('copilot', 'stop', session({ transcriptPath: join(harness.folder, 'missing.jsonl') }));
    expect(await stored()).toEqual(TOLD);
  });

  test('stores an answer that is written after the hook has ended with the next hook, in its place', async () => {
    const asked = event('user.message', { content: QUESTION });
    const answered = event('assistant.message', { content: 'Jasmine.' });
    await run('copilot', 'prompt', session({ prompt: QUESTION, transformedPrompt: QUESTION }));
    await run('copilot', 'stop', await transcript(asked));
    await transcript(asked, answered);
    // Copilot CLI runs the hooks of Claude Code for the same session, and svc cannot read a transcript for those.
    await run('claude-code', 'session-start', { session_id: 'session-1' });
    await run('copilot', 'prompt', session({ prompt: 'and coffee?', transformedPrompt: 'and coffee?' }));
    await run('copilot', 'session-end', session({ reason: 'complete' }));
    expect(await stored()).toEqual([[...TOLD[0]!, { role: 'user', content: 'and coffee?' }]]);
  });

  test('stores no remark before a tool as the answer, unless no answer follows', async () => {
    const asked = event('user.message', { content: QUESTION });
    const looking = event('assistant.message', { content: 'Looking …', toolRequests: [{}] });
    const answered = event('assistant.message', { content: 'Jasmine.', toolRequests: [] });
    await run('copilot', 'prompt', session({ prompt: QUESTION, transformedPrompt: QUESTION }));
    await run('copilot', 'stop', await transcript(asked, looking));
    await transcript(asked, looking, answered);
    await run('copilot', 'prompt', session({ prompt: 'and coffee?', transformedPrompt: 'and coffee?' }));
    const again = [asked, looking, answered, event('user.message', { content: 'and coffee?' }), looking];
    await run('copilot', 'stop', await transcript(...again));
    await run('copilot', 'session-end', session({ reason: 'complete' }));
    const coffee = [
      { role: 'user', content: 'and coffee?' },
      { role: 'assistant', content: 'Looking …' },
    ];
    expect(await stored()).toEqual([[...TOLD[0]!, ...coffee]]);
  });

  test('finds the answer at the end of a transcript of many megabytes', async () => {
    const result = event('tool.execution_complete', { result: 'x'.repeat(3_000_000) });
    const input = await transcript(result, result, event('assistant.message', { content: 'Jasmine.' }));
    await run('copilot', 'prompt', session({ prompt: QUESTION, transformedPrompt: QUESTION }));
    await run('copilot', 'stop', input);
    expect(await stored()).toEqual(TOLD);
  });
});

describe('svc hook --client opencode', () => {
  test('answers with the context alone and stores the prompt and the answer', async () => {
    await remember();
    const session = { session_id: 'ses_1' };
    expect(await run('opencode', 'prompt', { ...session, prompt: QUESTION })).toEqual({
      additionalContext: expect.stringContaining('jasmine'),
    });
    await run('opencode', 'stop', { ...session, last_assistant_message: 'Jasmine.' });
    expect(await stored()).toEqual(TOLD);
  });
});

test.each(['cursor', 'copilot', 'opencode'])('%s gets a memory again after a compaction', async (client) => {
  await remember();
  const session = { session_id: 'session-1' };
  expect(await run(client, 'prompt', { ...session, prompt: QUESTION })).toBeDefined();
  expect(await run(client, 'prompt', { ...session, prompt: QUESTION })).toBeUndefined();
  await run(client, 'pre-compact', session);
  expect(await run(client, 'prompt', { ...session, prompt: QUESTION })).toBeDefined();
});

test('two clients that report the same session store it once and recall once', async () => {
  await remember();
  const input = { session_id: 'session-1', cwd: harness.folder, prompt: QUESTION, last_assistant_message: 'Jasmine.' };
  const recalled = [await hook('prompt', input, { client: 'cursor' }), await hook('prompt', input)];
  expect(recalled[0]?.stdout).toContain('jasmine');
  expect(recalled[1]).toEqual(SILENT);
  await hook('stop', input, { client: 'cursor' });
  await hook('stop', input);
  expect(await stored()).toEqual(TOLD);
});
