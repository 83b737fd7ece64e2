import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import { AppError } from '../../contract/errors.ts';
import { metadataRules } from '../../contract/fields.ts';
import { type LeftOut, leftOutBecause } from '../../contract/import-outcome.ts';
import { NewMemory } from '../../contract/memories.ts';
import {
  PortableConversation,
  PortableEpisode,
  PortableLearned,
  PortableMemory,
  PortableMessage,
} from '../../contract/portability.ts';
import { requireStorable } from '../../contract/storable.ts';
import { storedJson } from '../../db/row-codec.ts';

// ajv-formats is CommonJS; its types put the function under `default`.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

const SCHEMAS = {
  new: NewMemory,
  memory: PortableMemory,
  conversation: PortableConversation,
  message: PortableMessage,
  episode: PortableEpisode,
  learned: PortableLearned,
};

/** Says what the contract has against a thing that is to be brought in; `undefined` where nothing. */
export type CheckRecord = (kind: keyof typeof SCHEMAS, value: unknown) => LeftOut | undefined;

/** The schemas are compiled when the first thing comes: most daemons import nothing. */
export function createRecordCheck(): CheckRecord {
  const compiled = new Map<string, ValidateFunction>();
  const ajv = new Ajv({ allErrors: false, strict: false });
  addFormats(ajv);
  return (kind, value) => {
    const validate = compiled.get(kind) ?? ajv.compile(SCHEMAS[kind]);
    compiled.set(kind, validate);
    if (!validate(value)) return { reason: reasonOf(validate.errors?.[0]), fault: true };
    try {
      requireStorable(value);
      // Here already, so that what waits to be written is of a bounded size.
      storedJson(metadataRules, (value as { metadata?: Record<string, unknown> }).metadata ?? {}, 'metadata', '');
      return undefined;
    } catch (error) {
      if (error instanceof AppError) return leftOutBecause(error);
      throw error;
    }
  };
}

function reasonOf(error: ErrorObject | undefined): string {
  const { instancePath = '', keyword, params, message } = error ?? {};
  const where = instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'additionalProperties') {
    return `${where || 'it'} has a field that is not known: ${params?.additionalProperty}`;
  }
  if (keyword === 'required') return `${where === '' ? '' : `${where}.`}${params?.missingProperty} is missing`;
  if (/^(content|title)$/.test(where) && /^(pattern|minLength)$/.test(keyword ?? '')) return `${where} is empty`;
  return `${where} ${message ?? 'is not valid'}`.trim();
}
