import { readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test, vi } from 'vitest';
import type { WebhookDelivery } from '../../../src/contract/webhooks.ts';
import { freePort } from '../../helpers/free-port.ts';
import { startProviderDaemon } from '../providers/provider-daemon.ts';
import { addWebhook } from './receiver.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

test('the receiver in docs/webhooks.md accepts what svc sends, and nothing signed with another secret', async () => {
  const daemon = await startProviderDaemon({ tasksFaster: 20 });
  const caller = await daemon.account();
  const port = await freePort();
  const guide = await readFile(`${ROOT}docs/webhooks.md`, 'utf8');
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(guide) ?? [];
  // Beside the packages, which it imports.
  const file = `${ROOT}test/features/webhooks/.receiver-${process.pid}.mjs`;
  await writeFile(file, code.replace('8080', String(port)));
  const webhook = await addWebhook(caller, `http://127.0.0.1:${port}/`);
  const running = execa(process.execPath, [file], { env: { WEBHOOK_SECRET: webhook.secret }, reject: false });
  try {
    const send = async (id: string) => {
      const answer = await caller.call<WebhookDelivery>(`/v1/webhooks/${id}/test`, { method: 'POST' });
      expect(answer.body.status).not.toBeNull();
      return answer.body.status;
    };
    expect(await vi.waitFor(() => send(webhook.id), { timeout: 10_000, interval: 100 })).toBe(204);
    expect(await send((await addWebhook(caller, `http://127.0.0.1:${port}/`)).id)).toBe(401);
  } finally {
    running.kill();
    const { stdout } = await running;
    await rm(file, { force: true });
    await daemon.close();
    expect(stdout).toContain('test null null');
  }
});
