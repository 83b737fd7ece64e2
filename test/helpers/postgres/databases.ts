import pg from 'pg';

/** The role that svc connects as: it owns its databases, is not a superuser and obeys row-level security. */
const ROLE = 'svc';

/** Creates that role; `adminUrl` is the superuser's URL. */
export async function createRole(adminUrl: string): Promise<void> {
  await asAdmin(adminUrl, (client) => client.query(`CREATE ROLE ${ROLE} LOGIN PASSWORD '${ROLE}' NOBYPASSRLS`));
}

/** Creates a database for the role, if it does not exist yet, and returns its URL. */
export async function ensureDatabase(adminUrl: string, name: string, template = 'template1'): Promise<string> {
  await asAdmin(adminUrl, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${name} OWNER ${ROLE} TEMPLATE ${template}`);
  });
  return urlOf(adminUrl, name);
}

/** Refuses connections to a database from now on, so that it can be copied at any time. */
export async function makeTemplate(adminUrl: string, name: string): Promise<void> {
  await asAdmin(adminUrl, (client) => client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false IS_TEMPLATE true`));
}

/** Drops a database, ending its connections. */
export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await asAdmin(adminUrl, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
}

function urlOf(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.username = ROLE;
  url.password = ROLE;
  url.pathname = name;
  return url.href;
}

async function asAdmin<T>(adminUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(adminUrl);
  // A server that is killed meanwhile fails the query too.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
