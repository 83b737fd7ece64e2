import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import { AppError } from '../../contract/errors.ts';
import { metadataRules } from '../../contract/fields.ts';
import { type SkipReason, skipReasonOf } from '../../contract/import-outcome.ts';
import { NewMemory } from '../../contract/memories.ts';
import {
  PortableConversation,
  PortableEpisode,
  PortableLearned,
  PortableMemory,
  PortableMessage,
  PortableSuggestion,
} from '../../contract/portability.ts';
import { faultText } from '../../contract/schema-faults.ts';
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
  suggestion: PortableSuggestion,
};

/**
 * Returns why a record does not conform to the contract, in steps; `undefined` if it does. With `onUnknown`, unknown fields
 * are removed from `value` and reported by their path instead.
 */
export type CheckRecord = (
  kind: keyof typeof SCHEMAS,
  value: unknown,
  onUnknown?: (field: string) => void,
) => Generator<void, SkipReason | undefined>;

/** A record with more unknown fields than this is rejected. */
const MAX_UNKNOWN_FIELDS = 64;

/** Compiles each schema on first use: most daemons never import anything. */
export function createRecordCheck(): CheckRecord {
  const compiled = new Map<string, ValidateFunction>();
  const ajv = new Ajv({ allErrors: false, strict: false, discriminator: true });
  addFormats(ajv);
  return function* (kind, value, onUnknown) {
    const validate = compiled.get(kind) ?? ajv.compile(SCHEMAS[kind]);
    compiled.set(kind, validate);
    let isValid = validate(value);
    for (let removed = 0; !isValid && onUnknown && removed < MAX_UNKNOWN_FIELDS; removed += 1) {
      const field = removeUnknown(value, validate.errors?.[0]);
      if (field === undefined) break;
      onUnknown(field);
      yield;
      isValid = validate(value);
    }
    if (!isValid) return { reason: reasonOf(validate.errors?.[0]), fault: true };
    yield;
    try {
      requireStorable(value);
      // Checked before the record is queued, so that queued records have a bounded size.
      storedJson(metadataRules, (value as { metadata?: Record<string, unknown> }).metadata ?? {}, 'metadata', '');
      return undefined;
    } catch (error) {
      if (error instanceof AppError) return skipReasonOf(error);
      throw error;
    }
  };
}

/** Removes the field that an `additionalProperties` error names and returns its path; `undefined` for other errors. */
function removeUnknown(value: unknown, error: ErrorObject | undefined): string | undefined {
  if (error?.keyword !== 'additionalProperties') return undefined;
  const name = String(error.params.additionalProperty);
  const path = error.instancePath.split('/').slice(1);
  const parent = path.reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], value);
  if (typeof parent !== 'object' || parent === null) return undefined;
  delete (parent as Record<string, unknown>)[name];
  return [...path, name].join('.');
}

function reasonOf(error: ErrorObject | undefined): string {
  const { instancePath = '', keyword, params } = error ?? {};
  const where = instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'additionalProperties') {
    return `${where} has an unknown field: ${params?.additionalProperty}`.trim();
  }
  if (keyword === 'required') return `${where === '' ? '' : `${where}.`}${params?.missingProperty} is missing`;
  if (/^(content|title)$/.test(where) && /^(pattern|minLength)$/.test(keyword ?? '')) return `${where} is empty`;
  return `${where} ${error ? faultText(error) : 'is not valid'}`.trim();
}
