import type { ImportGiven } from '../import-items.ts';
import { fault, type ReadRecords, type RecordRead, readMemory, remark } from './foreign-records.ts';
import { type Fields, textOf, textsIn } from './foreign-values.ts';
import { readJsonLines } from './json-lines.ts';

/**
 * `memory.jsonl` (formerly `memory.json`) of the reference memory server of the Model Context Protocol: its graph, a
 * line each entity with its observations and each relation. Described at
 * https://github.com/modelcontextprotocol/servers/tree/main/src/memory. It has no times.
 */
export const readMcpMemoryGraph: ReadRecords = (bytes, given) =>
  readJsonLines(bytes, (fields, place) => {
    if (fields.type === 'entity') return readEntity(fields, place, given);
    if (fields.type === 'relation') return [readRelation(fields, place, given)];
    return [fault(place, 'It is neither an entity nor a relation.')];
  });

const FORMAT = 'mcp-memory';

function* readEntity(fields: Fields, place: string, given: ImportGiven): Generator<RecordRead> {
  const entity = textOf(fields.name);
  const entityType = textOf(fields.entityType);
  if (entity === undefined) return yield fault(place, 'The entity has no name.');
  const observations = [...new Set(textsIn(fields.observations).filter((text) => /\S/.test(text)))];
  if (observations.length === 0 && entityType === undefined) {
    return yield remark(place, 'The entity has neither a type nor observations');
  }
  const tags = entityType === undefined ? [] : [entityType];
  for (const observation of observations.length > 0 ? observations : tags) {
    const memory = {
      source: [FORMAT, 'entity', entity, observation],
      content: `${entity}: ${observation}`,
      tags,
      metadata: { entity, ...(entityType && { entityType }) },
    };
    yield readMemory(place, memory, given);
  }
}

function readRelation(fields: Fields, place: string, given: ImportGiven): RecordRead {
  const [from, relationType, to] = [textOf(fields.from), textOf(fields.relationType), textOf(fields.to)];
  if (from === undefined || relationType === undefined || to === undefined) {
    return fault(place, 'The relation lacks “from”, “relationType” or “to”.');
  }
  const memory = {
    source: [FORMAT, 'relation', from, relationType, to],
    content: `${from} ${relationType} ${to}`,
    tags: [],
    metadata: { from, relationType, to },
  };
  return readMemory(place, memory, given);
}
