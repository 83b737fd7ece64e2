import { parseEnv } from 'node:util';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { changeSettings } from '../../../src/cli/service/environment-file.ts';
import { renderLaunchdPlist } from '../../../src/cli/service/launchd-plist.ts';
import { renderScheduledTask } from '../../../src/cli/service/scheduled-task.ts';

const hasPython = (await execa('python3', ['--version'], { reject: false })).exitCode === 0;
const ODD = '/Users/a&b/"my" <apps>/svc';

describe('the launchd agent', () => {
  const agent = {
    label: 'io.github.svc-memory.svc',
    command: ['/usr/local/bin/node', ODD, 'serve', '--env-file', '/Users/ada/.config/svc/service.env'],
    workingFolder: '/Users/ada/Library/Application Support/svc',
    errorFile: '/Users/ada/Library/Logs/svc/svc.err',
  };

  test.skipIf(!hasPython)('is a property list that preserves every path', async () => {
    const program = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
    const environment = { SVC_CONFIG_DIR: ODD };
    const { stdout } = await execa('python3', ['-c', program], {
      input: renderLaunchdPlist({ ...agent, environment }),
    });
    expect(renderLaunchdPlist(agent)).not.toContain('EnvironmentVariables');
    expect(JSON.parse(stdout)).toEqual({
      EnvironmentVariables: environment,
      Label: agent.label,
      ProgramArguments: agent.command,
      WorkingDirectory: agent.workingFolder,
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ThrottleInterval: 10,
      ExitTimeOut: 35,
      Umask: 0o077,
      StandardErrorPath: agent.errorFile,
    });
  });

  test('refuses a path that XML cannot hold', () => {
    expect(() => renderLaunchdPlist({ ...agent, label: 'a\u0000' })).toThrow('control character');
  });
});

describe('the scheduled task', () => {
  const task = renderScheduledTask({
    user: 'DESK\\ada',
    command: ['C:\\Program Files\\nodejs\\node.exe', 'C:\\svc\\bin\\svc', 'serve', '--env-file', 'C:\\a & b\\'],
    workingFolder: 'C:\\Users\\ada\\AppData\\Local\\svc\\Data',
  });

  test('starts svc without a window when its user logs on', () => {
    expect(task).toContain(
      '<Arguments>--headless &quot;C:\\Program Files\\nodejs\\node.exe&quot; C:\\svc\\bin\\svc serve --env-file &quot;C:\\a &amp; b\\\\&quot;</Arguments>',
    );
    expect(task).toContain('<LogonTrigger>\n      <Enabled>true</Enabled>\n      <UserId>DESK\\ada</UserId>');
    expect(task).toContain('<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>');
  });

  test.skipIf(!hasPython)('is well-formed XML', async () => {
    const program = 'import sys, xml.dom.minidom as dom; dom.parseString(sys.stdin.buffer.read())';
    await execa('python3', ['-c', program], { input: Buffer.from(`\ufeff${task}`, 'utf16le') });
  });
});

describe('the environment file', () => {
  test('keeps its other lines, and forgets a setting with an empty value', () => {
    const before = '# comment\nSVC_PORT=1\n\nexport SVC_SIGNUP=open\nOTHER=x\n';
    const after = changeSettings(before, { SVC_PORT: '2', SVC_SIGNUP: '', SVC_QUOTAS: 'A' });
    expect(after).toBe('# comment\nSVC_PORT=2\n\nOTHER=x\nSVC_QUOTAS=A\n');
    expect(changeSettings(after, { SVC_PORT: '2' })).toBe(after);
  });

  test.each(['svc <svc@example.com>', 'a#b', '$HOME `id` \\', '"', "Ada's", 'ünï', '  '])('preserves %j', (value) => {
    const text = changeSettings(undefined, { SVC_MAIL_FROM: value });
    expect(parseEnv(text)).toMatchObject({ SVC_MAIL_FROM: value });
    expect(text.split('\n').at(-2)).toMatch(/^SVC_MAIL_FROM=('[^']*'|"[^"\\$`]*"|[^\s'"\\$`#]*)$/);
  });

  test('refuses a value that systemd and Node would read differently', () => {
    for (const value of ['"\'', "'$HOME", 'a\nb']) {
      expect(() => changeSettings(undefined, { SVC_MAIL_FROM: value })).toThrow('SVC_MAIL_FROM');
    }
  });
});
