import { Ajv, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import { parseJson } from '../parse-json.ts';

// ajv-formats is CommonJS; its types put the function under `default`.
const addFormats = addFormatsModule.default;
const checks = new WeakMap<object, ValidateFunction>();

/** Parses a model's output and validates it; `undefined` if it is not JSON or does not match the schema. */
export function parseModelOutput(text: string, check: ValidateFunction): { value: unknown } | undefined {
  const value = parseJson(stripWrapping(text));
  return value !== undefined && check(value) ? { value } : undefined;
}

const FENCE = '```';

/**
 * Strips reasoning and code fences, which models emit even when told not to. The closing fence is found without a
 * regular expression: one that backtracks over megabytes of blanks from a hostile server would not finish.
 */
function stripWrapping(text: string): string {
  const output = text.replace(/^\s*<think>[\s\S]*?<\/think>/, '').trim();
  const opening = /^```[a-z]*\s*\n/i.exec(output)?.[0];
  if (opening === undefined || !output.endsWith(FENCE)) return output;
  return output.slice(opening.length, -FENCE.length).trim();
}

/**
 * Compiles a JSON schema and caches the validator for the lifetime of the schema object. Throws if it is not a valid
 * schema.
 */
export function compileSchema(schema: object): ValidateFunction {
  const known = checks.get(schema);
  if (known) return known;
  const ajv = new Ajv({ strict: false, logger: false });
  addFormats(ajv);
  const check = ajv.compile(schema);
  checks.set(schema, check);
  return check;
}
