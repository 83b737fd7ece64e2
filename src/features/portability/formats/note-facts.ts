import { markdownLines } from './markdown-sections.ts';

/** `- [category] text #tag (context)` */
export interface Observation {
  category: string | undefined;
  text: string;
  tags: string[];
  context: string | undefined;
}

/** `- relation_type [[Target]] (context)` */
export interface Relation {
  relationType: string;
  target: string;
  context: string | undefined;
}

const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(.*)$/;
const CATEGORY = /^\[([^[\]()]*)\]\s+(.+)$/s;
/** Looks like a category but is not: the `[00:12:03]` of a transcript, the `[x]` of a task. */
const NOT_A_CATEGORY = /^(?:\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?:\s+-\s+[\d:.,]+)?|[xX]|[^\p{L}\p{N}])$/u;
const RELATION = /^(?:"([^"]+)"|'([^']+)'|([^\s[\]]+))?\s*\[\[([^[\]]+)\]\]\s*(?:\(([^()]*)\))?$/;
const CONTEXT = /\s\(([^()]*)\)$/;

/** Extracts the observations and relations from the body of a note; `prose` is the rest. */
export function parseNoteFacts(body: string): { observations: Observation[]; relations: Relation[]; prose: string } {
  const observations: Observation[] = [];
  const relations: Relation[] = [];
  const prose: string[] = [];
  for (const { text, item } of listItems(body)) {
    const relation = item === undefined ? undefined : relationIn(item);
    const observation = item === undefined || relation ? undefined : observationIn(item);
    if (relation) relations.push(relation);
    else if (observation) observations.push(observation);
    else prose.push(text);
  }
  return { observations, relations, prose: prose.join('\n') };
}

/** Splits a text into lines, joining those of one list item; `item` is the item's text. */
function listItems(body: string): { text: string; item: string | undefined }[] {
  const lines: { text: string; item: string | undefined }[] = [];
  for (const { line, fenced } of markdownLines(body)) {
    const [, item] = (!fenced && LIST_ITEM.exec(line)) || [];
    const last = lines.at(-1);
    if (item === undefined && !fenced && last?.item !== undefined && /^\s+\S/.test(line)) {
      last.text += `\n${line}`;
      last.item += ` ${line.trim()}`;
    } else lines.push({ text: line, item: item?.trim() });
  }
  return lines;
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
