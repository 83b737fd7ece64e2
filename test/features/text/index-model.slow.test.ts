import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '../../../src/contract/errors.ts';
import type { Principal } from '../../../src/features/keys/keys.ts';
import { instant, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { expectIndexEqualsRows } from './index-rows.ts';

/**
 * Runs any sequence of additions, changes, supersessions, erasures and expiries against the modules and against a small
 * model; afterwards every search and list must agree with the model, now and for every past instant.
 */

const WORDS = ['apple', 'river', 'stone', 'cloud'];
const USERS = ['ann', 'bob'];

interface Known {
  id: string;
  user: string;
  versions: { content: string; from: number; to: number }[];
  expiresAt: number;
  closed: boolean;
}

type Step =
  | { kind: 'add'; user: string; content: string; expiresIn: number; supersedes: number }
  | { kind: 'change'; which: number; content: string }
  | { kind: 'expire'; which: number; expiresIn: number }
  | { kind: 'erase'; which: number }
  | { kind: 'wait'; ms: number }
  | { kind: 'sweep' };

const content = fc.subarray(WORDS, { minLength: 1 }).map((words) => words.join(' '));
const user = fc.constantFrom(...USERS);
const which = fc.nat(9);
const expiresIn = fc.constantFrom(Number.POSITIVE_INFINITY, 10, 50);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    user,
    content,
    expiresIn,
    supersedes: fc.integer({ min: -9, max: 9 }),
  }),
  fc.record({ kind: fc.constant('change' as const), which, content }),
  fc.record({ kind: fc.constant('expire' as const), which, expiresIn }),
  fc.record({ kind: fc.constant('erase' as const), which }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ kind: fc.constant('sweep' as const) }),
);

let daemon: MemoryDaemon;
let tenants = 0;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  daemon.clock.freeze();
});
afterAll(() => daemon.close());

test('search and list agree with a naive model after any history', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const world = createWorld(await newTenant());
      for (const each of steps) {
        await world.take(each);
        daemon.clock.advance(1);
      }
      await world.compare();
    }),
    { numRuns: 20 },
  );
  await expectIndexEqualsRows(daemon);
});

function createWorld(principal: Principal) {
  const moments: number[] = [];
  let known: Known[] = [];
  const now = () => daemon.clock.nowMs();
  const alive = (memory: Known) => memory.expiresAt > now();
  const current = (memory: Known) => memory.versions.at(-1)!;
  const live = () => known.filter((memory) => alive(memory) && !memory.closed);

  /** Ends the validity of the newest version now. */
  function end(memory: Known): void {
    current(memory).to = now();
  }

  async function add({ user, content, expiresIn, supersedes }: Extract<Step, { kind: 'add' }>): Promise<void> {
    const old = known[supersedes];
    const expiresAt = now() + expiresIn;
    const request = {
      content,
      user,
      ...(Number.isFinite(expiresAt) && { expiresAt: instant(expiresAt) }),
      ...(old && { supersedes: old.id }),
    };
    const answer = await refusalOr(daemon.memories.add(principal, request));
    if (old && (!alive(old) || old.user !== user)) return expect(answer).toBe('not_found');
    if (old?.closed) return expect(answer).toBe('conflict');
    if (typeof answer === 'string') throw new Error(`refused: ${answer}`);
    const same = live().find((memory) => memory.user === user && current(memory).content === content);
    expect(answer.duplicate ?? false).toBe(same !== undefined);
    if (same) expect(answer.id).toBe(same.id);
    if (old && old !== same) {
      end(old);
      old.closed = true;
    }
    if (!same) {
      const versions = [{ content, from: now(), to: Number.POSITIVE_INFINITY }];
      known.push({ id: answer.id, user, versions, expiresAt, closed: false });
    }
  }

  async function change(memory: Known, body: { content?: string; expiresAt?: string | null }): Promise<void> {
    const answer = await refusalOr(daemon.memories.change(principal, memory.id, body));
    const taken = live().some(
      (other) => other !== memory && other.user === memory.user && current(other).content === body.content,
    );
    if (!alive(memory)) return expect(answer).toBe('not_found');
    if (memory.closed || taken) return expect(answer).toBe('conflict');
    if (typeof answer === 'string') throw new Error(`refused: ${answer}`);
    if (answer.version === memory.versions.length) return;
    end(memory);
    const next = { content: answer.content, from: now(), to: Number.POSITIVE_INFINITY };
    memory.versions.push(next);
    memory.expiresAt = answer.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(answer.expiresAt);
  }

  async function take(each: Step): Promise<void> {
    moments.push(now());
    if (each.kind === 'wait') return daemon.clock.advance(each.ms);
    if (each.kind === 'sweep') return daemon.memories.sweep();
    if (each.kind === 'add') return add(each);
    const memory = known[each.which];
    if (!memory) return;
    if (each.kind === 'change') return change(memory, { content: each.content });
    if (each.kind === 'expire') {
      const at = now() + each.expiresIn;
      return change(memory, { expiresAt: Number.isFinite(at) ? instant(at) : null });
    }
    const answer = await refusalOr(daemon.memories.remove(principal, memory.id));
    expect(answer).toBe(alive(memory) ? undefined : 'not_found');
    known = known.filter((other) => other !== memory);
  }

  async function found(user: string, query: string, asOf?: number): Promise<string[]> {
    const request = { user, query, limit: 100, ...(asOf && { asOf: instant(asOf) }) };
    const { results } = await daemon.search.search(principal, request);
    return results.map(({ id, content }) => `${id} ${content}`).sort();
  }

  async function compare(): Promise<void> {
    for (const user of USERS) {
      const mine = known.filter((memory) => memory.user === user && alive(memory));
      const { data } = await daemon.memories.list(principal, { user, limit: 200 });
      const shown = mine.filter(({ closed }) => !closed);
      expect(data.map(({ id }) => id).sort()).toEqual(shown.map(({ id }) => id).sort());
      for (const word of WORDS) {
        const all = await found(user, word);
        const live = shown.map((memory) => `${memory.id} ${current(memory).content}`).sort();
        expect(all.filter((one) => one.includes(word))).toEqual(live.filter((one) => one.includes(word)));
        // What takes the place of a result is shown without a word of the query.
        expect(live).toEqual(expect.arrayContaining(all));
      }
      for (const moment of moments.slice(-6)) {
        const then = mine.flatMap(({ id, versions }) =>
          versions.filter(({ from, to }) => from <= moment && moment < to).map(({ content }) => `${id} ${content}`),
        );
        expect(await found(user, WORDS.join(' '), moment)).toEqual(then.sort());
      }
    }
  }

  return { take, compare };
}

/** A tenant created without signing in. */
async function newTenant(): Promise<Principal> {
  tenants += 1;
  const tenantId = `ten_model${tenants}`;
  await daemon.db.writes.write('daemon', (connection) =>
    connection.run('INSERT INTO tenants (tenantId, email, tier, createdAt) VALUES (?, ?, ?, 0)', [
      tenantId,
      tenantId,
      'Enterprise',
    ]),
  );
  return {
    tenantId,
    email: '',
    tier: 'Enterprise',
    scope: 'account',
    credential: { kind: 'apiKey', hash: '', last4: '', createdAt: 0, lastUsedAt: null },
  };
}

async function refusalOr<T>(work: Promise<T>): Promise<T | string> {
  return work.catch((error) => {
    if (error instanceof AppError) return error.code;
    throw error;
  });
}
