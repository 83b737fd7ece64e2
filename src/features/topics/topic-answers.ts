import { AppError, changedSinceRead } from '../../contract/errors.ts';
import type { Topic } from '../../contract/topics.ts';
import type { Reader } from '../../db/connection.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { countedTagOf, matchesState } from '../../lib/entity-tag.ts';
import { nameKeyOf } from './topic-names.ts';
import { findTopics, listNamesOf, type NameRow, type TopicRow } from './topics-store.ts';

/** The part of a topic that `If-Match` compares. */
function comparedPartOf({ id, user, name, aliases, memoryCount, lastAt, hidden }: Topic): unknown[] {
  return [id, user, name, aliases, memoryCount, lastAt, hidden];
}

/** The entity tag of a topic. `If-Match` ignores the memories and topics that it shows. */
export function etagOfTopic(topic: Topic): string {
  return countedTagOf(comparedPartOf(topic), topic);
}

/** Throws `precondition_failed` if `If-Match` names another state of the topic. */
export function requireTopicMatch(ifMatch: string | undefined, topic: Topic): void {
  if (ifMatch !== undefined && !matchesState(ifMatch, comparedPartOf(topic))) throw changedSinceRead('topic');
}

/** Finds a topic. Throws `not_found`. */
export async function requireTopic(reader: Reader, tenantId: string, id: string): Promise<TopicRow> {
  const [row] = await findTopics(reader, tenantId, [id]);
  if (!row) throw new AppError('not_found', 'There is no topic with this id.');
  return row;
}

/** Converts rows to the API's values, with their names. */
export async function toTopics(reader: Reader, tenantId: string, rows: readonly TopicRow[]): Promise<Topic[]> {
  const names = await listNamesOf(
    reader,
    tenantId,
    rows.map(({ id }) => id),
  );
  const namesOf = new Map<string, NameRow[]>();
  for (const name of names) namesOf.set(name.topicId, [...(namesOf.get(name.topicId) ?? []), name]);
  return rows.map(({ id, endUser, name, memoryCount, lastAt, isHidden }) => {
    const key = nameKeyOf(name);
    const others = (namesOf.get(id) ?? []).filter((row) => row.key !== key && isAlias(row));
    const aliases = others.map(({ spelling }) => spelling);
    const last = lastAt === 0 ? null : toTimestamp(lastAt);
    return { id, user: endUser, name, aliases, memoryCount, lastAt: last, hidden: isHidden === 1 };
  });
}

/** Whether a name is listed as an alias: a word of a longer name only once somebody used it alone. */
export function isAlias({ source }: Pick<NameRow, 'source'>): boolean {
  return source !== 'part' && source !== 'ambiguous';
}

/** Whether a topic owns one of its names: an alias, or the name that the topic itself goes by. */
export function isOwned(row: NameRow, topic: Pick<TopicRow, 'name'>): boolean {
  return isAlias(row) || row.key === nameKeyOf(topic.name);
}
