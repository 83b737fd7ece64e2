import { nameKeyOf, type TopicName } from './topic-names.ts';
import type { MentionRow, NameRow, TopicOwner, TopicRow } from './topics-store.ts';

/** What a transaction knows of the topics of a user, changed as names are linked. */
export interface Linked {
  owner: TopicOwner;
  /** By key. */
  names: Map<string, NameRow>;
  /** By id. */
  topics: Map<string, TopicRow>;
  /** Names that are new or changed. */
  changedNames: Map<string, NameRow>;
  newTopics: TopicRow[];
  /** Topics with another name than before. */
  renamed: Set<string>;
  nextId(): string;
}

/** The topic that a name of a memory is about, and how the memory spells it. */
export interface LinkedName {
  topicId: string;
  spelling: string;
}

/** The keys to look up before names are linked: their own, and the words that longer names begin and end with. */
export function keysOf(names: readonly TopicName[]): string[] {
  return [...new Set(names.flatMap(({ key, rest }) => [key, ...partsOf(key), ...(rest ? [rest.key] : [])]))];
}

/**
 * Returns the topic that each name of a memory is about, by its key: one that has the name, one whose name it is part of ("Ada"
 * of "Ada Lovelace"), or a new one. A word that begins or ends several longer names is a separate topic.
 */
export function linkNames(linked: Linked, names: readonly TopicName[]): Map<string, LinkedName> {
  const found = new Map<string, LinkedName>();
  // Longer names first, that shorter ones find them; roles after the names that they stand beside.
  const certain = names.filter(({ kind }) => kind === 'name');
  const ordered = [
    ...certain.filter(({ sameAs }) => sameAs === undefined).toSorted((one, other) => other.key.length - one.key.length),
    ...certain.filter(({ sameAs }) => sameAs !== undefined),
    ...names.filter(({ kind }) => kind === 'maybe'),
  ];
  for (const given of ordered) {
    const name = knownPartOf(linked, given);
    const topicId = topicOf(linked, name, found);
    if (topicId !== undefined) found.set(name.key, { topicId, spelling: name.spelling });
  }
  return found;
}

/** The name without the word that begins its sentence, if only that is known as a name. */
function knownPartOf(linked: Linked, name: TopicName): TopicName {
  if (name.rest === undefined || linked.names.has(name.key)) return name;
  const source = linked.names.get(name.rest.key)?.source;
  return source === 'text' || source === 'given' || source === 'kept' ? { ...name.rest, kind: 'name' } : name;
}

function topicOf(linked: Linked, name: TopicName, soFar: ReadonlyMap<string, LinkedName>): string | undefined {
  const { key, kind, sameAs } = name;
  const known = linked.names.get(key);
  if (known?.source === 'ambiguous') {
    const isOwn = nameKeyOf(linked.topics.get(known.topicId)?.name ?? '') === key;
    return isOwn || kind === 'maybe' ? known.topicId : ownTopic(linked, name, 'ambiguous');
  }
  if (known !== undefined) {
    if (known.source === 'part') changeName(linked, { ...known, source: 'seen' });
    const same = sameAs === undefined ? undefined : soFar.get(sameAs)?.topicId;
    // "my sister Ada" after "my sister Eva": the role alone says nothing.
    if (same !== undefined && same !== known.topicId && known.source === 'text') {
      changeName(linked, { ...known, source: 'ambiguous' });
      return undefined;
    }
    return known.topicId;
  }
  if (kind === 'maybe') return undefined;
  const same = sameAs === undefined ? undefined : soFar.get(sameAs)?.topicId;
  if (same !== undefined) {
    changeName(linked, { ...linked.owner, key, topicId: same, spelling: name.spelling, source: 'text' });
    // "My brother Erik" is a person by now: "Erik Holm" may be another one.
    const beside = linked.names.get(sameAs!)!;
    if (beside.source === 'text' && !sameAs!.includes(' ')) changeName(linked, { ...beside, source: 'seen' });
    return same;
  }
  return isLongerName(name) ? topicOfLonger(linked, name) : ownTopic(linked, name, 'text');
}

/** Joins the topic of a word that it begins or ends with, unless that is the topic of another long name. */
function topicOfLonger(linked: Linked, name: TopicName): string {
  const parts = partsOf(name.key).map((part) => [part, linked.names.get(part)] as const);
  const joined = parts.find(([, row]) => row?.source === 'text' && isBare(linked, row.topicId));
  let topicId: string;
  if (joined === undefined) topicId = ownTopic(linked, name, 'text');
  else {
    topicId = joined[1]!.topicId;
    changeName(linked, { ...linked.owner, key: name.key, topicId, spelling: name.spelling, source: 'text' });
    rename(linked, topicId, name.spelling);
  }
  for (const [part, row] of parts) {
    const as = (source: NameRow['source'], of = row?.spelling ?? part) =>
      changeName(linked, { ...linked.owner, key: part, topicId: row?.topicId ?? topicId, spelling: of, source });
    if (row === undefined) as('part', spellingOfPart(name, part));
    else if (row.topicId === topicId && row.source === 'text') as('seen');
    else if (row.topicId !== topicId && (row.source === 'part' || row.source === 'seen')) as('ambiguous');
  }
  return topicId;
}

/** Whether a topic has only one name, of one word. */
function isBare(linked: Linked, topicId: string): boolean {
  const topic = linked.topics.get(topicId);
  return topic !== undefined && topic.isNamed === 0 && !nameKeyOf(topic.name).includes(' ');
}

function ownTopic(linked: Linked, { key, spelling }: TopicName, source: NameRow['source']): string {
  const id = linked.nextId();
  const topic: TopicRow = { ...linked.owner, id, name: spelling, isNamed: 0, isHidden: 0, memoryCount: 0, lastAt: 0 };
  linked.topics.set(id, topic);
  linked.newTopics.push(topic);
  changeName(linked, { ...linked.owner, key, topicId: id, spelling, source });
  return id;
}

function rename(linked: Linked, topicId: string, name: string): void {
  const topic = linked.topics.get(topicId)!;
  topic.name = name;
  linked.renamed.add(topicId);
}

function changeName(linked: Linked, row: NameRow): void {
  linked.names.set(row.key, row);
  linked.changedNames.set(row.key, row);
}

/** Whether a name is like that of a person or a product, whose first or last word may mean it. */
function isLongerName({ key, spelling }: TopicName): boolean {
  return key.includes(' ') && /^\p{Lu}/u.test(spelling);
}

/** The first and the last word of a longer name. */
function partsOf(key: string): string[] {
  const words = key.split(' ');
  return words.length < 2 ? [] : [...new Set([words[0]!, words.at(-1)!])].filter((word) => word.length > 2);
}

function spellingOfPart({ spelling }: TopicName, part: string): string {
  return spelling.split(' ').find((word) => nameKeyOf(word) === part) ?? part;
}

/** The mentions of a memory by the topics of its names. */
export function mentionsOf(
  names: ReadonlyMap<string, LinkedName>,
  { tenantId, memoryId, at }: Pick<MentionRow, 'tenantId' | 'memoryId' | 'at'>,
): MentionRow[] {
  return [...names].map(([key, name]) => ({ tenantId, ...name, key, memoryId, at }));
}
