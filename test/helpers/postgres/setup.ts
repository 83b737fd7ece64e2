import type { TestProject } from 'vitest/node';
import { migratePostgres } from '../../../src/db/postgres/migrate.ts';
import { makeTemplate } from './databases.ts';
import { startPostgres } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server of the run, as its superuser, and a migrated database that is copied for every data folder. */
    postgres: { adminUrl: string; template: string };
  }
}

/** Starts one PostgreSQL for all tests of a run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres({ parent: project.config.env.TMPDIR });
  try {
    const url = await server.createDatabase();
    await migratePostgres(url);
    const template = new URL(url).pathname.slice(1);
    await makeTemplate(server.adminUrl, template);
    project.provide('postgres', { adminUrl: server.adminUrl, template });
  } catch (error) {
    await server.close();
    throw error;
  }
  return server.close;
}
