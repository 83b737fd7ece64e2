import sqlite3 from 'sqlite3';
import { SCENARIOS } from '../../daemon/twins/twin-scenarios.ts';
import { createTwinWorld, type Records, TWINS, type TwinName, type TwinWorld } from '../../daemon/twins/twin-world.ts';
import { predicatesIn, withoutPredicate } from './mutate-sql.ts';

// Runs the mutants: for each predicate of the statements that a scenario executes, the scenario again
// without it, until one sees a difference. Prints one line of JSON per predicate.

const [ids = '[]'] = process.argv.slice(2);

/** The predicate that is left out, and those that were executed. */
const state = { without: undefined as number | undefined, executed: new Set<number>() };

type Done = (error: NodeJS.ErrnoException | null) => void;
type Prepare = (this: sqlite3.Database, sql: string, done: Done) => sqlite3.Statement;
const driver = sqlite3.Database.prototype as unknown as Record<'prepare' | 'exec', Prepare>;
for (const method of ['prepare', 'exec'] as const) {
  const original = driver[method];
  driver[method] = function (sql, done) {
    for (const id of predicatesIn(sql)) state.executed.add(id);
    const mutant = state.without === undefined ? sql : withoutPredicate(sql, state.without);
    return original.call(this, mutant, (error) => {
      // A scenario would notice it, but for the wrong reason.
      if (mutant !== sql && error?.code === 'SQLITE_ERROR') throw new Error(`${error.message} in ${mutant}`);
      done?.(error);
    });
  };
}
// A statement without its predicate may fail in background work, too.
process.on('unhandledRejection', () => {});

interface Baseline {
  name: string;
  actor: TwinName;
  executed: ReadonlySet<number>;
  records: Records;
  /** Whether it was run again with the same records. */
  isRepeatable: boolean;
}

const cast = (actor: TwinName) => ({ actor, present: TWINS });

async function baselines(world: TwinWorld): Promise<Baseline[]> {
  const found: Baseline[] = [];
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    // The rows of the first twin come first, so that the second sees them where its predicate is missing.
    for (const actor of TWINS.toReversed()) {
      state.executed = new Set();
      const records = await world.run(scenario, cast(actor));
      found.push({ name, actor, executed: state.executed, records, isRepeatable: false });
    }
  }
  return found.sort((a, b) => a.executed.size - b.executed.size);
}

/** Whether the scenario sees that the predicate is missing. */
async function notices(world: TwinWorld, id: number, baseline: Baseline): Promise<boolean> {
  state.without = id;
  try {
    await repeat(world, baseline);
    return false;
  } catch {
    return true;
  } finally {
    state.without = undefined;
  }
}

const repeat = (world: TwinWorld, { name, actor, records }: Baseline) =>
  world.run(SCENARIOS[name]!, cast(actor), records);

/** The first scenario that sees that the predicate is missing. One that differs by chance proves nothing, and throws. */
async function noticedBy(world: TwinWorld, id: number, candidates: readonly Baseline[]): Promise<Baseline | undefined> {
  for (const candidate of candidates) {
    if (!(await notices(world, id, candidate))) continue;
    if (!candidate.isRepeatable) await repeat(world, candidate);
    candidate.isRepeatable = true;
    return candidate;
  }
  return undefined;
}

const world = await createTwinWorld();
let scenarios = await baselines(world);
for (const id of JSON.parse(ids) as number[]) {
  const candidates = scenarios.filter(({ executed }) => executed.has(id));
  const noticed = await noticedBy(world, id, candidates);
  // It is likely to notice the next one, which is of the same store.
  if (noticed) scenarios = [noticed, ...scenarios.filter((one) => one !== noticed)];
  process.stdout.write(`${JSON.stringify({ id, executed: candidates.length, noticed: noticed?.name })}\n`);
}
await world.close();
process.exit(0);
