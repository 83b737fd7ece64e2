import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { renderSystemdUnit } from '../../../src/cli/service/systemd-unit.ts';

const SYSTEM = {
  scope: 'system',
  command: ['/usr/bin/svc', 'serve'],
  dataDir: '/var/lib/svc',
  environmentFile: '/etc/svc/svc.env',
} as const;

const USER = {
  scope: 'user',
  command: ['/usr/bin/node', '/home/ada/My apps/svc/bin/svc', 'serve'],
  dataDir: '/home/ada/.local/share/svc',
  environmentFile: '/home/ada/.config/svc/service.env',
} as const;

const isInstalled = (program: string) =>
  execa(program, ['--version'], { reject: false }).then(({ exitCode }) => exitCode === 0);

describe('the systemd unit of a user', () => {
  test('runs the program as the user, and restarts it unless the configuration is invalid', () => {
    expect(renderSystemdUnit(USER)).toBe(`[Unit]
Description=svc, persistent memory for AI assistants
Documentation=https://github.com/svc-memory/svc#readme
StartLimitIntervalSec=300
StartLimitBurst=30

[Service]
Type=exec
ExecStart=/usr/bin/node "/home/ada/My apps/svc/bin/svc" serve
WorkingDirectory=/home/ada/.local/share/svc
Environment=SVC_DATA_DIR=/home/ada/.local/share/svc
EnvironmentFile=-/home/ada/.config/svc/service.env
Restart=on-failure
RestartPreventExitStatus=2
RestartSec=5
TimeoutStopSec=35
KillMode=mixed
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=default.target
`);
  });

  test('has the variables of another service', () => {
    const { environmentFile: _, ...service } = USER;
    const unit = renderSystemdUnit({ ...service, environment: { SVC_CONFIG_DIR: '/home/ada/my "svc" 5%' } });
    expect(unit).toContain('\nEnvironment="SVC_CONFIG_DIR=/home/ada/my \\"svc\\" 5%%"\n');
  });

  test('restarts with growing delays where systemd can', () => {
    expect(renderSystemdUnit({ ...USER, systemdVersion: 253 })).not.toContain('RestartSteps');
    expect(renderSystemdUnit({ ...USER, systemdVersion: 254 })).toContain('RestartSteps=8\nRestartMaxDelaySec=60\n');
  });

  test('takes paths literally, whatever characters they contain', () => {
    const unit = renderSystemdUnit({
      ...USER,
      command: ['/opt/50% "off" $HOME\\x/svc', 'serve'],
      dataDir: '/data/a b%',
    });
    expect(unit).toContain('ExecStart="/opt/50%% \\"off\\" $$HOME\\\\x/svc" serve\n');
    expect(unit).toContain('WorkingDirectory=/data/a b%%\nEnvironment="SVC_DATA_DIR=/data/a b%%"\n');
    expect(() => renderSystemdUnit({ ...USER, dataDir: '/data\nUser=root' })).toThrow('line break');
  });
});

describe('the systemd unit of the system', () => {
  test('runs as the user svc, which can write only the data folder', () => {
    const unit = renderSystemdUnit(SYSTEM);
    expect(unit).toContain('\nUser=svc\nGroup=svc\nStateDirectory=svc\nStateDirectoryMode=0700\n');
    expect(unit).toContain('\nProtectSystem=strict\nProtectHome=yes\n');
    expect(unit).toContain('\nAfter=network-online.target\n');
    expect(unit).toContain('\nWantedBy=multi-user.target\n');
    expect(unit).not.toContain('ReadWritePaths');
  });

  test('can write the folders that its settings name', () => {
    const unit = renderSystemdUnit({ ...SYSTEM, dataDir: '/srv/svc', writable: ['/backups/svc files'] });
    expect(unit).toContain('\nReadWritePaths=/srv/svc "/backups/svc files"\n');
    expect(unit).not.toContain('StateDirectory');
  });
});

test.skipIf(!(await isInstalled('systemd-analyze')))('systemd finds nothing wrong with either unit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-unit-'));
  try {
    for (const [name, service] of [
      ['svc.service', { ...SYSTEM, command: [process.execPath, 'serve'] }],
      ['svc-user.service', { ...USER, command: [process.execPath, '/a b%"$/svc', 'serve'] }],
    ] as const) {
      const file = join(folder, name);
      await writeFile(file, renderSystemdUnit(service));
      const { all } = await execa('systemd-analyze', ['verify', '--man=no', file], { all: true, reject: false });
      expect(all.split('\n').filter((line) => line.includes(name))).toEqual([]);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
