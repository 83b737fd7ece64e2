import fc from 'fast-check';
import type { JsonSchema } from '../../src/daemon/openapi-schemas.ts';
import type { LocatedOperation, ServedDocument } from './openapi.ts';
import { createValues, marker, optional } from './openapi-values.ts';

/** A request that may contain markers: see `openapi-values.ts`. */
export interface PlannedRequest {
  /** The operation it addresses; absent if its path or method is none of the document's. */
  operation?: LocatedOperation;
  method: string;
  path: string;
  query: [name: string, value: string][];
  headers: Record<string, string>;
  /** Whether it carries the key of its tenant. */
  isSignedIn: boolean;
  body?: string | Uint8Array;
}

/** A parameter of the document. */
interface Parameter {
  in: string;
  name: string;
  schema: JsonSchema;
}

/** Operations that end the tenant, erase much or take long are requested rarely, those that seldom succeed more often. */
const WEIGHTS: Readonly<Record<string, number>> = {
  'DELETE /v1/account': 1,
  'DELETE /v1/auth/key': 1,
  'POST /v1/session': 4,
  'GET /v1/session': 4,
  'DELETE /v1/session': 2,
  'DELETE /v1/users/{user}': 3,
  'DELETE /v1/conversations/{id}': 2,
  'DELETE /v1/conversations/{id}/messages': 2,
  'POST /v1/memories/delete': 6,
  'GET /v1/export': 4,
  'POST /v1/auth/magic-link': 8,
  'POST /v1/auth/token': 4,
  'POST /v1/auth/device': 4,
  'POST /v1/auth/device/token': 4,
  'POST /v1/auth/device/request': 4,
  'POST /v1/auth/device/decision': 4,
  'GET /v1/auth/callback': 4,
  'POST /v1/auth/callback': 4,
  'PUT /v1/provider-keys/{provider}': 6,
  'DELETE /v1/webhooks/{id}': 2,
  'DELETE /v1/memory_stores/{memory_store_id}': 2,
  'POST /v1/memory_stores/{memory_store_id}/archive': 2,
  // Their ids are of few webhooks, so that a delivery is often one of the webhook beside it.
  'DELETE /v1/spaces/{id}': 4,
  'POST /v1/spaces/{id}/leave': 4,
  'DELETE /v1/spaces/{id}/members/{memberId}': 4,
  'POST /v1/spaces': 6,
  'POST /v1/webhooks': 2,
  'POST /v1/webhooks/{id}/test': 40,
  'POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay': 60,
};
const DELETE_WEIGHT = 8;
const USUAL_WEIGHT = 20;

/** The kind of id that a path parameter names, by the segment before it. */
const ID_KINDS: Readonly<Record<string, string>> = {
  memories: 'mem',
  conversations: 'conv',
  messages: 'msg',
  episodes: 'ep',
  jobs: 'job',
  connections: 'con',
  searches: 'srch',
  suggestions: 'sug',
  topics: 'top',
  webhooks: 'whk',
  deliveries: 'whd',
  memory_stores: 'memstore',
  memory_versions: 'memver',
  spaces: 'ten',
  members: 'mbr',
};
/** A body that succeeds, of operations whose generated ones seldom do. */
const LIKELY_BODIES: Readonly<Record<string, object>> = {
  'connections.update': { space: null },
  'spaces.create': { name: 'team' },
  'spaces.update': { name: 'crew' },
  'spaces.members.invite': { email: 'somebody@example.com', role: 'writer' },
  'suggestions.createMany': {
    suggestions: [{ kind: 'add', content: 'Ada drinks tea at four', reason: 'It was said' }],
  },
};
const IMPORT_LINES = [
  '{"type":"svc-export","format":"svc","version":2,"exportedAt":"2026-01-01T00:00:00.000Z"}',
  '{"type":"end","memories":0,"conversations":0,"messages":0,"episodes":0,"learned":0}',
  '{"content":"tea"}',
  'Ada drinks tea',
  '[]',
  '',
];

