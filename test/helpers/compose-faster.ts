import { createRequire } from 'node:module';
import { Ajv } from 'ajv';

// Test files and scenarios compose a daemon each, hundreds per run. With this module imported, each schema is compiled once
// per process, and Fastify does not search all loaded modules for the name of each plugin, which only its errors mention.

type Compile = (this: object, schema: object, options?: object) => unknown;

Object.defineProperty(Function.prototype, Symbol.for('fastify.display-name'), { value: 'plugin', writable: true });

const require = createRequire(import.meta.url);
const path = require.resolve('fast-json-stringify');
const load = require.extensions['.js']!;
// While it is loaded, because ES modules get what it exports then.
require.extensions['.js'] = (module, filename) => {
  load(module, filename);
  if (filename === path) module.exports = once(module.exports, (_, options) => [options]);
};
require(path);
require.extensions['.js'] = load;

const validators = Ajv.prototype as unknown as { compile: Compile };
validators.compile = once(validators.compile, ({ opts: { coerceTypes, discriminator } }) => [
  coerceTypes,
  discriminator,
]);

/** Returns the first result for the same schema and settings. */
function once(compile: Compile, settings: (self: Ajv, options?: object) => unknown[]): Compile {
  const compiled = new Map<string, unknown>();
  return function (schema, options) {
    const key = JSON.stringify([settings(this as Ajv, options), schema]);
    const known = compiled.get(key) ?? compile.call(this, schema, options);
    compiled.set(key, known);
    return known;
  };
}
