import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MoveReport } from '../src/daemon/move.ts';
import type { BenchOptions } from './benchmarks.ts';
import { MASTER_KEY, settingsOf, withPostgres } from './databases.ts';
import { fillFolder } from './fill-folder.ts';
import { inFreshFolder, runSvc } from './processes.ts';
import type { Section } from './report.ts';

/** Memories in all; half of them are one account's. */
const MEMORIES = 400_000;
const SMALL_TENANTS = 1000;

/** Measures `svc admin move` to PostgreSQL and back, with nobody writing. */
export async function benchMoving({ memories, progress }: BenchOptions): Promise<Section> {
  const total = memories?.[0] ?? MEMORIES;
  return inFreshFolder((folder) =>
    withPostgres(async (server) => {
      const [before, after] = [join(folder, 'before'), join(folder, 'after')];
      for (const dataDir of [before, after]) await mkdir(dataDir);
      progress(`filling with ${total} memories`);
      const settings = { SVC_MASTER_KEY: MASTER_KEY };
      const half = Math.ceil(total / 2);
      const groups = [
        { tenants: 1, memories: half },
        { tenants: SMALL_TENANTS, memories: Math.ceil(half / SMALL_TENANTS) },
      ];
      await fillFolder({ dataDir: before, settings, groups, seed: 14 });
      const url = await server.createDatabase();
      progress('moving to PostgreSQL');
      const there = await move(before, url, settings);
      progress('moving to SQLite');
      const back = await move(after, 'sqlite', settingsOf(url));
      return {
        name: 'moving',
        title: `svc admin move with ${total} memories of ${SMALL_TENANTS + 1} accounts, one of which has half of them`,
        rows: [
          { to: 'PostgreSQL', ...columnsOf(there) },
          { to: 'SQLite', ...columnsOf(back) },
        ],
        findings: [{ name: 'rows that differ in number', value: there.rows - back.rows, atMost: 0 }],
      };
    }),
  );
}

async function move(dataDir: string, to: string, settings: Record<string, string>): Promise<MoveReport> {
  const { output } = await runSvc(['admin', 'move', '--to', to, '--json'], dataDir, settings);
  return JSON.parse(output) as MoveReport;
}

function columnsOf({ rows, bytes, seconds, rowsPerSecond, pausedMs }: MoveReport): Record<string, number> {
  return { rows, MiB: bytes / 1024 / 1024, s: seconds, 'rows/s': rowsPerSecond, 'pause ms': pausedMs };
}
