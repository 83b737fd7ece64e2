import {
  type Assistant,
  type DesiredEntry,
  type Format,
  type RenderedEntry,
  renderEntry,
} from '../../../cli/assistants/assistant.ts';
import { type Json, type JsonObject, nest } from '../../../cli/assistants/editing/document.ts';

/** Renders a new configuration file that contains only the entry of svc; undefined if the assistant cannot have it. */
export function fileText(assistant: Assistant, entry: DesiredEntry): string | undefined {
  const rendered = renderEntry(assistant, entry);
  return rendered && WRITERS[assistant.format](contentOf(assistant, rendered));
}

const WRITERS: Record<Format, (content: JsonObject) => string> = {
  json: (content) => JSON.stringify(content, null, 2),
  jsonc: (content) => JSON.stringify(content, null, 2),
  toml: tomlText,
  yaml: (content) => yamlLines(content).join('\n'),
};

function contentOf({ newFile, entry, input }: Assistant, rendered: RenderedEntry): JsonObject {
  return {
    ...newFile?.user,
    ...(nest(entry, rendered.server) as JsonObject),
    ...(input && rendered.input && (nest(input, rendered.input) as JsonObject)),
  };
}

/** Renders tables two levels deep, as `[mcp_servers.svc]` with a line for each key. */
function tomlText(content: JsonObject): string {
  return Object.entries(content)
    .flatMap(([group, tables]) =>
      Object.entries(tables as JsonObject).map(([name, table]) => {
        const pairs = Object.entries(table as JsonObject).map(([key, value]) => `${key} = ${tomlValue(value)}`);
        return [`[${group}.${name}]`, ...pairs].join('\n');
      }),
    )
    .join('\n\n');
}

function tomlValue(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, inner]) => `${key} = ${tomlValue(inner)}`);
  return `{ ${pairs.join(', ')} }`;
}

/** Renders block style. Texts that could be read as something else are quoted. */
function yamlLines(content: JsonObject, indent = ''): string[] {
  return Object.entries(content).flatMap(([key, value]) => {
    if (Array.isArray(value)) return [`${indent}${key}:`, ...value.flatMap((item) => yamlItem(item, `${indent}  `))];
    if (value === null || typeof value !== 'object') return [`${indent}${key}: ${yamlScalar(value)}`];
    return [`${indent}${key}:`, ...yamlLines(value, `${indent}  `)];
  });
}

function yamlItem(item: Json, indent: string): string[] {
  if (item === null || typeof item !== 'object' || Array.isArray(item)) return [`${indent}- ${yamlScalar(item)}`];
  const [first = '', ...rest] = yamlLines(item, `${indent}  `);
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

function yamlScalar(value: Json): string {
  const isPlain = typeof value === 'string' && /^[A-Za-z\d][^:#]*(?:[:#](?! )[^:#]*)*$/.test(value);
  const isOther = typeof value === 'string' && /^(?:true|false|null|yes|no|\d+\.?\d*)$/i.test(value);
  return isPlain && !isOther ? value : JSON.stringify(value);
}
