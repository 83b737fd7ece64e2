import { writeFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createSession } from '../../src/db/postgres/connection.ts';
import { type Certificate, createCertificate } from '../helpers/certificate.ts';
import { MASTER_KEY } from '../helpers/postgres/folder-databases.ts';
import { serverUser } from '../helpers/postgres/programs.ts';
import { type PostgresServer, startPostgres } from '../helpers/postgres/server.ts';
import { callAt, createWorkplaces, runCommand, signInAt } from '../helpers/process.ts';
import { type RedisServer, startRedis } from '../helpers/redis.ts';

/** The role of svc may only connect with TLS; the tests' own superuser may do without. */
const ACCESS = `host all postgres 127.0.0.1/32 scram-sha-256
hostssl all svc 0.0.0.0/0 scram-sha-256
`;

const places = createWorkplaces();
let authority: Certificate;
let certificate: Certificate;
/** Of servers that nobody uses. */
let other: Certificate;
let server: PostgresServer;
let redis: RedisServer;
let databaseUrl: string;

beforeAll(async () => {
  authority = await createCertificate(['DNS:authority.example.com']);
  certificate = await createCertificate(['IP:127.0.0.1'], serverUser(), authority);
  other = await createCertificate(['IP:127.0.0.1']);
  const accessFile = `${certificate.certificateFile}.access`;
  await writeFile(accessFile, ACCESS);
  server = await startPostgres({
    settings: {
      ssl: 'on',
      ssl_cert_file: certificate.certificateFile,
      ssl_key_file: certificate.keyFile,
      hba_file: accessFile,
    },
  });
  databaseUrl = await server.createDatabase();
  redis = await startRedis(certificate);
});
afterEach(places.clean);
afterAll(async () => {
  await Promise.all([server?.close(), redis?.close()]);
  await Promise.all([authority, certificate, other].map((one) => one?.remove()));
});

const checkedBy = ({ certificateFile }: Certificate, mode = 'verify-full') =>
  `${databaseUrl}?sslmode=${mode}&sslrootcert=${certificateFile}`;

function environment(url: string, more: Record<string, string> = {}): Record<string, string> {
  return { SVC_DATABASE_URL: url, SVC_MASTER_KEY: MASTER_KEY.toString('base64'), ...more };
}

/** Whether each session of svc is encrypted. */
async function encryptions(): Promise<boolean[]> {
  const client = new pg.Client(server.adminUrl);
  await client.connect();
  const sessions = `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'svc'`;
  const { rows } = await client.query(sessions);
  await client.end();
  return rows.map(({ ssl }) => ssl);
}

/** Whether the daemon counts requests in Redis. */
async function isCountedInRedis(url: string): Promise<boolean> {
  const response = await fetch(`${url}/metrics`);
  return /^svc_rate_limits_shared 1$/m.test(await response.text());
}

test('a daemon serves over TLS to PostgreSQL and Redis whose certificates are checked', async () => {
  const env = environment(checkedBy(authority), {
    SVC_REDIS_URL: redis.url,
    NODE_EXTRA_CA_CERTS: authority.certificateFile,
  });
  const daemon = await places.start({ dataDir: await places.folder(), env });
  const apiKey = await signInAt(daemon, 'ada@example.com');
  const added = await callAt(daemon.url, apiKey, '/v1/memories', { body: { content: 'Ada seals her letters.' } });
  expect(added.status).toBe(201);
  const found = await callAt(daemon.url, apiKey, '/v1/search', { body: { query: 'letters' } });
  expect(found.body).toMatchObject({ results: [{ content: 'Ada seals her letters.' }] });
  expect(await isCountedInRedis(daemon.url)).toBe(true);
  const sessions = await encryptions();
  expect(sessions.length).toBeGreaterThan(3);
  expect(sessions).toEqual(sessions.map(() => true));
});

test.each<[string, () => string, string]>([
  [
    'another authority',
    () => checkedBy(other),
    'has a certificate that cannot be checked (UNABLE_TO_VERIFY_LEAF_SIGNATURE). Name its authority: ?sslrootcert=ca.pem.',
  ],
  [
    'another authority and sslmode=require',
    () => checkedBy(other, 'require'),
    'has a certificate that cannot be checked',
  ],
  [
    'another authority and sslmode=verify-ca',
    () => checkedBy(other, 'verify-ca'),
    'has a certificate that cannot be checked',
  ],
  [
    'no authority and sslmode=require',
    () => `${databaseUrl}?sslmode=require`,
    'Name its authority: ?sslrootcert=ca.pem.',
  ],
  [
    'a name that the certificate does not have',
    () => checkedBy(authority).replace('127.0.0.1', 'localhost'),
    'has a certificate for another name. Use an address that its certificate names.',
  ],
  [
    'such a name and sslmode=require',
    () => checkedBy(authority, 'require').replace('127.0.0.1', 'localhost'),
    'has a certificate for another name',
  ],
  ['no TLS', () => `${databaseUrl}?sslmode=disable`, 'refuses connections without TLS. Remove sslmode=disable.'],
  ['a missing file', () => `${checkedBy(authority)}.gone`, '.gone, which cannot be read (ENOENT). Check the file.'],
  [
    'a file without a certificate',
    () => checkedBy({ ...other, certificateFile: '/dev/null' }),
    '/dev/null has no certificate in PEM format',
  ],
])('svc serve refuses to start with %s, and says what to do', async (_, url, says) => {
  const dataDir = await places.folder();
  const { exitCode, stderr } = await runCommand({ dataDir, env: environment(url()), args: ['serve'] });
  expect(stderr).toContain(says);
  expect(stderr).toContain('SVC_DATABASE_URL');
  expect(exitCode).toBe(1);
});

test('a daemon that may not check the certificate says at its start who could pose as PostgreSQL', async () => {
  const env = environment(`${databaseUrl}?sslmode=no-verify`);
  const daemon = await places.start({ dataDir: await places.folder(), env });
  expect(daemon.output.out).toContain('Whoever is between svc and PostgreSQL can pose as it: sslmode=no-verify.');
  expect(await encryptions()).toContain(true);
});

test('without sslmode, no session is opened without TLS to a server on another machine', async () => {
  const plain = await startPostgres();
  // An address that is not called local.
  const url = (await plain.createDatabase()).replace('127.0.0.1', '0.0.0.0');
  const session = createSession(url);
  try {
    await expect(session.all('SELECT 1')).rejects.toMatchObject({ code: 'unavailable' });
    const dataDir = await places.folder();
    const { stderr } = await runCommand({ dataDir, env: environment(url), args: ['serve'] });
    expect(stderr).toContain('does not offer TLS. Turn it on there');
  } finally {
    await session.close();
    await plain.close();
  }
});

test('a daemon counts alone, and logs what to do, if the certificate of Redis cannot be checked', async () => {
  const env = environment(checkedBy(authority), { SVC_REDIS_URL: redis.url });
  const daemon = await places.start({ dataDir: await places.folder(), env });
  await vi.waitFor(() => expect(daemon.output.error).toContain('Name its authority: NODE_EXTRA_CA_CERTS=ca.pem'));
  expect(await isCountedInRedis(daemon.url)).toBe(false);
  expect((await fetch(`${daemon.url}/readyz`)).status).toBe(200);
});
