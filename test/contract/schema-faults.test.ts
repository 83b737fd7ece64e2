import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { Name, Text } from '../../src/contract/common.ts';
import { faultText } from '../../src/contract/schema-faults.ts';
import { NewSpace } from '../../src/contract/spaces.ts';

const ajv = new Ajv({ allowUnionTypes: true });
formats.default(ajv);

test.each([
  [{ type: 'string' }, 5, 'must be a string'],
  [{ type: ['object', 'null'] }, 5, 'must be an object or null'],
  [{ type: 'boolean' }, 'yes', 'must be true or false'],
  [{ type: 'string', minLength: 1 }, '', 'must not be empty'],
  [{ type: 'string', minLength: 8 }, 'short', 'must have at least 8 characters'],
  [{ type: 'string', maxLength: 1 }, 'two', 'must have at most 1 character'],
  [{ type: 'array', minItems: 1 }, [], 'must not be empty'],
  [{ type: 'array', maxItems: 2 }, [1, 2, 3], 'must have at most 2 items'],
  [{ type: 'object', minProperties: 1 }, {}, 'must not be empty'],
  [{ type: 'object', maxProperties: 1 }, { a: 1, b: 2 }, 'must have at most 1 field'],
  [{ type: 'integer', minimum: 1 }, 0, 'must be at least 1'],
  [{ type: 'integer', maximum: 100 }, 101, 'must be at most 100'],
  [{ enum: ['asc', 'desc'] }, 'up', 'must be one of asc, desc'],
  [{ type: 'string', format: 'date-time' }, 'soon', 'must be a time such as 2026-11-30T09:00:00Z'],
  [{ type: 'string', format: 'date' }, 'soon', 'must be a date such as 2026-11-30'],
  [{ type: 'string', pattern: '^a' }, 'b', 'must match pattern "^a"'],
  [Text(10), ' \n', 'must not be blank'],
  [Name, 'a\nb', 'must not have control characters'],
  [NewSpace.properties.name, ' ', 'must not begin or end with white space, nor have control characters'],
])('what %j refuses is said in words', (schema, value, text) => {
  const check = ajv.compile(schema);
  expect(check(value)).toBe(false);
  expect(faultText(check.errors![0]!)).toBe(text);
});
