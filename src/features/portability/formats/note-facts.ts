import { MAX_STORED_LENGTH } from './foreign-values.ts';
import { markdownLines } from './markdown-sections.ts';

/** `- [category] text #tag (context)` */
interface Observation {
  category: string | undefined;
  text: string;
  tags: string[];
  context: string | undefined;
}

/** `- relation_type [[Target]] (context)` */
interface Relation {
  relationType: string;
  target: string;
  context: string | undefined;
}

export interface NoteFacts {
  observations: Observation[];
  relations: Relation[];
  /** The rest of the note. */
  prose: string;
}

/** Lines of one list item, or another line; `item` is the item's text. */
interface ListItem {
  text: string;
  item: string | undefined;
}

const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(.*)$/s;
const CATEGORY = /^\[([^[\]()]*)\]\s+(.+)$/s;
/** Looks like a category but is not: the `[00:12:03]` of a transcript, the `[x]` of a task. */
const NOT_A_CATEGORY = /^(?:\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?:\s+-\s+[\d:.,]+)?|[xX]|[^\p{L}\p{N}])$/u;
const RELATION = /^(?:"([^"]+)"|'([^']+)'|([^\s[\]]+))?\s*\[\[([^[\]]+)\]\]\s*(?:\(([^()]*)\))?$/;
const CONTEXT = /\s\(([^()]*)\)$/;
/** Lines of prose that are joined at once. */
const JOINED_LINES = 1000;

/** Extracts the observations and relations from the body of a note, in steps of a line. */
export function* parseNoteFacts(body: string): Generator<undefined, NoteFacts> {
  const observations: Observation[] = [];
  const relations: Relation[] = [];
  const prose: string[] = [];
  let lines: string[] = [];
  for (const listItem of listItems(body)) {
    yield undefined;
    if (!listItem) continue;
    const { text, item = '' } = listItem;
    // What is too long to be stored is left to the check of its section.
    const isFact = item !== '' && item.length <= MAX_STORED_LENGTH;
    const relation = isFact ? relationIn(item) : undefined;
    const observation = isFact && !relation ? observationIn(item) : undefined;
    if (relation) relations.push(relation);
    else if (observation) observations.push(observation);
    else if (lines.push(text) === JOINED_LINES) {
      prose.push(lines.join('\n'));
      lines = [];
    }
  }
  if (lines.length > 0) prose.push(lines.join('\n'));
  return { observations, relations, prose: prose.join('\n') };
}

/** Splits a text into lines, joining those of one list item; `undefined` for a line that was joined. */
function* listItems(body: string): Generator<ListItem | undefined> {
  let last: ListItem | undefined;
  for (const { line, fenced } of markdownLines(body)) {
    const [, item] = (!fenced && LIST_ITEM.exec(line)) || [];
    if (item === undefined && !fenced && last?.item !== undefined && /^\s+\S/.test(line)) {
      last.text += `\n${line}`;
      last.item += ` ${line.trim()}`;
      yield undefined;
    } else {
      yield last;
      last = { text: line, item: item?.trim() };
    }
  }
  yield last;
}

function relationIn(item: string): Relation | undefined {
  const [matched, double, single, bare, target, context] = RELATION.exec(item) ?? [];
  const name = target?.replace(/\|.*$/s, '').trim();
  if (matched === undefined || !name) return undefined;
  return {
    relationType: double ?? single ?? bare ?? 'links_to',
    target: name,
    context: context?.trim() || undefined,
  };
}

function observationIn(item: string): Observation | undefined {
  const [, label, rest] = CATEGORY.exec(item) ?? [];
  const category = label?.trim() && !NOT_A_CATEGORY.test(label.trim()) ? label.trim() : undefined;
  const statement = category === undefined ? item : rest!;
  const tags = statement
    .split(/\s+/)
    .flatMap((word) => (word.startsWith('#') ? word.split('#').filter((tag) => tag) : []));
  if (category === undefined && tags.length === 0) return undefined;
  const context = CONTEXT.exec(statement)?.[1]?.trim() || undefined;
  const text = statement.replace(CONTEXT, '').trim();
  return text === '' ? undefined : { category, text, tags, context };
}
