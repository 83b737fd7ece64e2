import type { ItemType } from '../../contract/search.ts';
import type { Reader } from '../../db/connection.ts';
import { padToPowerOfTwo, placeholders } from '../../db/values.ts';

const TEXTS: Readonly<Record<ItemType, string>> = {
  memory: 'content AS text FROM memories WHERE current = 1',
  message: 'content AS text FROM messages WHERE 1 = 1',
  episode: 'title AS text FROM episodes WHERE 1 = 1',
};

/** Finds the texts of items that are still there, without long ones. */
export async function findShownTexts(
  reader: Reader,
  tenantId: string,
  ids: ReadonlyMap<ItemType, readonly string[]>,
  maxCharacters: number,
): Promise<{ id: string; text: string }[]> {
  const texts: { id: string; text: string }[] = [];
  for (const [type, own] of ids) {
    const padded = padToPowerOfTwo(own);
    const rows = await reader.all<{ id: string; text: string }>(
      `SELECT id, ${TEXTS[type]} AND (tenantId, id) IN (VALUES ${placeholders(padded.length, 2)})
       AND LENGTH(${type === 'episode' ? 'title' : 'content'}) <= ?`,
      [...padded.flatMap((id) => [tenantId, id]), maxCharacters],
    );
    texts.push(...rows);
  }
  return texts;
}