/** Generates requests that are valid by the document. */
export function validRequests({ operations, resolve }: ServedDocument): fc.Arbitrary<PlannedRequest> {
  const valuesOf = createValues(resolve);

  function requestsOf(operation: LocatedOperation): fc.Arbitrary<PlannedRequest> {
    const parameters = (operation.parameters ?? []).map((one) => resolve<Parameter>(one as Parameter));
    const within = (place: string) => parameters.filter((one) => one.in === place);
    const path = fc.tuple(...within('path').map(({ name, schema }) => pathValues(operation.path, name, schema)));
    const query = fc.tuple(
      ...within('query').map(({ name, schema }) => optional(valuesOf(schema, name), name).map(pairs(name))),
    );
    const headers = fc.tuple(
      ...within('header').map((one) => optional(headerValues(one)).map((value) => [one.name, value] as const)),
    );
    return fc.record({ path, query, headers, body: bodiesOf(operation) }).map((made) => {
      const values = new Map(within('path').map(({ name }, index) => [`{${name}}`, made.path[index]!]));
      const given = made.headers.filter(([, value]) => value !== undefined) as [string, string][];
      return {
        operation,
        method: operation.method,
        path: operation.path.replace(/\{\w+\}/g, (name) => values.get(name)!),
        query: made.query.flat(),
        headers: { ...Object.fromEntries(given), ...made.body?.headers },
        isSignedIn: true,
        ...(made.body && { body: made.body.text }),
      };
    });
  }

  function pathValues(path: string, name: string, schema: JsonSchema): fc.Arbitrary<string> {
    const before = path.split('/').find((_, index, all) => all[index + 1] === `{${name}}`) ?? '';
    const kind = ID_KINDS[before];
    if (before === 'provider-keys') return fc.constantFrom('openai', 'ollama', 'voyage');
    const values = kind ? marker(kind) : (valuesOf(schema, name) as fc.Arbitrary<string>).map(encodeURIComponent);
    return values.filter((value) => value !== '');
  }

  function headerValues({ name }: Parameter): fc.Arbitrary<string> {
    if (name === 'Idempotency-Key') return fc.nat(200).map((index) => `key-${index}`);
    return fc.oneof(marker('etag'), fc.constant('*'));
  }

  function bodiesOf({ requestBody, operationId }: LocatedOperation) {
    if (!requestBody) return fc.constant(undefined);
    const [type, media] = Object.entries(requestBody.content)[0]!;
    const generated = valuesOf(media.schema!).map((value) => encodeBody(type, value));
    const likely = LIKELY_BODIES[operationId ?? ''];
    const texts =
      operationId === 'account.import'
        ? fc.array(fc.constantFrom(...IMPORT_LINES), { maxLength: 4 }).map((lines) => lines.join('\n'))
        : likely
          ? fc.oneof(generated, fc.constant(JSON.stringify(likely)))
          : generated;
    const bodies = texts.map((text) => ({ text, headers: { 'content-type': type } }));
    return requestBody.required ? bodies : optional(bodies);
  }

  const choices = operations.map((operation) => ({
    weight: WEIGHTS[operation.route] ?? (operation.method === 'DELETE' ? DELETE_WEIGHT : USUAL_WEIGHT),
    arbitrary: requestsOf(operation),
  }));
  return fc.oneof(...choices);
}

function encodeBody(type: string, value: unknown): string {
  if (type !== 'application/x-www-form-urlencoded') return JSON.stringify(value);
  const form = new URLSearchParams(value as Record<string, string>).toString();
  return form.replace(/%7B%7B(\w+)\+(\d+)%7D%7D/g, '{{$1 $2}}');
}

/** Spells a query parameter: an array is repeated, and the members of an object are parameters of their own. */
const pairs =
  (name: string) =>
  (value: unknown): [string, string][] => {
    if (value === undefined) return [];
    if (typeof value === 'object' && !Array.isArray(value)) return Object.entries(value as Record<string, string>);
    return [value].flat().map((one) => [name, String(one)]);
  };
