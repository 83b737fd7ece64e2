import type { ErrorCode } from './errors.ts';
import type { Scope } from './scopes.ts';

/**
 * What the OpenAPI document says about an operation beyond its route and schemas. Statuses, headers and parameters that
 * follow from it are derived in `daemon/openapi-document.ts`.
 */
export interface Operation {
  /** Unique and dotted, such as `memories.create`: generated clients name their methods after it. */
  id: string;
  /** What it does, as a title. */
  summary: string;
  /** The group that documentation lists it in, one of `TAGS`. */
  tag: string;
  description: string;
  /** Query parameters that the schema of the route cannot name. */
  parameters?: readonly QueryParameter[];
  /** Example of the request body, if there is one. */
  request?: unknown;
  /** The body may be absent. */
  optionalBody?: true;
  /** Media types of a request body that is read as a stream and therefore has no schema. */
  upload?: readonly string[];
  /** Example of the response body, if there is one. */
  answer?: unknown;
  /** The response is a single resource with an `ETag`. PATCH, PUT and DELETE honor `If-Match`, GET `If-None-Match`. */
  etag?: true;
  /** Honors `If-Match` although it responds without an `ETag`. */
  ifMatch?: true;
  /** Accepts `Idempotency-Key`. */
  once?: true;
  /** The response names the created resource in `Location`. */
  location?: true;
  /** Accepts `Last-Event-ID`. */
  resumable?: true;
  /** Headers that responses of this operation may carry besides those of every response. */
  headers?: readonly string[];
  /** The scope that callers need; by default `memory:read` for GET and `memory` for other methods. */
  scope?: Scope;
  /** Acts on the caller's own account, also where a space is named: such a request is refused. */
  personal?: true;
  /** Errors besides those of every operation with the same method, parameters and flags. */
  errors?: readonly ErrorCode[];
}

/** A query parameter as in OpenAPI. The members of an object are parameters of their own. */
export interface QueryParameter {
  name: string;
  in: 'query';
  description: string;
  style?: 'form';
  explode?: boolean;
  schema: Record<string, unknown>;
  example: unknown;
}

/** Operations by method and path, as in `POST /v1/memories/{id}`. */
export type Operations = Readonly<Record<string, Operation>>;

/** Headers of answers that no cache and no other site may see. */
export const PRIVATE = ['Cache-Control', 'Referrer-Policy'];

/** Gives operations the same tag. */
export function tagged(tag: string, operations: Readonly<Record<string, Omit<Operation, 'tag'>>>): Operations {
  return Object.fromEntries(Object.entries(operations).map(([key, operation]) => [key, { ...operation, tag }]));
}

/** The tags of operations with their descriptions, in the order of the documentation. */
export const TAGS: Readonly<Record<string, string>> = {
  memories: 'Facts, preferences and decisions to remember, with all their versions.',
  'memory stores': 'Files of agents by path, as Anthropic’s SDK speaks them. The key may also be sent as `x-api-key`.',
  search: 'Ranked search over memories, messages and episodes, and the feedback it learns from.',
  suggestions: 'Suggested changes of memories, and your decisions on them.',
  topics: 'What memories are about: people, places, projects and things.',
  conversations: 'Conversations and their messages.',
  episodes: 'Spans of time that an assistant can recall as one.',
  users: 'End users of the account: how much is stored of each, and its erasure.',
  jobs: 'Background work, such as extracting memories from a conversation.',
  'provider keys': 'Your own keys for model providers, and what svc may do with them.',
  activity: 'What was asked of the account, by which client, and what changed.',
  webhooks: 'Addresses that svc posts changes to, and what was delivered.',
  spaces:
    'Memories that several accounts share, their members and what happened in them. The header `X-Svc-Space`, with the id or name of a space, makes every other route act in it, except those about the own account.',
  account: 'The account of the calling key: limits, usage and erasure.',
  portability: 'Export and import of a whole account.',
  auth: 'Sign-in by mailed link.',
  session: 'The session of a browser that uses the web app.',
  connections: 'What may use the account besides its API key.',
};

/** Descriptions of parameters by name, for those whose schema has none. */
export const PARAMETERS: Readonly<Record<string, string>> = {
  after: 'Only items after this time.',
  before: 'Only items before this time.',
  conversationId: 'Only items of this conversation.',
  by: 'Only those that svc, a model or an assistant suggested.',
  cursor: 'The `nextCursor` of the previous page, with the same filters.',
  deliveryId: 'The id of the delivery.',
  memberId: 'The id of the member, or of the invitation.',
  days: 'How many days, up to today.',
  externalId: 'The id that you gave the memory.',
  format: 'The format of the file.',
  hidden: 'Only the hidden ones.',
  id: 'The id of the resource.',
  includeSuperseded: 'Adds memories that were superseded.',
  kind: 'Only suggestions of this kind.',
  limit: 'The most items of a page.',
  messageId: 'The id of the message.',
  operation: 'Only versions that record this kind of change.',
  order: 'The order of the items.',
  provider: 'The name of the provider.',
  searchId: 'The id of the search.',
  state: 'Only items in this state.',
  tag: 'Only memories with this tag; in an import, a tag for every memory.',
  tags: 'Only memories with all of these tags.',
  transport: 'Only requests over this transport.',
  token: 'The token in the mailed link.',
  view: '`full`: with the content.',
  user: 'The end user; in a list, only items of this one.',
};
