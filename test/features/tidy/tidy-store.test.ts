import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Connection, openConnection, type Reader } from '../../../src/db/connection.ts';
import { findOpenTidyJob, listJobsOfUser } from '../../../src/features/jobs/jobs-store.ts';
import { listTidySchedules } from '../../../src/features/providers/provider-settings-store.ts';
import { listOpenAbout } from '../../../src/features/suggestions/suggestions-store.ts';
import { isChangedSince, listIdsToTidy, tidyFilterOf } from '../../../src/features/tidy/tidy-store.ts';
import { clustersOf, MAX_CLUSTER } from '../../../src/features/tidy/work-list.ts';
import { createDatabaseFolder, type DatabaseFolder } from '../../db/database-folder.ts';
import { plannedBy } from '../../db/statement-plan.ts';

let place: DatabaseFolder;
let connection: Connection;

beforeAll(async () => {
  place = await createDatabaseFolder();
  connection = await openConnection(place.file, { readOnly: true });
});

afterAll(async () => {
  await connection.close();
  await place.clean();
});

const USER = { tenantId: 'ten_1', endUser: 'ada' };

test.each<[string, (reader: Reader) => Promise<unknown>]>([
  [
    'the next memories',
    (reader) => {
      const filter = tidyFilterOf({ tenantId: 'ten_1', user: 'ada', project: 'x' }, 1);
      return listIdsToTidy(reader, filter, { afterId: 'mem_1', limit: 9 });
    },
  ],
  ['a changed memory', (reader) => isChangedSince(reader, { ...USER, sinceMs: 1 })],
  ['suggestions about memories', (reader) => listOpenAbout(reader, 'ten_1', ['mem_1'], 9)],
  ['an open job', (reader) => findOpenTidyJob(reader, { ...USER, project: null })],
  ['the jobs of a user', (reader) => listJobsOfUser(reader, 'ten_1', 'ada')],
  ['schedules', (reader) => listTidySchedules(reader, '', 9)],
])('%s: read by index, without a scan or a sort', async (_what, ask) => {
  const plan = await plannedBy(connection, ask);
  expect(plan).not.toEqual([]);
  expect(plan.filter((line) => /^SCAN (?!t\b)|TEMP B-TREE FOR ORDER BY/.test(line))).toEqual([]);
});

describe('clusters', () => {
  const letters = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`);

  test('have each item once, and none that has no neighbors', () => {
    const neighbors = new Map([
      ['a', ['b']],
      ['b', ['a', 'x']],
      ['c', []],
      ['d', ['x']],
    ]);
    expect(clustersOf(neighbors)).toEqual([['a', 'b', 'x', 'd']]);
  });

  test('are bounded where all are like one, and leave none of them alone', () => {
    for (const count of [12, 13, 14, 24, 25, 26, 50]) {
      const clusters = clustersOf(new Map(letters(count).map((id) => [id, ['hub']])));
      expect(clusters.flat().sort()).toEqual(['hub', ...letters(count)].sort());
      for (const { length } of clusters) {
        expect(length).toBeGreaterThan(1);
        expect(length).toBeLessThanOrEqual(MAX_CLUSTER + 1);
      }
    }
  });
});
