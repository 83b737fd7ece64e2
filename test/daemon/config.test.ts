import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CONFIG_FLAGS, ConfigError, describeConfig, readConfig, readServiceConfig } from '../../src/daemon/config.ts';
import type { Config } from '../../src/daemon/config-settings.ts';

const KEY = randomBytes(32);

/** Every setting: its names, texts that it accepts with their values, and texts that it rejects. */
const SETTINGS: [name: keyof Config, env: string, takes: [text: string, value: unknown][], refuses: string[]][] = [
  [
    'publicUrl',
    'SVC_PUBLIC_URL',
    [
      ['https://memory.example.com', 'https://memory.example.com'],
      ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
    ],
    ['memory.example.com', 'ftp://a', 'https://a/path', 'https://a?q', 'https://u@a', 'https://:p@a', 'javascript:1'],
  ],
  [
    'host',
    'SVC_HOST',
    [
      ['0.0.0.0', '0.0.0.0'],
      ['::1', '::1'],
    ],
    [],
  ],
  [
    'port',
    'SVC_PORT',
    [
      ['0', 0],
      ['65535', 65535],
    ],
    ['65536', '-1', '80.5', '0x50', '1e3', 'http', '80 80'],
  ],
  [
    'dataDir',
    'SVC_DATA_DIR',
    [
      ['/srv/svc', '/srv/svc'],
      ['here', 'here'],
    ],
    [],
  ],
  [
    'databaseUrl',
    'SVC_DATABASE_URL',
    [
      ['postgres://svc:p@db.example.com/svc', 'postgres://svc:p@db.example.com/svc'],
      ['postgresql://localhost:5433/svc?sslmode=disable', 'postgresql://localhost:5433/svc?sslmode=disable'],
    ],
    ['db.example.com', 'mysql://db.example.com/svc', 'postgres:'],
  ],
  [
    'redisUrl',
    'SVC_REDIS_URL',
    [
      ['redis://127.0.0.1:6379', 'redis://127.0.0.1:6379'],
      ['rediss://:p@cache.example.com/1', 'rediss://:p@cache.example.com/1'],
    ],
    ['cache.example.com', 'http://cache.example.com', 'redis:'],
  ],
  [
    'smtpUrl',
    'SVC_SMTP_URL',
    [
      ['smtp://localhost:25', 'smtp://localhost:25'],
      ['smtps://u:p@mail.example.com', 'smtps://u:p@mail.example.com'],
    ],
    ['mail.example.com', 'http://mail.example.com', 'smtp:', 'smtp://'],
  ],
  [
    'mailFrom',
    'SVC_MAIL_FROM',
    [
      ['svc@example.com', 'svc@example.com'],
      ['S <s@example.com>', 'S <s@example.com>'],
    ],
    ['svc', 'a@b, c@d', 'S <s>', 'a@b\r\nBcc: c@d'],
  ],
  [
    'mailDir',
    'SVC_MAIL_DIR',
    [
      ['/srv/mail', '/srv/mail'],
      ['mail', 'mail'],
    ],
    [],
  ],
  [
    'signup',
    'SVC_SIGNUP',
    [
      ['invite', 'invite'],
      ['closed', 'closed'],
    ],
    ['Open', 'yes', 'none'],
  ],
  [
    'signupDomains',
    'SVC_SIGNUP_DOMAINS',
    [
      ['example.com', ['example.com']],
      [' Example.com , münchen.example,', ['example.com', 'xn--mnchen-3ya.example']],
    ],
    ['@example.com', 'a@example.com', 'exa mple.com', 'https://example.com'],
  ],
  [
    'spaces',
    'SVC_SPACES',
    [
      ['operator', 'operator'],
      ['everyone', 'everyone'],
    ],
    ['nobody', 'Everyone'],
  ],
  [
    'quotas',
    'SVC_QUOTAS',
    [
      ['A', 'A'],
      ['B', 'B'],
    ],
    ['a', 'C'],
  ],
  [
    'storageLimits',
    'SVC_STORAGE_LIMITS',
    [
      ['Free=2GiB', { Free: 2 * 1024 ** 3, Pro: 50 * 1024 ** 3, Enterprise: null }],
      [' Enterprise = 1TiB , Free=none,Pro=1500 ', { Free: null, Pro: 1500, Enterprise: 1024 ** 4 }],
      ['Free=64KiB,Pro=10 MiB', { Free: 65_536, Pro: 10_485_760, Enterprise: null }],
      ['Free=0', { Free: 0, Pro: 50 * 1024 ** 3, Enterprise: null }],
    ],
    ['free=1GiB', 'Free', 'Free=', 'Free=1GB', 'Free=-1', 'Free=1.5GiB', '1GiB', 'Gold=1GiB', 'Free=1GiB,Free=2GiB'],
  ],
  [
    'defaultTier',
    'SVC_DEFAULT_TIER',
    [
      ['Pro', 'Pro'],
      ['Enterprise', 'Enterprise'],
    ],
    ['pro', 'Gold'],
  ],
  [
    'masterKeys',
    'SVC_MASTER_KEY',
    [
      [KEY.toString('base64'), [KEY]],
      [KEY.toString('base64').replace('=', ''), [KEY]],
      [`${Buffer.alloc(32, 9).toString('base64')}, ${KEY.toString('base64')}`, [Buffer.alloc(32, 9), KEY]],
    ],
    [
      'short',
      ',',
      `${KEY.toString('base64')},short`,
      KEY.toString('hex'),
      `${KEY.toString('base64')}!!`,
      randomBytes(31).toString('base64'),
    ],
  ],
  [
    'trustProxy',
    'SVC_TRUST_PROXY',
    [
      ['loopback', ['loopback']],
      ['10.0.0.0/8, fd00::/8', ['10.0.0.0/8', 'fd00::/8']],
    ],
    ['yes', 'true', '1', 'dead', '10.0.0.0/33', '10.0.0.0/8/8', '300.1.1.1', 'loopback,proxy.example.com'],
  ],
  [
    'corsOrigins',
    'SVC_CORS_ORIGINS',
    [
      ['https://app.example.com', ['https://app.example.com']],
      ['https://A.example.com, http://127.0.0.1:3000', ['https://a.example.com', 'http://127.0.0.1:3000']],
    ],
    ['*', 'https://*.example.com', 'app.example.com', 'https://a.example/x', 'https://a.example/', 'null'],
  ],
  [
    'metricsToken',
    'SVC_METRICS_TOKEN',
    [
      ['abc', 'abc'],
      ['d e', 'd e'],
    ],
    [],
  ],
  [
    'providerHosts',
    'SVC_PROVIDER_HOSTS',
    [
      ['127.0.0.1:11434', [{ host: '127.0.0.1', port: 11_434 }]],
      [
        'Ollama.lan, [::1]:80',
        [
          { host: 'ollama.lan', port: undefined },
          { host: '::1', port: 80 },
        ],
      ],
    ],
    ['http://127.0.0.1', '127.0.0.1:0', '127.0.0.1:70000', '*', '::1'],
  ],
  [
    'embeddings',
    'SVC_EMBEDDINGS',
    [
      [
        'https://:k%40y@embed.example.com/api/v1/#text-3',
        { speaks: 'openai', url: 'https://embed.example.com/api/v1', model: 'text-3', key: 'k@y' },
      ],
      [
        'ollama+http://127.0.0.1:11434#nomic:v1.5',
        { speaks: 'ollama', url: 'http://127.0.0.1:11434', model: 'nomic:v1.5', key: undefined },
      ],
      ['/var/lib/models/all#1', { folder: '/var/lib/models/all#1' }],
      ['file:///var/lib/my%20models/', { folder: '/var/lib/my models/' }],
      ['./models/small', { folder: resolve('models/small') }],
    ],
    [
      'nomic',
      'http://127.0.0.1:8080/v1',
      'http://127.0.0.1:8080/v1#',
      'ftp://127.0.0.1#m',
      'ollama+ftp://127.0.0.1#m',
      'http://key@127.0.0.1/v1#m',
      'http://127.0.0.1/v1?a=b#m',
      'http://127.0.0.1/v1/embeddings#m',
      'ollama+http://127.0.0.1/api/embed#m',
      'http://:a%20b@127.0.0.1/v1#m',
      'http://:%@127.0.0.1/v1#m',
      'models/small',
      'file://elsewhere/models/small',
    ],
  ],
  [
    'redact',
    'SVC_REDACT',
    [
      ['on', 'on'],
      ['off', 'off'],
    ],
    ['true', 'no', 'ON '],
  ],
  [
    'oauth',
    'SVC_OAUTH',
    [
      ['on', 'on'],
      ['off', 'off'],
    ],
    ['true', 'ON '],
  ],
  [
    'logLevel',
    'SVC_LOG_LEVEL',
    [
      ['debug', 'debug'],
      ['silent', 'silent'],
    ],
    ['loud', 'INFO'],
  ],
  [
    'logFormat',
    'SVC_LOG_FORMAT',
    [
      ['json', 'json'],
      ['text', 'text'],
    ],
    ['JSON', 'pretty'],
  ],
  [
    'logFile',
    'SVC_LOG_FILE',
    [
      ['/var/log/svc.log', '/var/log/svc.log'],
      ['svc.log', 'svc.log'],
    ],
    [],
  ],
  [
    'backupSchedule',
    'SVC_BACKUP_SCHEDULE',
    [
      ['daily 04:30', { every: 'day', hour: 4, minute: 30 }],
      ['off', 'off'],
    ],
    ['nightly', 'daily 25:00', '0 3 * * *'],
  ],
  [
    'backupKeep',
    'SVC_BACKUP_KEEP',
    [
      ['14', 14],
      ['1', 1],
    ],
    ['0', '-1', '1.5', 'all', '10000'],
  ],
  [
    'backupDir',
    'SVC_BACKUP_DIR',
    [
      ['/backups', '/backups'],
      ['backups', 'backups'],
    ],
    [],
  ],
  [
    'updateCheck',
    'SVC_UPDATE_CHECK',
    [
      ['on', 'on'],
      ['off', 'off'],
    ],
    ['daily', 'true'],
  ],
  [
    'updateUrl',
    'SVC_UPDATE_URL',
    [
      ['https://a.example.com/latest', 'https://a.example.com/latest'],
      ['http://127.0.0.1:9/', 'http://127.0.0.1:9/'],
    ],
    ['latest', 'ftp://a/latest'],
  ],
];

