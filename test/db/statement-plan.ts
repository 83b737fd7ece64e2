import type { Connection, Reader, Value } from '../../src/db/connection.ts';

/** Returns the query plan of a store function's statements, in the order in which they are planned. */
export async function plannedBy(connection: Connection, ask: (reader: Reader) => Promise<unknown>): Promise<string[]> {
  const details: string[] = [];
  const explain = async (sql: string, values: readonly Value[]) => {
    const plan = await connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
    details.push(...plan.map(({ detail }) => detail));
  };
  const reader = {
    async all(sql: string, values: readonly Value[]) {
      await explain(sql, values);
      return [];
    },
    get: explain,
  } as unknown as Reader;
  await ask(reader);
  return details;
}
