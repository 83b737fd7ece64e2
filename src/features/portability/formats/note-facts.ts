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
/** `[00:12:03]` of a transcript and the `[x]` of a task look like categories and are none. */
const NO_CATEGORY = /^(?:\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?:\s+-\s+[\d:.,]+)?|[xX]|[^\p{L}\p{N}])$/u;
const RELATION = /^(?:"([^"]+)"|'([^']+)'|([^\s[\]]+))?\s*\[\[([^[\]]+)\]\]\s*(?:\(([^()]*)\))?$/;
const CONTEXT = /\s\(([^()]*)\)$/;

/** Takes the observations and relations out of the body of a note; `prose` is what remains. */
export function factsOf(body: string): { observations: Observation[]; relations: Relation[]; prose: string } {
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

/** The lines of a text; those of one list item together, with what it says. */
function listItems(body: string): { text: string; item: string | undefined }[] {
  const found: { text: string; item: string | undefined }[] = [];
  for (const { line, fenced } of markdownLines(body)) {
    const [, item] = (!fenced && LIST_ITEM.exec(line)) || [];
    const last = found.at(-1);
    if (item === undefined && !fenced && last?.item !== undefined && /^\s+\S/.test(line)) {
      last.text += `\n${line}`;
      last.item += ` ${line.trim()}`;
    } else found.push({ text: line, item: item?.trim() });
  }
  return found;
}

function relationIn(item: string): Relation | undefined {
  const [all, double, single, bare, target, context] = RELATION.exec(item) ?? [];
  const name = target?.replace(/\|.*$/s, '').trim();
  if (all === undefined || !name) return undefined;
  return {
    relationType: double ?? single ?? bare ?? 'links_to',
    target: name,
    context: context?.trim() || undefined,
  };
}

function observationIn(item: string): Observation | undefined {
  const [, written, rest] = CATEGORY.exec(item) ?? [];
  const category = written?.trim() && !NO_CATEGORY.test(written.trim()) ? written.trim() : undefined;
  const said = category === undefined ? item : rest!;
  const tags = said.split(/\s+/).flatMap((word) => (word.startsWith('#') ? word.split('#').filter((tag) => tag) : []));
  if (category === undefined && tags.length === 0) return undefined;
  const context = CONTEXT.exec(said)?.[1]?.trim() || undefined;
  const text = said.replace(CONTEXT, '').trim();
  return text === '' ? undefined : { category, text, tags, context };
}
