import type { Reader } from '../../db/connection.ts';

/** Returns the beginnings of the newest memories and messages of a tenant, at most `limit` of each. */
export async function listNewestTexts(
  reader: Reader,
  tenantId: string,
  { limit, characters }: { limit: number; characters: number },
): Promise<string[]> {
  const values = [characters, tenantId, limit];
  const memories = await reader.all<{ text: string }>(
    'SELECT SUBSTR(content, 1, ?) AS text FROM memories WHERE tenantId = ? AND current = 1 ORDER BY id DESC LIMIT ?',
    values,
  );
  const messages = await reader.all<{ text: string }>(
    'SELECT SUBSTR(content, 1, ?) AS text FROM messages WHERE tenantId = ? ORDER BY id DESC LIMIT ?',
    values,
  );
  return [...memories, ...messages].map(({ text }) => text);
}
