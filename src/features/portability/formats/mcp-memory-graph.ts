import { type ForeignItem, type ForeignReader, fault, type ItemSteps, readMemory, skipped } from './foreign-records.ts';
import { type Fields, listOf, textOf } from './foreign-values.ts';
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

function* readEntity(fields: Fields, place: string, options: ReaderOptions): ItemSteps {
  const entity = textOf(fields.name);
  const entityType = textOf(fields.entityType);
  if (entity === undefined) return yield fault(place, 'The entity has no name.');
  const memoryOf = (observation: string) => {
    const memory = {
      source: [FORMAT, 'entity', entity, observation],
      content: `${entity}: ${observation}`,
      tags: entityType === undefined ? [] : [entityType],
      metadata: { entity, ...(entityType && { entityType }) },
    };
    return readMemory(place, memory, options);
  };
  const seen = new Set<string>();
  for (const observation of listOf(fields.observations)) {
    yield undefined;
    const text = textOf(observation);
    if (text === undefined || seen.has(text)) continue;
    seen.add(text);
    yield memoryOf(text);
  }
  if (seen.size > 0) return;
  if (entityType === undefined) yield skipped(place, 'The entity has neither a type nor observations');
  else yield memoryOf(entityType);
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