/** What a setting requires beside it. */
const REQUIRED: Record<string, Record<string, string>> = {
  SVC_SMTP_URL: { SVC_MAIL_FROM: 'svc@example.com' },
  SVC_DATABASE_URL: { SVC_MASTER_KEY: KEY.toString('base64') },
  SVC_REDIS_URL: { SVC_MASTER_KEY: KEY.toString('base64'), SVC_DATABASE_URL: 'postgres://db.example.com/svc' },
};
const requiredBy = (env: string) => REQUIRED[env] ?? {};

describe('every setting', () => {
  test('is in this table and has a flag', () => {
    expect(CONFIG_FLAGS.map(({ name }) => name)).toEqual(SETTINGS.map(([name]) => name));
    for (const { name, flag, about } of CONFIG_FLAGS) {
      const env = SETTINGS.find(([setting]) => setting === name)?.[1] ?? '';
      expect(flag).toMatch(new RegExp(`^--${env.slice(4).toLowerCase().replaceAll('_', '-')} <`));
      expect(about).toContain(`[${env}]`);
    }
  });

  test.each(SETTINGS)('%s is read from the environment, from .env and from a flag', (name, env, [first]) => {
    const [text, value] = first!;
    expect(readConfig({}, { ...requiredBy(env), [env]: text }, '')[name]).toEqual(value);
    expect(readConfig({}, requiredBy(env), `${env}="${text}"`)[name]).toEqual(value);
    expect(readConfig({ [name]: text }, requiredBy(env), '')[name]).toEqual(value);
  });

  test.each(SETTINGS)(
    '%s: a flag overrides the environment, which overrides .env, which overrides the default',
    (name, env, [first, second]) => {
      const [text, value] = first!;
      const [other, otherValue] = second!;
      expect(readConfig({ [name]: text }, { ...requiredBy(env), [env]: other }, `${env}="${other}"`)[name]).toEqual(
        value,
      );
      expect(readConfig({}, { ...requiredBy(env), [env]: text }, `${env}="${other}"`)[name]).toEqual(value);
      expect(readConfig({}, requiredBy(env), `${env}="${other}"`)[name]).toEqual(otherValue);
    },
  );

  test.each(SETTINGS)('%s has its default value if it is empty', (name, env) => {
    expect(readConfig({}, { [env]: ' ' }, '')[name]).toEqual(readConfig({}, {}, '')[name]);
  });

  test.each(SETTINGS.flatMap(([name, env, , refuses]) => refuses.map((text) => [env, text, name] as const)))(
    '%s rejects %j and names the setting',
    (env, text) => {
      const read = () => readConfig({}, { ...requiredBy(env), [env]: text }, '');
      expect(read).toThrow(ConfigError);
      expect(read).toThrow(new RegExp(`^${env} must be`));
    },
  );
});

