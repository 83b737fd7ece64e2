import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAst } from 'vitest/node';

/** Attributes and properties of parts whose text a reader sees or hears. */
const SHOWN = new Set([
  ...['alt', 'aria-label', 'before', 'button', 'hint', 'label', 'note', 'placeholder', 'question', 'standard'],
  ...['submit', 'submitLabel', 'title'],
]);
/** Attributes whose text means something to the browser alone. */
const UNSEEN = new Set(['class', 'd', 'href', 'id', 'key', 'style', 'transform', 'viewBox', 'accept', 'value']);
/** Calls whose texts nobody reads. */
const UNREAD_CALLS =
  /(?:^|\.)(?:addEventListener|removeEventListener|closest|matches|matchMedia|querySelector\w*|requestJson|call|test|startsWith|endsWith|includes|split|createElement|normalize)$/;
/** What reads like words and is read by programs. */
const NOT_SAID = new Set([
  ...['600 13px system-ui, sans-serif', '12px system-ui, sans-serif', 'ImportFileError', 'Bearer {0}', 'url: {0}'],
  ...['createdAt asc', 'updatedAt desc', 'occurredAt desc', '--transport http', 'svc mcp-config {0}{1}'],
]);
/** Pages that the daemon writes, with their scripts. */
const OTHER_PAGES = new Set(['code-page.ts', 'consent-page.ts', 'credential.ts', 'credential-in.ts']);
const COMPARISONS = new Set(['===', '!==', '==', '!=', 'in', '<', '>']);
/** Elements whose text is typed or run as it is. */
const CODE = new Set(['code', 'kbd', 'pre', 'samp', 'style']);

