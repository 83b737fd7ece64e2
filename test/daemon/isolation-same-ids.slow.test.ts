import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCENARIOS } from './twins/twin-scenarios.ts';
import { createTwinWorld, type Scenario, TWINS, type TwinWorld } from './twins/twin-world.ts';

/** Two tenants with the same ids in every table: only the tenant predicate of a statement separates them. */

let world: TwinWorld;
let ids: Record<string, string[]>[];
beforeAll(async () => {
  world = await createTwinWorld();
  ids = [await world.ids('ada'), await world.ids('bob')];
}, 60_000);
afterAll(() => world.close());

test('both tenants have the same ids in every table', () => {
  const [ada, bob] = ids;
  expect(ada).toEqual(bob);
  const empty = Object.entries(ada!).filter(([, ids]) => ids.length === 0);
  // The scenarios of these fill them.
  expect(empty.map(([table]) => table)).toEqual(['textsToIndex', 'unembedded']);
});

/** The rows of the other come first: a statement without its predicate finds them. */
const actor = 'bob';

/** Scenarios that leave what the later ones in their row need, and the first of which need what the daemon was filled with. */
const ROWS = [
  [
    ...['read memories', 'read a profile, the account and its usage', 'read conversations and episodes', 'search'],
    ...['add and change memories', 'use memory stores', 'manage webhooks', 'use provider keys', 'revoke the key'],
  ],
  ['address versions of memories by their row numbers', 'write conversations and episodes', 'erase memories'],
  [
    ...['learn from feedback', 'open searches and count uses', 'erase conversations and episodes'],
    ...['erase the account'],
  ],
  [
    ...['count what expires only for the other', 'keep a user whom only another hides'],
    ...['remove what is empty in both accounts'],
  ],
  [
    ...['find webhooks with changes to read', 'claim and release webhooks', 'use a space'],
    ...['change and erase many memories'],
  ],
  ['embed and find', 'read and delete deliveries', 'delete data keys that seal nothing', 'read and erase users'],
  ['extract memories', 'export and import', 'search what only the other still has'],
  [
    ...['run the statements of jobs, activity and OAuth', 'run the statements of credentials and stored searches'],
    ...['run the statements of changes, suggestions and tidying', 'run the statements of topics'],
    ...['run the statements of other stores'],
  ],
  ['hide a user and erase it later', 'hide a user of which only the conversations are left'],
];
/** The others have the rows to themselves. */
const ALONE = Object.keys(SCENARIOS).filter((name) => !ROWS.flat().includes(name));

test.each([...ROWS, ...ALONE.map((name) => [name])].map((row) => [row.join(', '), row] as const))(
  '%s: a tenant is as if alone, and changes no row of the other',
  async (_, row) => {
    const scenario: Scenario = async (twin) => {
      for (const name of row) await SCENARIOS[name]!(twin);
    };
    const together = await world.run(scenario, { actor, present: TWINS });
    const alone = await world.run(scenario, { actor, present: [actor] });
    expect(together).toEqual(alone);
  },
  60_000,
);
