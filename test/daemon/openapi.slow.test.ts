import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/all-operations.ts';
import { ERROR_CODES } from '../../src/contract/errors.ts';
import type { JsonSchema } from '../../src/daemon/openapi-schemas.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type LocatedOperation, loadDocument, type ServedDocument } from '../helpers/openapi.ts';

let daemon: TestDaemon;
let served: ServedDocument;

beforeAll(async () => {
  daemon = await startTestDaemon();
  served = await loadDocument(daemon);
});

afterAll(() => daemon.close());

describe('the OpenAPI document', () => {
  test('has no errors and no warnings under the recommended rules of Redocly', async () => {
    // `/external/{externalId}` and `/{id}/history` overlap in `/external/history`, where the static segment comes first.
    // The tests below validate the examples, which Redocly takes seconds for.
    const rules = { 'no-ambiguous-paths': 'off', 'no-invalid-media-type-examples': 'off' } as const;
    const config = await createConfig({ extends: ['recommended'], rules });
    const problems = await lintFromString({ source: served.text, absoluteRef: '/openapi.json', config });
    const lines = problems.map(({ severity, ruleId, message, location }) => {
      return `${severity} ${ruleId} at ${location[0]?.pointer}: ${message}`;
    });
    expect(lines).toEqual([]);
  });

  test('documents every operation', () => {
    const advice = served.operations.flatMap(({ route, operationId, summary, tags, responses }) => [
      ...(OPERATIONS[route] === undefined
        ? [`${route}: add its id, description and examples to a *-operations.ts file of src/contract`]
        : []),
      ...(operationId && !/^[a-z][A-Za-z]*(\.[a-z][A-Za-z]*)+$/.test(operationId)
        ? [`${route}: its id must be dotted, such as memories.create, not ${operationId}`]
        : []),
      ...(summary ? [] : [`${route}: add a summary to the schema of the route`]),
      ...(tags?.length === 1 ? [] : [`${route}: add one tag to the schema of the route`]),
      ...(Object.keys(responses).some((status) => Number(status) < 400)
        ? []
        : [`${route}: add the response of a success to the schema of the route`]),
    ]);
    expect(advice).toEqual([]);
  });

  test('describes every parameter', () => {
    const advice = served.operations.flatMap(({ route, parameters = [] }) =>
      parameters
        .filter((one) => !('$ref' in one) && !one.description)
        .map(
          (one) =>
            `${route}: describe ${JSON.stringify(one)} in its schema, or in PARAMETERS of src/contract/operations.ts`,
        ),
    );
    expect(advice).toEqual([]);
  });

  test('describes every tag that operations have, and no other', () => {
    const used = new Set(served.operations.flatMap(({ tags = [] }) => tags));
    const described = served.document.tags?.map((tag) => (tag as { name: string }).name);
    expect([...used].sort(), 'add a new tag to TAGS in src/contract/operations.ts').toEqual(described?.sort());
  });

  test('has an entry in the contract for no other route', () => {
    const routes = served.operations.map(({ route }) => route);
    expect(Object.keys(OPERATIONS).filter((route) => !routes.includes(route))).toEqual([]);
  });

  test('has an example, valid for its schema, for every body that is sent or received', () => {
    const faults = served.operations.flatMap((operation) =>
      bodiesOf(operation).flatMap(({ where, schema, example }) => {
        if (example === undefined) return [`${where}: add an example to its entry in src/contract`];
        const fault = served.faultsOf(schema, example);
        return fault === '' ? [] : [`${where}: ${fault}`];
      }),
    );
    expect(faults).toEqual([]);
  });

  test('has valid examples of every error', () => {
    const shared = Object.entries(served.document.components.responses!) as [string, ErrorResponse][];
    const own = served.operations.flatMap(({ responses }) => Object.entries(responses)) as unknown as typeof shared;
    const examples = [...shared, ...own].flatMap(([name, { content = {} }]) =>
      Object.values(content).flatMap(({ schema, examples = {} }) =>
        Object.entries(examples).map(([code, { value }]) => ({ where: `${name} ${code}`, code, schema, value })),
      ),
    );
    // No operation answers with these: a path does not have the method, and failures of providers are told by jobs.
    const documented = new Set([...examples.map(({ code }) => code), 'method_not_allowed', 'provider_failed']);
    expect([...documented].sort()).toEqual([...ERROR_CODES].sort());
    expect(examples.filter(({ schema, value }) => served.faultsOf(schema, value) !== '')).toEqual([]);
  });

  test('names every schema of an object or enumeration that occurs more than once', () => {
    const places = new Map<string, Set<string>>();
    const visit = (value: unknown, where: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { description: _, default: __, ...content } = value as JsonSchema;
      if (content.properties !== undefined || content.enum !== undefined) {
        const known = places.get(JSON.stringify(content));
        if (known) return void known.add(where);
        places.set(JSON.stringify(content), new Set([where]));
      }
      for (const [key, inner] of Object.entries(value)) {
        if (key !== 'example' && key !== 'examples') visit(inner, `${where}/${key}`);
      }
    };
    for (const [name, schema] of Object.entries(served.document.components.schemas!)) {
      // What a component is made of may occur again; the component itself may not.
      visit(schema, name);
    }
    for (const { route, parameters, requestBody, responses } of served.operations) {
      visit({ parameters, requestBody, responses }, route);
    }
    const repeated = [...places.entries()].filter(([, where]) => where.size > 1);
    const advice = repeated.map(([schema, where]) => `add to src/contract/components.ts: ${schema} (${[...where]})`);
    expect(advice).toEqual([]);
  });

  test('names the public address as its server', () => {
    expect(served.document.servers).toEqual([{ url: daemon.publicUrl }]);
  });
});

/** A component for the errors with a status. */
interface ErrorResponse {
  content: Record<string, { schema: object; examples: Record<string, { value: unknown }> }>;
}

/** The bodies of an operation with their examples, except those of errors. */
function bodiesOf({ route, requestBody, responses }: LocatedOperation) {
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 400);
  return [
    ...Object.entries(requestBody?.content ?? {}).map(([type, media]) => ({ where: `${route} ${type}`, ...media })),
    ...answers.flatMap(([status, response]) =>
      Object.values('content' in response ? response.content! : {}).map((media) => ({
        where: `${route} ${status}`,
        ...media,
      })),
    ),
  ].map(({ where, schema = {}, example }) => ({ where, schema, example }));
}
