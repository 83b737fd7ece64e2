import { Ajv, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import { parseJson } from '../parse-json.ts';

// ajv-formats is CommonJS; its types put the function under `default`.
const addFormats = addFormatsModule.default;
const checks = new WeakMap<object, ValidateFunction>();

/** The value that a model wrote, or `undefined` where it is no JSON or does not pass the check. */
export function parseModelOutput(text: string, check: ValidateFunction): { value: unknown } | undefined {
  const value = parseJson(stripWrapping(text));
  return value !== undefined && check(value) ? { value } : undefined;
}

const FENCE = '```';

/**
 * Models think aloud and put fences around code, though they were told not to. The end is found without a pattern: one
 * over megabytes of blanks that somebody's server sends would not come to an end.
 */
function stripWrapping(text: string): string {
  const output = text.replace(/^\s*<think>[\s\S]*?<\/think>/, '').trim();
  const opening = /^```[a-z]*\s*\n/i.exec(output)?.[0];
  if (opening === undefined || !output.endsWith(FENCE)) return output;
  return output.slice(opening.length, -FENCE.length).trim();
}

/** Compiled once for a schema that lives on, and forgotten with it. Throws where it is no JSON schema. */
export function compileSchema(schema: object): ValidateFunction {
  const known = checks.get(schema);
  if (known) return known;
  const ajv = new Ajv({ strict: false, logger: false });
  addFormats(ajv);
  const check = ajv.compile(schema);
  checks.set(schema, check);
  return check;
}
