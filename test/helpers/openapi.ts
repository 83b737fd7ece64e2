import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import type { ApiDocument, ApiOperation } from '../../src/daemon/openapi-document.ts';
import type { TestDaemon } from './daemon.ts';

// ajv-formats is CommonJS; its types put the function under `default`.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

/** An operation of the document with its method and path. */
export interface LocatedOperation extends ApiOperation {
  /** Such as `POST /v1/memories`. */
  route: string;
  method: string;
  path: string;
}

/** The document that the daemon serves, with what tests need to hold answers against it. */
export interface ServedDocument {
  document: ApiDocument;
  text: string;
  operations: LocatedOperation[];
  /** Follows `$ref`, if the value is a reference. */
  resolve<T>(value: T | { $ref: string }): T;
  /** Returns the faults of a value against a schema of the document; empty if it is valid. */
  faultsOf(schema: object, value: unknown): string;
}

export async function loadDocument(daemon: TestDaemon): Promise<ServedDocument> {
  const { text, body } = await daemon.call<Record<string, unknown>>(undefined, '/v1/openapi.json');
  const document = body as unknown as ApiDocument;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema(document, 'svc');
  const validators = new Map<string, ValidateFunction>();

  function resolve<T>(value: T | { $ref: string }): T {
    if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T;
    const names = value.$ref.replace('#/', '').split('/');
    return resolve(names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document) as T);
  }

  return {
    document,
    text,
    operations: Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const located = { method: method.toUpperCase(), path };
        return { ...operation, ...located, route: `${located.method} ${path}` };
      }),
    ),
    resolve,
    faultsOf(schema, value) {
      const key = JSON.stringify(schema);
      const validate = validators.get(key) ?? ajv.compile(JSON.parse(key.replaceAll('"#/', '"svc#/')));
      validators.set(key, validate);
      return validate(value) ? '' : ajv.errorsText(validate.errors, { dataVar: '' });
    },
  };
}
