import Value from 'typebox/value';
import { NewMemory } from '../../contract/memories.ts';

/**
 * What the contract has against a memory, in a few words. Checked here too, so that one bad line does not cost the
 * batch that it stands in; loaded by `svc import` alone, because the schemas take their time.
 */
export function checkMemory(memory: unknown): string | undefined {
  if (Value.Check(NewMemory, memory)) return undefined;
  const [fault] = Value.Errors(NewMemory, memory).filter(({ keyword }) => keyword !== 'boolean');
  const unknown = (fault?.params as { additionalProperties?: string[] } | undefined)?.additionalProperties;
  const where = fault?.instancePath.slice(1).replaceAll('/', '.') || 'the memory';
  if (unknown) return `${where} has a field that no memory has: ${unknown.join(', ')}`;
  if (fault?.keyword === 'required') return 'content is missing';
  if (where === 'content' && /^(pattern|minLength)$/.test(fault?.keyword ?? '')) return 'content is empty';
  return `${where} ${fault?.message ?? 'is not valid'}`;
}
