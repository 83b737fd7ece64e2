import { type ForeignItem, type ForeignReader, fault, readMemory, skipped } from './foreign-records.ts';
import { type Fields, textOf, textsIn } from './foreign-values.ts';
import type { ReaderOptions } from './import-reader.ts';
import { readJsonLines } from './lines.ts';

/**
 * Reads `memory.jsonl` (formerly `memory.json`) of the Model Context Protocol's reference memory server: a knowledge
 * graph with one entity or relation per line, without timestamps. Format:
 * https://github.com/modelcontextprotocol/servers/tree/main/src/memory
 */
export const readMcpMemoryGraph: ForeignReader = (bytes, options) =>
  readJsonLines(bytes, options, (fields, place) => {
    if (fields.type === 'entity') return readEntity(fields, place, options);
    if (fields.type === 'relation') return [readRelation(fields, place, options)];
    return [fault(place, 'The line is neither an entity nor a relation.')];
  });

const FORMAT = 'mcp-memory';

function* readEntity(fields: Fields, place: string, options: ReaderOptions): Generator<ForeignItem> {
  const entity = textOf(fields.name);
  const entityType = textOf(fields.entityType);
  if (entity === undefined) return yield fault(place, 'The entity has no name.');
  const tags = entityType === undefined ? [] : [entityType];
  const observations = textsIn(fields.observations).filter((text) => /\S/.test(text));
  if (observations.length === 0 && entityType === undefined) {
    return yield skipped(place, 'The entity has neither a type nor observations');
  }
  const seen = new Set<string>();
  for (const observation of observations.length > 0 ? observations : tags) {
    if (seen.has(observation)) continue;
    seen.add(observation);
    const memory = {
      source: [FORMAT, 'entity', entity, observation],
      content: `${entity}: ${observation}`,
      tags,
      metadata: { entity, ...(entityType && { entityType }) },
    };
    yield readMemory(place, memory, options);
  }
}

function readRelation(fields: Fields, place: string, options: ReaderOptions): ForeignItem {
  const [from, relationType, to] = [textOf(fields.from), textOf(fields.relationType), textOf(fields.to)];
  if (from === undefined || relationType === undefined || to === undefined) {
    return fault(place, 'The relation has no “from”, “relationType” or “to”.');
  }
  const memory = {
    source: [FORMAT, 'relation', from, relationType, to],
    content: `${from} ${relationType} ${to}`,
    tags: [],
    metadata: { from, relationType, to },
  };
  return readMemory(place, memory, options);
}
