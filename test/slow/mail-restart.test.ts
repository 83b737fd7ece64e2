import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { createWorkplaces, type DaemonProcess } from '../helpers/process.ts';
import { startSmtpServer, type TestSmtpServer } from '../helpers/smtp.ts';

const workplaces = createWorkplaces();
let smtp: TestSmtpServer;

afterEach(async () => {
  await workplaces.clean();
  await smtp.stop();
});

function askForLink({ url }: DaemonProcess, email: string): Promise<Response> {
  return fetch(`${url}/v1/auth/magic-link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  });
}

test('mails queued when the daemon was killed are sent once each after a restart, and their links work', async () => {
  smtp = await startSmtpServer();
  await smtp.stop();
  const dataDir = await workplaces.folder();
  const env = { SVC_SMTP_URL: smtp.url, SVC_MAIL_FROM: 'svc@example.com', SVC_MAIL_DIR: '' };
  const first = await workplaces.start({ dataDir, env });
  const emails = Array.from({ length: 10 }, (_, index) => `person-${index}@example.com`);
  for (const email of emails) expect((await askForLink(first, email)).status).toBe(202);
  await sleep(500);
  first.kill('SIGKILL');
  await first.exited;
  expect(smtp.mails).toEqual([]);

  await smtp.restart();
  const second = await workplaces.start({ dataDir, env });
  await vi.waitFor(() => expect(smtp.mails.length).toBeGreaterThanOrEqual(emails.length), {
    timeout: 90_000,
    interval: 200,
  });
  await sleep(3000);
  expect(smtp.mails.flatMap(({ to }) => to).sort()).toEqual([...emails].sort());
  const token = /token=([\w-]+)/.exec(smtp.mails[0]?.text ?? '')?.[1] ?? '';
  const answer = await fetch(`${second.url}/v1/auth/callback`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ token }),
  });
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toMatch(/#key=svc_live_[0-9a-f]{32}$/);
});