describe('the configuration as a whole', () => {
  test('has defaults for every setting', () => {
    const config = readConfig({}, {}, '');
    expect(config).toMatchObject({ host: '127.0.0.1', port: 8787, signup: 'open', quotas: 'B', defaultTier: 'Free' });
    expect(config.storageLimits).toEqual({ Free: 1024 ** 3, Pro: 50 * 1024 ** 3, Enterprise: null });
    expect(config.dataDir).toMatch(/svc/);
  });

  test('reports all problems at once, one per line', () => {
    const read = () => readConfig({ port: 'x' }, { SVC_QUOTAS: 'C', SVC_NOTHING: '1' }, 'SVC_LOG_LEVEL=loud');
    const lines = faultsOf(read);
    expect(lines).toHaveLength(4);
    for (const name of ['SVC_PORT', 'SVC_QUOTAS', 'SVC_NOTHING', 'SVC_LOG_LEVEL']) {
      expect(lines.some((line) => line.startsWith(name))).toBe(true);
    }
  });

  test.each([
    ['the environment', { SVC_PUBLICURL: 'x' }, '', /^SVC_PUBLICURL is not a setting/],
    ['.env', {}, 'SVC_PUBLICURL=x', /^SVC_PUBLICURL in \.env is not a setting/],
    ['.env with a byte order mark', {}, '\uFEFFSVC_PUBLICURL=x', /^SVC_PUBLICURL in \.env is not a setting/],
  ])('an unknown name in %s is rejected', (_where, environment, dotEnv, says) => {
    expect(() => readConfig({}, environment, dotEnv)).toThrow(says);
  });

  test('daemons that share a database need a master key to share', () => {
    const read = () => readConfig({}, { SVC_DATABASE_URL: 'postgres://db.example.com/svc' }, '');
    expect(read).toThrow('SVC_MASTER_KEY is required with SVC_DATABASE_URL');
  });

  test('Redis without PostgreSQL is rejected rather than ignored', () => {
    expect(() => readConfig({}, { SVC_REDIS_URL: 'redis://localhost' }, '')).toThrow('SVC_REDIS_URL needs');
  });

  test('ignores names of other programs and of the command line', () => {
    const environment = { PATH: '/bin', SVCX: '1', SVC_URL: 'http://a', SVC_PROFILE: 'b', SVC_API_KEY: 'c' };
    expect(readConfig({}, environment, 'OTHER=1').port).toBe(8787);
    const others = {
      SVC_SPACE: 'team',
      SVC_INSTALL_DIR: '/opt/svc',
      SVC_BIN_DIR: '/usr/local/bin',
      SVC_VERSION: '1.0.0',
    };
    expect(readConfig({}, others, '').port).toBe(8787);
  });

  test('of an installed service stands where nothing else says where the database is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-config-'));
    const file = join(folder, 'service.env');
    onTestFinished(() => rm(folder, { recursive: true }));
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('SVC_DATA_DIR', undefined);
    expect(await readServiceConfig(file, '/of/the/layout')).toBeUndefined();
    await writeFile(file, 'SVC_PORT=9001\n');
    expect(await readServiceConfig(file, '/of/the/layout')).toMatchObject({ port: 9001, dataDir: '/of/the/layout' });
    await writeFile(file, 'SVC_PORT=9001\nSVC_DATA_DIR="/of the service"\n');
    vi.stubEnv('SVC_PORT', '9002');
    expect(await readServiceConfig(file, '/of/the/layout')).toMatchObject({ port: 9002, dataDir: '/of the service' });
    vi.stubEnv('SVC_DATA_DIR', '/named');
    expect(await readServiceConfig(file, '/of/the/layout')).toBeUndefined();
  });

  test('reads .env with a byte order mark, CRLF, comments, quotes and export', () => {
    const dotEnv =
      '\uFEFFSVC_PORT=1234\r\n# SVC_NOTHING=1\r\nexport SVC_QUOTAS="A" # variant\r\n\r\nSVC_HOST = \'::1\'\r\n';
    expect(readConfig({}, {}, dotEnv)).toMatchObject({ port: 1234, quotas: 'A', host: '::1' });
  });

  test('a mail server needs a sender', () => {
    expect(() => readConfig({}, { SVC_SMTP_URL: 'smtp://localhost' }, '')).toThrow('SVC_MAIL_FROM is required');
    const environment = { SVC_SMTP_URL: 'smtp://localhost', SVC_MAIL_FROM: 'svc@example.com' };
    expect(readConfig({}, environment, '').smtpUrl).toBe('smtp://localhost');
  });

  test('errors do not quote secrets', () => {
    const secret = 'hunter2hunter2';
    const read = () =>
      readConfig({}, { SVC_SMTP_URL: `http://u:${secret}@a`, SVC_MASTER_KEY: secret, SVC_METRICS_TOKEN: secret }, '');
    const embeddings = () => readConfig({}, { SVC_EMBEDDINGS: `http://:${secret}@a/v1` }, '');
    expect(faultsOf(embeddings).join('\n')).not.toContain(secret);
    expect(faultsOf(read).join('\n')).not.toContain(secret);
  });

  test('shows the effective settings with only the secrets masked', () => {
    const environment = {
      SVC_SMTP_URL: 'smtp://u:hunter2@localhost',
      SVC_MAIL_FROM: 'svc@example.com',
      SVC_MASTER_KEY: KEY.toString('base64'),
      SVC_METRICS_TOKEN: 'hunter2',
      SVC_SIGNUP_DOMAINS: 'a.example,b.example',
      SVC_EMBEDDINGS: 'https://:hunter2@embed.example.com/v1#model',
    };
    const shown = describeConfig(readConfig({}, environment, ''));
    expect(JSON.stringify(shown)).not.toMatch(/hunter2|[A-Za-z0-9+/]{43}/);
    expect(shown).toMatchObject({
      SVC_SMTP_URL: '********',
      SVC_MASTER_KEY: '********',
      SVC_METRICS_TOKEN: '********',
      SVC_PORT: 8787,
      SVC_EMBEDDINGS: 'https://:********@embed.example.com/v1#model',
      SVC_SIGNUP_DOMAINS: ['a.example', 'b.example'],
      SVC_STORAGE_LIMITS: 'Free=1GiB,Pro=50GiB,Enterprise=none',
      SVC_PUBLIC_URL: null,
    });
  });
});

function faultsOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  throw new Error('nothing was rejected');
}
