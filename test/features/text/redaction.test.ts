import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { makeTenant } from '../limits/tenants.ts';

const TOKEN = `ghp_${'aB3dE5fG7h'.repeat(4).slice(0, 36)}`;
const MASK = '[redacted: github-pat]';
const SAID = `the token is ${TOKEN}`;
const MASKED = `the token is ${MASK}`;

let daemon: TestDaemon;
let apiKey: string;

beforeAll(async () => {
  daemon = await startTestDaemon();
  apiKey = (await makeTenant(daemon, 'redaction@example.com', 'Enterprise')).apiKey;
});
afterAll(() => daemon.close());

const call = async (path: string, body?: unknown, method?: string) =>
  (await daemon.call<Record<string, unknown>>(apiKey, path, { body, ...(method && { method }) })).body;

/** Values whose names have the letters of one that tells a credential. */
const HARMLESS = [
  '{"file_path": "src/components/Button2New.tsx", "image_path":"reports/Q3-2024-final.xlsx"}',
  '{"test_pattern": "^v[0-9]+x2$", "x_path": "//div[@id=1]/span[2]", "min_patch": "KB5031455x64"}',
  'new_patient_id: MRN00112233, co_author: "ada.lovelace1815", cert_authority = "R10.LetsEncrypt"',
  'tokenizer = "cl100k_base", passthrough: "x1y2z3a4b5", tests_passed: "17of20tests"',
  '"secretary": "ada.lovelace1815", "hotkey": "Ctrl+Shift+F12", recordsNumber: INV-2024-00117x, "turkey": "Bronze-14lb2"',
].join('\n');

describe('credentials in what callers write', () => {
  test('are masked in memories that are added, and the answer says how many', async () => {
    const added = await call('/v1/memories', { content: SAID });
    expect(added).toMatchObject({ content: MASKED, redacted: 1 });
    expect(await call(`/v1/memories/${added.id}`)).not.toHaveProperty('redacted');
    expect(await call('/v1/memories', { content: SAID })).toMatchObject({ id: added.id, duplicate: true, redacted: 1 });
    const { data } = await call('/v1/memories/batch', {
      memories: [{ content: 'tea' }, { content: `${SAID}, ${TOKEN}` }],
    });
    expect(data).toMatchObject([{ content: 'tea' }, { content: `${MASKED}, ${MASK}`, redacted: 2 }]);
    expect((data as object[])[0]).not.toHaveProperty('redacted');
  });

  test('are not taken for what stands in paths, of patients, of authors and the like', async () => {
    const added = await call('/v1/memories', { content: HARMLESS });
    expect(added).toMatchObject({ content: HARMLESS });
    expect(added).not.toHaveProperty('redacted');
  });

  test('are masked in memories that are changed, also many at once, or put by external id', async () => {
    const { id } = await call('/v1/memories', { content: 'no token yet' });
    expect(await call(`/v1/memories/${id}`, { content: `first ${SAID}` }, 'PATCH')).toMatchObject({
      content: `first ${MASKED}`,
      redacted: 1,
    });
    expect(await call('/v1/memories/external/one', { content: `second ${SAID}` }, 'PUT')).toMatchObject({
      content: `second ${MASKED}`,
      redacted: 1,
    });
    const ids = [id];
    const update = { ids, change: { content: `changed ${SAID}` } };
    expect(await call('/v1/memories/update', update)).toMatchObject({ updated: 1, redacted: 1 });
    expect(await call('/v1/memories/update', { ids, change: { pinned: true } })).not.toHaveProperty('redacted');
    expect(await call(`/v1/memories/${id}`)).toMatchObject({ content: `changed ${MASKED}` });
  });

  test('are masked in messages, also in the parts of tool calls and in names of their arguments', async () => {
    const ofToken = { [TOKEN]: 1, [`${TOKEN.slice(0, -1)}x`]: { [SAID]: null } };
    const parts = [
      { type: 'tool_call', id: 'call_1', name: 'login', arguments: { token: TOKEN, note: [SAID], ofToken } },
    ];
    const messages = [
      { role: 'user', content: SAID },
      { role: 'assistant', content: parts },
    ];
    const remembered = await call('/v1/remember', { messages });
    const ofMask = { [MASK]: 1, [`${MASK} (2)`]: { [MASKED]: null } };
    const masked = [{ ...parts[0], arguments: { token: MASK, note: [MASKED], ofToken: ofMask } }];
    expect(remembered.messages).toMatchObject([
      { content: MASKED, redacted: 1 },
      { content: masked, redacted: 5 },
    ]);
    const path = `/v1/conversations/${remembered.conversationId}/messages`;
    const { data } = await call(path, { messages: [{ role: 'user', content: `again ${SAID}` }] });
    expect(data).toMatchObject([{ content: `again ${MASKED}`, redacted: 1 }]);
    const [{ id }] = data as [{ id: string }];
    expect(await call(`${path}/${id}`, { content: `changed ${SAID}` }, 'PATCH')).toMatchObject({
      content: `changed ${MASKED}`,
      redacted: 1,
    });
    expect(JSON.stringify(await call(path))).not.toContain(TOKEN.slice(0, -1));
  });

  test('are masked in arguments and results of tools whose names tell them, as in a text', async () => {
    const named = {
      user: 'ada',
      password: 'Tr0ub4dor&3',
      db: { DB_PASSWORD: 'x7Kp29qLmW' },
      apiKeys: ['q8Zr41vXk0Tn'],
    };
    const harmless = { page_token: 'q8Zr41vXk0Tn', password: 'string', maxTokens: '4096', note: 'x7Kp29qLmW' };
    const messages = [
      { role: 'assistant', content: [{ type: 'tool_call', id: '1', name: 'login', arguments: named }] },
      {
        role: 'tool',
        content: [{ type: 'tool_result', toolCallId: '1', content: { ...harmless, apiSecret: "it's7Kp29qLmW" } }],
      },
    ];
    const { conversationId, messages: answers } = await call('/v1/remember', { messages });
    const mask = '[redacted: assigned-secret]';
    const masked = { user: 'ada', password: mask, db: { DB_PASSWORD: mask }, apiKeys: [mask] };
    expect(answers).toMatchObject([
      { content: [{ arguments: masked }], redacted: 3 },
      { content: [{ content: { ...harmless, apiSecret: mask } }], redacted: 1 },
    ]);
    const stored = JSON.stringify(await call(`/v1/conversations/${conversationId}/messages`));
    for (const secret of ['Tr0ub4dor', "it's7"]) expect(stored).not.toContain(secret);
  });

  test('are replayed masked when the request is repeated', async () => {
    const request = { body: { content: `third ${SAID}` }, headers: { 'idempotency-key': 'redacted-once' } };
    const [first, second] = [
      await daemon.call(apiKey, '/v1/memories', request),
      await daemon.call(apiKey, '/v1/memories', request),
    ];
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    expect(second.body).toMatchObject({ content: `third ${MASKED}`, redacted: 1 });
  });

  test('are stored unchanged with SVC_REDACT=off', async () => {
    const open = await startTestDaemon({ config: { redact: 'off' } });
    const { apiKey: key } = await makeTenant(open, 'open@example.com', 'Enterprise');
    const { body } = await open.call(key, '/v1/memories', { body: { content: SAID } });
    expect(body).toMatchObject({ content: SAID });
    expect(body).not.toHaveProperty('redacted');
    await open.close();
  });
});
