import { type Static, Type } from 'typebox';
import { Nullable, Page, PageQuery, strict, Timestamp } from './common.ts';

export const ActivityTransport = Type.Enum(['rest', 'mcp']);

/** One authenticated request, without any of its content. */
export const ActivityEntry = Type.Object({
  id: Type.String({ description: 'The `X-Request-Id` of the response' }),
  at: Type.String({ format: 'date-time', description: 'When the response ended' }),
  client: Type.String({
    description: 'What MCP calls `clientInfo`, or the product in User-Agent; `svc web app` for the web app',
  }),
  transport: ActivityTransport,
  method: Type.String({ description: 'The HTTP method, or that of the MCP message' }),
  route: Type.String({
    description: 'The pattern of the path, such as `/v1/memories/{id}`, or the name of the MCP tool',
  }),
  status: Type.Integer({ description: 'The HTTP status; for an MCP tool the one that its error has over REST' }),
  milliseconds: Type.Number(),
  ids: Type.Array(Type.String(), { description: 'Ids of what was found or written, 20 at most' }),
  itemCount: Nullable(
    Type.Integer({
      description: 'How many items were found or written; null for a request that an earlier version stored',
    }),
  ),
  searchId: Nullable(Type.String({ description: 'The search that it ran, or gave feedback on' })),
  author: Nullable(Type.String({ description: 'The address of the member who asked in a space; null elsewhere' })),
});
export type ActivityEntry = Static<typeof ActivityEntry>;
export const ActivityPage = Page(ActivityEntry);

/** The name of a client. */
export const ClientName = Type.String({ minLength: 1, maxLength: 100 });

export const ActivityQuery = Type.Object(
  {
    ...PageQuery,
    client: Type.Optional(Type.String({ ...ClientName, description: 'Only requests of this client' })),
    exceptClient: Type.Optional(Type.String({ ...ClientName, description: 'No requests of this client' })),
    transport: Type.Optional(ActivityTransport),
    route: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Only requests of this route, or MCP tool' }),
    ),
    status: Type.Optional(
      Type.String({ pattern: '^[1-5](\\d\\d|xx)$', description: 'A status such as `404`, or a class such as `4xx`' }),
    ),
    after: Type.Optional(Timestamp),
    before: Type.Optional(Timestamp),
  },
  strict,
);
export type ActivityQuery = Static<typeof ActivityQuery>;

export const ActivityStatsQuery = Type.Object(
  { exceptClient: Type.Optional(Type.String({ ...ClientName, description: 'No requests of this client' })) },
  strict,
);
export type ActivityStatsQuery = Static<typeof ActivityStatsQuery>;

const Milliseconds = (description: string) => Nullable(Type.Number({ description }));

export const ActivityDay = Type.Object({
  day: Type.String({ description: 'UTC, YYYY-MM-DD' }),
  requests: Type.Integer({ description: 'Those that are stored; see usage for all' }),
  p50: Milliseconds('The median latency in milliseconds; null without requests'),
  p95: Milliseconds('The latency in milliseconds that 95 % of the requests did not exceed; null without requests'),
});

export const ActivityClient = Type.Object({
  client: Type.String(),
  transport: ActivityTransport,
  requests: Type.Integer(),
  lastSeenAt: Type.String({ format: 'date-time' }),
});

/** Latencies by day and clients, of the stored requests without event streams. */
export const ActivityStats = Type.Object({
  days: Type.Array(ActivityDay, { description: 'The last 30 days, today last' }),
  clients: Type.Array(ActivityClient, { description: 'The latest 100, the last seen first' }),
});
export type ActivityStats = Static<typeof ActivityStats>;
