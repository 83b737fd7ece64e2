import { afterEach, describe, expect, test, vi } from 'vitest';
import { displayWidth } from '../../../src/cli/memory/terminal-text.ts';
import { createStyle } from '../../../src/cli/output.ts';
import { formatLogLine } from '../../../src/cli/serve-terminal/log-line.ts';
import { createPlainOutput, createScreenOutput } from '../../../src/cli/serve-terminal/serve-output.ts';
import { createLog } from '../../../src/daemon/log.ts';

const FACTS = {
  version: '1.2.3',
  url: 'http://127.0.0.1:8787',
  data: '/home/ada/.local/share/svc',
  mail: 'shown here (no SVC_SMTP_URL is set)',
  warnings: ['Other users can open svc.db in /home/ada/.local/share/svc. Run chmod 700 /home/ada/.local/share/svc.'],
  isEmpty: true,
};
const LINK = `http://127.0.0.1:8787/v1/auth/callback?token=${'t'.repeat(43)}`;
const MAIL = ['┌────', '│ To:      ada@example.com', '│ Subject: Sign in to svc', '│', `│ ${LINK}`, '└────', ''].join(
  '\n',
);
const ESCAPE = /\u001b\[[\d;]*m/g;

function screen(color: boolean, columns = 80) {
  const written: string[] = [];
  const output = createScreenOutput((text) => written.push(text), { columns, color });
  return { output, text: () => written.join('') };
}

/** The daemon's log as a screen shows it. */
function shown(work: (log: ReturnType<typeof createLog>) => void): string {
  const { output, text } = screen(false);
  output.started({ ...FACTS, warnings: [] });
  const before = text().length;
  work(createLog('trace', output.log));
  return text().slice(before);
}

afterEach(() => vi.useRealTimers());

describe('svc serve at a terminal', () => {
  test('says where everything is, what is wrong and what to do next, within the width', () => {
    const { output, text } = screen(false, 60);
    output.started(FACTS);
    for (const part of ['Web app  http://127.0.0.1:8787/dashboard', '! Other users can open', 'svc login', '1.2.3']) {
      expect(text()).toContain(part);
    }
    for (const line of text().split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(60);
  });

  test('suggests signing in only until there is an account', () => {
    const { output, text } = screen(false);
    output.started({ ...FACTS, isEmpty: false });
    expect(text()).toContain('svc service install');
    expect(text()).not.toContain('svc login');
  });

  test('shows a mail with its link in one piece, also where the terminal is narrower', () => {
    const { output, text } = screen(true, 40);
    output.mail(MAIL);
    expect(text()).toContain(`\u001b[1;4;36m${LINK}\u001b[22;24;39m\n`);
  });

  test('shows the same text without color as with it', () => {
    // Lines of the log begin with the second.
    vi.useFakeTimers({ toFake: ['Date'] });
    const [plain, colored] = [screen(false), screen(true)];
    for (const { output } of [plain, colored]) {
      output.started(FACTS);
      output.mail(MAIL);
      createLog('info', output.log).warn({ chore: 'back up' }, 'background task failed');
    }
    expect(plain.text()).not.toMatch(ESCAPE);
    expect(colored.text()).toMatch(ESCAPE);
    expect(colored.text().replace(ESCAPE, '')).toBe(plain.text());
  });

  test('shows only warnings before it has started', () => {
    const { output, text } = screen(false);
    const log = createLog('info', output.log);
    log.info({}, 'Server listening');
    log.warn({}, 'reindexing');
    expect(text()).toMatch(/^\d\d:\d\d:\d\d ! reindexing\n$/);
  });
});

describe('a line of the log, for people', () => {
  test('has time, status, method, path and duration of a request', () => {
    const request = { method: 'GET', route: '/v1/memories/:id', status: 404, ms: 3.4, tenantId: 'ten_1' };
    expect(shown((log) => log.info(request, 'request'))).toMatch(
      /^\d\d:\d\d:\d\d {3}404 GET {4}\/v1\/memories\/:id {2}3 ms\n$/,
    );
  });

  test('marks warnings and errors, and adds fields and the stack of an error', () => {
    const error = new Error('disk I/O error');
    expect(shown((log) => log.warn({ error, chore: 'back up' }, 'background task failed'))).toMatch(
      / ! background task failed {2}error=disk I\/O error chore=back up\n$/,
    );
    const [first, second] = shown((log) => log.error({ error }, 'failed')).split('\n');
    expect(first).toMatch(/ ✗ failed {2}error=disk I\/O error$/);
    expect(second).toMatch(/^ {11}at .*serve-output\.test/);
  });

  test('cannot move the cursor, whatever was logged', () => {
    const line = shown((log) => log.info({ name: '\u001b[2J\nx' }, 'two\nlines\u001b[H'));
    expect(line.split('\n')).toHaveLength(2);
    expect(line).not.toContain('\u001b');
    expect(formatLogLine('not JSON \u001b[2J', createStyle(false))).toBe('not JSON ␛[2J');
  });
});

test('svc serve away from a terminal writes the log as JSON, and mails in one piece', () => {
  const written = { out: '', error: '' };
  const output = createPlainOutput(
    (text) => {
      written.out += text;
    },
    (text) => {
      written.error += text;
    },
  );
  output.started(FACTS);
  output.mail(MAIL);
  createLog('info', output.log).info({}, 'svc is running');
  expect(written.out).toContain('svc is running at http://127.0.0.1:8787\n');
  expect(written.out).toContain(`│ ${LINK}\n`);
  expect(JSON.parse(written.error)).toMatchObject({ msg: 'svc is running' });
});
