import { Ajv, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import type { JsonLimits } from '../../contract/json-scan.ts';
import { excessIn, parseJson } from '../parse-json.ts';

// ajv-formats is CommonJS; its types put the function under `default`.
const addFormats = addFormatsModule.default;
const checks = new WeakMap<object, ValidateFunction>();

/** Far more than models write at once. */
export const MAX_OUTPUT_CHARACTERS = 1024 * 1024;
const OUTPUT_JSON: JsonLimits = { depth: 32, objectMembers: 1000, members: 10_000, values: 20_000 };

/** Parses a model's output and validates it, or returns what is wrong with it: "a response that …". */
export function parseModelOutput(text: string, check: ValidateFunction): { value: unknown } | string {
  if (text.length > MAX_OUTPUT_CHARACTERS) return `a response that exceeds ${MAX_OUTPUT_CHARACTERS} characters`;
  const output = stripWrapping(text);
  const excess = excessIn(output, OUTPUT_JSON);
  if (excess !== undefined) return `a response that ${excess}`;
  const value = parseJson(output);
  return value !== undefined && check(value) ? { value } : 'a response that does not match the schema';
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
