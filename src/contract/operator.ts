import { type Static, Type } from 'typebox';
import { Nullable, Page, PageQuery, strict } from './common.ts';
import { Tier } from './limits.ts';

const Moment = Type.String({ format: 'date-time' });

/** A one-use ticket of `svc admin open`. */
export const OperatorTicket = Type.Object({ ticket: Type.String({ minLength: 1, maxLength: 200 }) }, strict);

/** The operator's session in a browser on the daemon's machine. Its token is only in the cookie. */
export const OperatorSession = Type.Object({ csrf: Type.String(), expiresAt: Moment });
export type OperatorSession = Static<typeof OperatorSession>;

/** Long work of the daemon: only one of its kind runs at a time. */
export const OperatorTask = Type.Object({
  state: Type.Enum(['running', 'done', 'failed']),
  startedAt: Moment,
  finishedAt: Nullable(Moment),
  /** How much is done, 0 to 1; null if unknown. */
  share: Nullable(Type.Number()),
  /** The problems found in the database, or why the task failed. */
  problems: Type.Array(Type.String()),
});
export type OperatorTask = Static<typeof OperatorTask>;

const Count = Type.Integer();

export const OperatorOverview = Type.Object({
  version: Type.String(),
  engine: Type.Enum(['sqlite', 'postgres']),
  startedAt: Moment,
  now: Moment,
  /** Daemons that serve the same database. */
  daemons: Count,
  dataBytes: Count,
  /** Free disk space of the data folder. */
  freeBytes: Count,
  /** As in `/readyz`: "ok", or what is wrong. */
  checks: Type.Record(Type.String(), Type.String()),
  queues: Type.Object({ writes: Count, embeddings: Count, jobs: Count, mails: Count }),
  /** Requests to this daemon since its start, by route of the API, most frequent first. */
  requests: Type.Array(
    Type.Object({
      method: Type.String(),
      route: Type.String(),
      count: Count,
      p50Ms: Type.Number(),
      p95Ms: Type.Number(),
    }),
  ),
  /** Null on PostgreSQL, whose own tools make backups. */
  backups: Nullable(
    Type.Object({
      folder: Type.String(),
      /** Every file is complete and was checked when it was made. */
      newest: Nullable(Type.Object({ name: Type.String(), bytes: Count, createdAt: Moment })),
      /** When the last backup to any file was started; null if none is known. */
      lastStartedAt: Nullable(Moment),
      task: Nullable(OperatorTask),
    }),
  ),
  check: Nullable(OperatorTask),
});
export type OperatorOverview = Static<typeof OperatorOverview>;

/** An account as the operator sees it, without anything that it stores. */
export const OperatorTenant = Type.Object({
  tenantId: Type.String(),
  email: Type.String(),
  tier: Tier,
  createdAt: Moment,
  /** The last request with its key or a session, precise to the minute. */
  lastSeenAt: Nullable(Moment),
  memories: Count,
  storedBytes: Count,
});
export type OperatorTenant = Static<typeof OperatorTenant>;
export const OperatorTenantPage = Page(OperatorTenant);

export const OperatorTenantsQuery = Type.Object(
  {
    ...PageQuery,
    /** Part of the address. */
    email: Type.Optional(Type.String({ maxLength: 254 })),
    sort: Type.Optional(Type.Enum(['created', 'email', 'storedBytes'], { default: 'created' })),
  },
  strict,
);
export type OperatorTenantsQuery = Static<typeof OperatorTenantsQuery>;

export const OperatorTenantParams = Type.Object({ tenantId: Type.String({ maxLength: 300 }) });
export const OperatorTierChange = Type.Object({ tier: Tier }, strict);

const Invitation = Type.Object({ email: Type.String(), createdAt: Moment });
export type OperatorInvitation = Static<typeof Invitation>;
export const OperatorInvitations = Type.Object({ data: Type.Array(Invitation) });
export const OperatorInvitationParams = Type.Object({ email: Type.String({ maxLength: 320 }) });
export const NewOperatorInvitation = Type.Object({ email: Type.String({ minLength: 3, maxLength: 320 }) }, strict);
