import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { openConnection } from '../../src/db/connection.ts';
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

async function attemptsOf(dataDir: string): Promise<number[]> {
  const connection = await openConnection(join(dataDir, 'svc.db'), { readOnly: true });
  try {
    const rows = await connection.all<{ attempts: number }>('SELECT attempts FROM mailQueue');
    return rows.map(({ attempts }) => attempts);
  } finally {
    await connection.close();
  }
}

/** Lets the time pass for which a killed daemon had claimed mails. */
async function expireClaims(dataDir: string): Promise<void> {
  const connection = await openConnection(join(dataDir, 'svc.db'));
  try {
    await connection.run('UPDATE mailQueue SET nextAttemptAt = 0');
  } finally {
    await connection.close();
  }
}

test('mails queued when the daemon was killed are sent once each after a restart, and their links work', async () => {
  smtp = await startSmtpServer();
  await smtp.stop();
  const dataDir = await workplaces.folder();
  const env = { SVC_SMTP_URL: smtp.url, SVC_MAIL_FROM: 'svc@example.com', SVC_MAIL_DIR: '' };
  const first = await workplaces.start({ dataDir, env });
  const emails = Array.from({ length: 10 }, (_, index) => `person-${index}@example.com`);
  for (const email of emails) expect((await askForLink(first, email)).status).toBe(202);
  await vi.waitFor(async () => expect(Math.max(...(await attemptsOf(dataDir)))).toBeGreaterThan(0), 30_000);
  first.kill('SIGKILL');
  await first.exited;
  expect(smtp.mails).toEqual([]);
  expect(await attemptsOf(dataDir)).toHaveLength(emails.length);
  await expireClaims(dataDir);

  await smtp.restart();
  const second = await workplaces.start({ dataDir, env });
  // A mail that was sent leaves the queue, and none that left it is sent again.
  await vi.waitFor(async () => expect(await attemptsOf(dataDir)).toEqual([]), { timeout: 90_000, interval: 100 });
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
