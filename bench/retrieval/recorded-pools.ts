import { access, readFile, writeFile } from 'node:fs/promises';
import { readDialogues } from '../locomo-data.ts';
import { inFreshFolder } from '../processes.ts';
import { recordPools } from './dialogues.ts';
import type { RecordedPool } from './pools.ts';
import { withStored } from './stored-dialogues.ts';

/**
 * The candidates of every question as the built daemon finds them. With `cache`, they are read from that file if it
 * exists and written to it otherwise.
 */
export async function poolsOf(data: string, cache?: string): Promise<RecordedPool[]> {
  if (cache !== undefined && (await exists(cache))) return JSON.parse(await readFile(cache, 'utf8'));
  const dialogues = await readDialogues(data);
  const pools = await inFreshFolder((dataDir) => withStored({ dataDir }, dialogues, 'conversations', recordPools));
  if (cache !== undefined) await writeFile(cache, JSON.stringify(pools));
  return pools;
}

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );
