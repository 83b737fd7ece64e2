import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { MASTER_KEY } from '../helpers/postgres/folder-databases.ts';
import { startPostgres } from '../helpers/postgres/server.ts';
import { createWorkplaces, type DaemonProcess, runCommand, signInAt } from '../helpers/process.ts';
import { expectStored, type Load, untilWritten, writeAll } from './acknowledged-writes.ts';

/** `TEST_CRASHES=3` is enough while developing. */
const KILLS = Number(process.env.TEST_CRASHES ?? 6);
const TENANTS = 3;
/** Of each tenant, at each daemon. */
const WRITERS = 2;

const places = createWorkplaces();
afterEach(places.clean);

test(`kill -9 of PostgreSQL or of a daemon, ${KILLS} times under load, loses no acknowledged write and stores none twice (row 86)`, async () => {
  const server = await startPostgres({ isDurable: true });
  places.endLater({ end: server.close });
  const databaseUrl = await server.createDatabase();
  const env = {
    SVC_DATABASE_URL: databaseUrl,
    SVC_MASTER_KEY: MASTER_KEY.toString('base64'),
    SVC_DEFAULT_TIER: 'Enterprise',
  };
  const folders = [await places.folder(), await places.folder()];
  const daemons: DaemonProcess[] = await Promise.all(folders.map((dataDir) => places.start({ dataDir, env })));
  const apiKeys: string[] = [];
  for (let tenant = 0; tenant < TENANTS; tenant += 1) {
    apiKeys.push(await signInAt(daemons[tenant % 2]!, `ada-${tenant}@example.com`));
  }

  const load: Load = { written: [], refused: 0, stopping: false };
  const writers = apiKeys.flatMap((apiKey, tenant) =>
    folders.flatMap((_, at) =>
      Array.from({ length: WRITERS }, (_, index) =>
        writeAll(load, () => daemons[at]!.url, apiKey, `writer-${tenant}-${at}-${index}`),
      ),
    ),
  );
  const killed = { server: 0, daemon: 0 };
  for (let kill = 0; kill < KILLS; kill += 1) {
    await untilWritten(load, 20 + Math.random() * 60);
    await sleep(Math.random() * 20);
    if (kill % 2 === 0) {
      await server.kill();
      await sleep(Math.random() * 300);
      await server.start();
      killed.server += 1;
    } else {
      const at = Math.floor(kill / 2) % daemons.length;
      daemons[at]!.kill('SIGKILL');
      await daemons[at]!.exited;
      daemons[at] = await places.start({ dataDir: folders[at]!, env });
      killed.daemon += 1;
    }
  }
  await untilWritten(load, 20);
  load.stopping = true;
  await Promise.all(writers);

  console.info(
    `killed ${JSON.stringify(killed)}: ${load.written.length} acknowledged, ${load.refused} refused and repeated`,
  );
  await expectStored(load, daemons[0]!.url, databaseUrl);
  const check = await runCommand({ dataDir: folders[0]!, env, args: ['admin', 'check', '--json'] });
  expect(JSON.parse(check.stdout)).toEqual({ sound: true, problems: [] });
});