const hasLetters = (text) => /\p{L}{2}/u.test(text);
/** `Save`, `of the year`, but not `GET`, `is-open`, `svc_live_`, `M5 7h14` or `#main > a`. */
const looksSaid = (text) =>
  hasLetters(text) &&
  !/^[\s\p{P}]*[MLC]?-?[\d.]+[a-z\d .-]*$/iu.test(text) &&
  !/^\s*(?:[A-Z]+(?:\s+\/.*)?|--?[\w-]+|[.#[].*)$/.test(text) &&
  (/^[\s“(]*\p{Lu}\p{Ll}/u.test(text) || /\p{L}[,.:;…”]?\s+[“(]?\p{L}/u.test(text) || /^\s+\p{L}+\s*$/u.test(text));

/**
 * Finds what a source of the web app says: texts of elements, of attributes that are shown, and strings that read like words.
 * What changes in a sentence stands as `{0}`, `{1}` in it; a noun that is counted as its forms, `memory | memories`.
 * Each has its place, the `message`, and `compose(translation, printed)`, which returns the source that says it in other words.
 * The name of the file tells what it is written in.
 */
export function wordsOf(source, file) {
  const found = [];
  const visit = (node, parents) => {
    if (Array.isArray(node)) {
      for (const one of node) visit(one, parents);
      return;
    }
    if (!node?.type || isUnread(node)) return;
    const inside = [...parents, node];
    if (node.type === 'JSXElement' || node.type === 'JSXFragment') {
      const text = saidBy(node.children);
      if (text) found.push(text);
    }
    const counted = formsOf(node);
    if (counted) found.push(counted);
    const said = counted ? undefined : literalOf(node, parents);
    if (said) found.push(said);
    for (const [name, value] of Object.entries(node)) {
      if (value === null || typeof value !== 'object') continue;
      // The strings of a counted noun are part of it.
      visit(counted && name === 'arguments' ? value.filter((one) => one.type !== 'Literal') : value, inside);
    }
  };
  visit(parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }), []);
  return found.filter(({ message }) => !NOT_SAID.has(message));
}

function isUnread(node) {
  if (node.type.startsWith('TS') && !/^TS(?:As|Satisfies|NonNull)/.test(node.type)) return true;
  if (node.type === 'ImportDeclaration' || node.type === 'ImportExpression') return true;
  if (node.type === 'JSXAttribute') return UNSEEN.has(node.name.name);
  return node.type === 'JSXElement' && CODE.has(node.openingElement.name.name);
}

/** The text of an element, with everything else in it as places. Undefined if it has none of its own. */
function saidBy(children) {
  const parts = [];
  let message = '';
  for (const child of children) {
    const text = textOf(child);
    if (text === undefined) {
      message += `{${parts.length}}`;
      parts.push(child);
    } else message += plain(text);
  }
  if (!hasLetters(message.replace(/\{\d+\}/g, ''))) return undefined;
  return {
    start: children[0].start,
    end: children.at(-1).end,
    ...trimmed(message, (said, printed) =>
      split(said)
        .map((part) => (typeof part === 'number' ? printed(parts[part]) : `{${JSON.stringify(part)}}`))
        .join(''),
    ),
  };
}

/** What a child of an element shows without running anything: its text as JSX reads it. */
function textOf(child) {
  if (child.type === 'JSXText') {
    const lines = child.value.split('\n');
    return lines
      .map((line, at) => {
        const start = at === 0 ? line : line.replace(/^[ \t]+/, '');
        return at === lines.length - 1 ? start : start.replace(/[ \t]+$/, '');
      })
      .filter((line) => line !== '')
      .join(' ')
      .replaceAll('&nbsp;', '\u00a0');
  }
  if (child.type !== 'JSXExpressionContainer') return undefined;
  const { expression } = child;
  if (expression.type === 'JSXEmptyExpression') return '';
  return expression.type === 'Literal' && typeof expression.value === 'string' ? expression.value : undefined;
}

/** The forms of a noun in `formatCount(count, 'memory', 'memories')`. */
function formsOf(node) {
  if (node.type !== 'CallExpression' || node.callee.name !== 'formatCount') return undefined;
  const forms = node.arguments.slice(1);
  if (forms.length < 2 || !forms.every(({ type }) => type === 'Literal')) return undefined;
  return {
    start: forms[0].start,
    end: forms.at(-1).end,
    message: forms.map(({ value }) => plain(value)).join(' | '),
    compose: (said) =>
      said
        .split(' | ')
        .map((form) => JSON.stringify(form))
        .join(', '),
  };
}

/** A template without what stands in it. */
const textOfTemplate = ({ quasis }) => quasis.map(({ value }) => value.cooked).join('');

/** A string or template that is said. */
function literalOf(node, parents) {
  const isText = node.type === 'Literal' && typeof node.value === 'string';
  if (!isText && node.type !== 'TemplateLiteral') return undefined;
  const parent = parents.at(-1);
  const text = isText ? node.value : textOfTemplate(node);
  if (!hasLetters(text) || !isSaid(node, text, parents)) return undefined;
  if (parent.type === 'JSXExpressionContainer' && isText && parents.at(-2).type !== 'JSXAttribute') return undefined;
  const message = isText
    ? plain(text)
    : node.quasis.map(({ value }, at) => (at === 0 ? '' : `{${at - 1}}`) + plain(value.cooked)).join('');
  const isAttribute = parent.type === 'JSXAttribute';
  return {
    start: node.start,
    end: node.end,
    ...trimmed(message, (said, printed) => {
      const parts = split(said);
      const written = parts.every((part) => typeof part === 'string')
        ? JSON.stringify(parts.join(''))
        : `\`${parts.map((part) => (typeof part === 'number' ? `\${${printed(node.expressions[part])}}` : escaped(part))).join('')}\``;
      return isAttribute ? `{${written}}` : written;
    }),
  };
}

function isSaid(node, text, parents) {
  const parent = parents.at(-1);
  if (parent.type === 'JSXAttribute') return SHOWN.has(parent.name.name);
  if (parent.type === 'TaggedTemplateExpression') return false;
  if (parent.type === 'BinaryExpression' && COMPARISONS.has(parent.operator)) return false;
  if (parent.type === 'SwitchCase' && parent.test === node) return false;
  if (parent.type === 'MemberExpression' || (parent.type === 'Property' && parent.key === node)) return false;
  if (parent.type === 'ExpressionStatement') return false;
  const call = parents.findLast(({ type }) => type === 'CallExpression' || type === 'ArrowFunctionExpression');
  if (call?.type === 'CallExpression' && call.arguments.includes(node) && UNREAD_CALLS.test(nameOf(call.callee)))
    return false;
  if (isShown(node, parents)) return true;
  return looksSaid(text) && !/^(?:\/|https?:|\w+:\/\/|curl )/.test(text.trim());
}

/** Whether it is shown as it is, as a branch of what stands in an element, in an attribute that is shown or in a sentence. */
function isShown(node, parents) {
  let child = node;
  for (const parent of parents.toReversed()) {
    if (parent.type === 'JSXExpressionContainer') {
      const holder = parents[parents.indexOf(parent) - 1];
      return holder.type !== 'JSXAttribute' || SHOWN.has(holder.name.name);
    }
    const isBranch =
      (parent.type === 'ConditionalExpression' && parent.test !== child) ||
      (parent.type === 'LogicalExpression' && (parent.operator !== '&&' || parent.right === child)) ||
      parent.type === 'TemplateLiteral' ||
      (parent.type === 'BinaryExpression' && parent.operator === '+');
    if (!isBranch) return false;
    if (parent.type === 'TemplateLiteral' && looksSaid(textOfTemplate(parent))) return true;
    child = parent;
  }
  return false;
}

const nameOf = (callee) =>
  callee.type === 'MemberExpression' ? `.${callee.property.name}` : callee.type === 'Identifier' ? callee.name : '';

function plain(text) {
  if (/[{}|]/.test(text)) throw new Error(`Braces and bars mark places in what is said: ${text}`);
  return text;
}

/** The message without the white space around it, which stays where it is. */
function trimmed(message, compose) {
  const [, before, said, after] = /^(\s*)(.*?)(\s*)$/s.exec(message);
  return { message: said, compose: (translation, printed) => compose(before + translation + after, printed) };
}

/** The pieces of a message: texts, and the numbers of places. */
const split = (said) => {
  const parts = said.split(/\{(\d+)\}/).map((part, at) => (at % 2 === 1 ? Number(part) : part));
  return parts.filter((part) => part !== '');
};
const escaped = (text) => text.replace(/[\\`$]/g, '\\$&');

/** A source in other words: `say` returns how a message is said. */
export function inOtherWords(source, file, say) {
  const words = wordsOf(source, file).sort((one, other) => one.start - other.start || other.end - one.end);
  const printed = (start, end) => {
    let out = '';
    let at = start;
    for (const one of words) {
      if (one.start < at || one.end > end) continue;
      out += source.slice(at, one.start);
      out += one.compose(say(one.message), (node) => printed(node.start, node.end));
      at = one.end;
    }
    return out + source.slice(at, end);
  };
  return printed(0, source.length);
}

/** All that the web app says, in the order of its files. */
export async function wordsOfPages(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((name) => /\.tsx?$/.test(name)).sort();
  const sources = await Promise.all(
    files
      .filter((name) => !OTHER_PAGES.has(name))
      .map(async (name) => wordsOf(await readFile(join(folder, name), 'utf8'), name)),
  );
  return [...new Set(sources.flat().map(({ message }) => message))];
}
