import type { Tier } from '../../../client/client.ts';
import { queryString } from '../../../client/transport.ts';
import type {
  OperatorInvitation,
  OperatorOverview,
  OperatorTask,
  OperatorTenant,
  OperatorTenantsQuery,
} from '../../../contract/operator.ts';
import { describeError } from '../../errors.ts';
import { showToast } from '../../parts/toasts.tsx';
import { asOperator, OperatorEnded } from '../../shell/operator-session.ts';

interface TenantPage {
  data: OperatorTenant[];
  nextCursor: string | null;
}

const ROOT = '/v1/operator';
const ERASE_TIMEOUT_MS = 600_000;

function get<T>(path: string, signal: AbortSignal): Promise<T> {
  return asOperator(({ send }) => send<T>('GET', ROOT + path, undefined, { signal }));
}

function post<T = void>(path: string, body?: object): Promise<T> {
  return asOperator(({ send }) => send<T>('POST', ROOT + path, body));
}

const tenantPath = (tenantId: string) => `${ROOT}/tenants/${encodeURIComponent(tenantId)}`;

/** The calls of the operator's session. */
export const operatorCalls = {
  overview: (signal: AbortSignal) => get<OperatorOverview>('/overview', signal),
  tenants: (query: OperatorTenantsQuery, signal: AbortSignal) =>
    get<TenantPage>(`/tenants${queryString(query)}`, signal),
  setTier: (tenantId: string, tier: Tier) =>
    asOperator(({ send }) => send<void>('PATCH', tenantPath(tenantId), { tier })),
  erase: (tenantId: string) =>
    asOperator(({ send }) => send<void>('DELETE', tenantPath(tenantId), undefined, { timeoutMs: ERASE_TIMEOUT_MS })),
  invitations: (signal: AbortSignal) => get<{ data: OperatorInvitation[] }>('/invitations', signal),
  invite: (email: string) => post('/invitations', { email }),
  withdraw: (email: string) =>
    asOperator(({ send }) => send<void>('DELETE', `${ROOT}/invitations/${encodeURIComponent(email)}`)),
  check: () => post<OperatorTask>('/check'),
  backup: () => post<OperatorTask>('/backup'),
};

/** Says why a call failed, unless the whole view says that the session has ended. */
export function sayFailure(error: unknown): void {
  if (!(error instanceof OperatorEnded)) showToast(describeError(error), 'error');
}
