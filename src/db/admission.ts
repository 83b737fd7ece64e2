import { AsyncLocalStorage } from 'node:async_hooks';
import type { Connection } from './connection.ts';

/** What has to hold in the transaction of each write to a tenant, because it may have ended since a request was let in. */
export interface Admission {
  tenantId: string;
  /** The same for admissions that hold or end together, which are checked once in a transaction. */
  key: string;
  /** Throws an `AppError` where it has ended. */
  check(connection: Connection): Promise<void>;
}

const admissions = new AsyncLocalStorage<Admission | undefined>();

/** Runs `work`, whose writes to the tenant of the admission check it; those to other tenants do not. */
export function withAdmission<T>(admission: Admission, work: () => T): T {
  return admissions.run(admission, work);
}

/** Runs `work`, which goes on after the request that starts it, whatever becomes of the caller. */
export function withoutAdmission<T>(work: () => T): T {
  return admissions.run(undefined, work);
}

/** The admission that a write to a tenant has to check. */
export function admissionTo(tenantId: string): Admission | undefined {
  const admission = admissions.getStore();
  return admission?.tenantId === tenantId ? admission : undefined;
}
