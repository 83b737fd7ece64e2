import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import { connectionUrl, databaseUrl } from '../../src/db/postgres/url.ts';

const HOSTS = ['db.example.com', '10.0.0.7', 'localhost', '127.0.0.1', '[::1]', '[2001:db8::1]'];
const PARAMETERS = [
  'host',
  'ssl',
  'sslmode',
  'sslnegotiation',
  'uselibpqcompat',
  'channel_binding',
  'application_name',
];
const VALUES = [
  ...['', '0', '1', 'true', 'false', 'direct', 'a'],
  ...['allow', 'disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full', 'Verify-Full'],
  ...['localhost', '/run/postgresql', 'db.example.com', 'db.example.com,localhost'],
];

/** What the driver would do with the URL that svc passes on. */
function tlsOf(text: string): { host: string; tls: 'none' | 'unchecked' | 'checked' } {
  const { host, ssl } = new pg.Client({ connectionString: connectionUrl(text) }) as unknown as {
    host: string;
    ssl: boolean | { rejectUnauthorized?: boolean; checkServerIdentity?: unknown };
  };
  if (ssl === false) return { host, tls: 'none' };
  const isWeak = typeof ssl === 'object' && (ssl.rejectUnauthorized === false || ssl.checkServerIdentity !== undefined);
  return { host, tls: isWeak ? 'unchecked' : 'checked' };
}

test('with every URL that is accepted, the certificate of another machine is checked unless sslmode says disable or no-verify', () => {
  const parameters = fc.array(fc.tuple(fc.constantFrom(...PARAMETERS), fc.constantFrom(...VALUES)), { maxLength: 3 });
  let accepted = 0;
  fc.assert(
    fc.property(fc.constantFrom(...HOSTS), parameters, (name, given) => {
      const text = `postgres://svc:p@${name}/svc?${new URLSearchParams(given)}`;
      try {
        databaseUrl(text);
      } catch {
        return;
      }
      accepted += 1;
      const { host, tls } = tlsOf(text);
      const mode = new URL(text).searchParams.get('sslmode');
      if (mode === 'no-verify') expect(tls).toBe('unchecked');
      else if (mode === 'disable') expect(tls).toBe('none');
      else if (mode !== null) expect(tls).toBe('checked');
      else expect(tls).toBe(/^(localhost|127\.0\.0\.1|::1|\/.*)$/.test(host) ? 'none' : 'checked');
    }),
    { numRuns: 3000 },
  );
  expect(accepted).toBeGreaterThan(100);
});

test.each([
  ['sslmode=prefer', 'has sslmode=prefer: use verify-full, or disable on a network that you trust'],
  ['sslmode=', 'has sslmode=: use verify-full'],
  ['ssl=true', 'has the parameter ssl, which svc does not support: remove it'],
  ['sslmode=require&uselibpqcompat=true', 'has the parameter uselibpqcompat'],
  ['target_session_attrs=read-write', 'has the parameter target_session_attrs'],
  ['sslmode=verify-full&sslmode=disable', 'has sslmode more than once: keep one of them'],
  ['host=a.example.com,b.example.com', 'names several hosts, and svc connects to one'],
])('refuses %s and says what to do', (parameters, says) => {
  expect(() => databaseUrl(`postgres://svc@db.example.com/svc?${parameters}`)).toThrow(says);
});

test.each(['postgres://a.example.com,b.example.com/svc', 'postgres://u:p@a.example.com:5432,b.example.com:5432/svc'])(
  'refuses several hosts: %s',
  (text) => {
    expect(() => databaseUrl(text)).toThrow('use the address that follows the primary');
  },
);

test('a comma in a password is not a list of hosts', () => {
  const text = 'postgres://svc:a,b@db.example.com/svc';
  expect(databaseUrl(text)).toBe(text);
});
