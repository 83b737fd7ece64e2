import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCENARIOS } from './twins/twin-scenarios.ts';
import { createTwinWorld, TWINS, type TwinWorld } from './twins/twin-world.ts';

/** Two tenants with the same ids in every table: only the tenant predicate of a statement separates them. */

let world: TwinWorld;
beforeAll(async () => {
  world = await createTwinWorld();
}, 60_000);
afterAll(() => world.close());

test('both tenants have the same ids in every table', { timeout: 60_000 }, async () => {
  const [ada, bob] = [await world.ids('ada'), await world.ids('bob')];
  expect(ada).toEqual(bob);
  const empty = Object.entries(ada).filter(([, ids]) => ids.length === 0);
  // The scenarios of these fill them.
  expect(empty.map(([table]) => table)).toEqual(['textsToIndex', 'unembedded']);
});

/** The rows of the other come first: a statement without its predicate finds them. */
const actor = 'bob';

test.each(Object.entries(SCENARIOS))(
  '%s: a tenant is as if alone, and changes no row of the other',
  async (_, scenario) => {
    const together = await world.run(scenario, { actor, present: TWINS });
    const alone = await world.run(scenario, { actor, present: [actor] });
    expect(together).toEqual(alone);
  },
  60_000,
);
