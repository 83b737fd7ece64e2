import type { Conversation } from '../../contract/conversations.ts';
import type { Reader } from '../../db/connection.ts';
import { type ConversationRow, toConversation } from './message-row.ts';
import { findOpenings } from './messages-store.ts';

const MAX_CHARACTERS = 120;

/** Converts conversations of a tenant to those of the API, each with its preview. */
export async function withPreviews(
  reader: Reader,
  tenantId: string,
  rows: readonly ConversationRow[],
): Promise<Conversation[]> {
  const openings = await findOpenings(
    reader,
    tenantId,
    rows.map(({ number }) => number),
  );
  return rows.map((row) => ({ ...toConversation(row), preview: previewOf(openings.get(row.number)) }));
}

export async function withPreview(reader: Reader, row: ConversationRow): Promise<Conversation> {
  const [conversation] = await withPreviews(reader, row.tenantId, [row]);
  return conversation!;
}

/** The first words of a text, on one line; null if there are none. */
function previewOf(text: string | undefined): string | null {
  const line = (text ?? '').replaceAll(/\s+/gu, ' ').trim();
  const characters = Array.from(line);
  if (characters.length <= MAX_CHARACTERS) return line === '' ? null : line;
  const head = characters.slice(0, MAX_CHARACTERS).join('');
  const end = head.lastIndexOf(' ');
  return `${end > MAX_CHARACTERS / 2 ? head.slice(0, end) : head}…`;
}
