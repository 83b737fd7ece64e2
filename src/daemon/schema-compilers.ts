import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv, type ErrorObject } from 'ajv';
import addFormatsModule from 'ajv-formats';
import fastJsonStringify from 'fast-json-stringify';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Compiles the schemas that no request needed yet, with a pause after each, which takes 2 ms on average. */
    compileSchemas(pauseMs: number): Promise<void>;
  }
}

/** Schema of query or path parameters. */
interface TextSchema {
  properties?: Record<string, { type?: string }>;
}

type Validated = true | { error: ErrorObject[] };

// ajv-formats is CommonJS; its types put the function under `default`.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

/**
 * Validates bodies strictly, without coercion or dropping fields; query strings are text and coerced to their schema.
 * Compiles each schema when a request first needs it: compiling all of them would take half of the startup time.
 */
export function compileWhenNeeded(app: FastifyInstance): void {
  // Tests check the document of the API, which has the same schemas, so that no start has to.
  const options = { allErrors: false, strict: false, validateSchema: false, meta: false };
  const body = new Ajv({ ...options, discriminator: true });
  const text = new Ajv({ ...options, coerceTypes: true, useDefaults: true });
  addFormats(body);
  addFormats(text);
  const pending: (() => unknown)[] = [];

  function once<T>(compile: () => T): () => T {
    let compiled: T | undefined;
    const get = () => (compiled ??= compile());
    pending.push(get);
    return get;
  }

  app.setValidatorCompiler<TextSchema>(({ schema, httpPart }) => {
    const compiled = once(() => (httpPart === 'body' ? body : text).compile(schema));
    const validate = (values: unknown): Validated => compiled()(values) || { error: compiled().errors ?? [] };
    return httpPart === 'body' ? validate : requirePlainIntegers(schema, validate);
  });
  app.setSerializerCompiler(({ schema }) => {
    const compiled = once(() => fastJsonStringify(schema));
    return (value) => compiled()(value);
  });
  app.decorate('compileSchemas', async (pauseMs) => {
    for (const compile of pending.splice(0)) {
      compile();
      await sleep(pauseMs, undefined, { ref: false });
    }
  });
}

const NOT_AN_INTEGER = { keyword: 'type', schemaPath: '', params: {}, message: 'must be a decimal integer' };

/** Coercion alone would accept `1e1`, `0x5` and ` 5`. */
function requirePlainIntegers(
  { properties = {} }: TextSchema,
  validate: (values: unknown) => Validated,
): (values: Record<string, unknown>) => Validated {
  const integers = Object.entries(properties).flatMap(([name, { type }]) => (type === 'integer' ? [name] : []));
  return (values) => {
    const name = integers.find((one) => values[one] !== undefined && !/^-?\d+$/.test(String(values[one])));
    return name === undefined ? validate(values) : { error: [{ instancePath: `/${name}`, ...NOT_AN_INTEGER }] };
  };
}
