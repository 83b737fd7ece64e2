import type { AppError } from '../../contract/errors.ts';
import type { OperatorOverview } from '../../contract/operator.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { LimitSignIns } from '../auth/sign-in-limit.ts';
import type { OperatorSessions } from './operator-sessions.ts';
import type { Task } from './operator-tasks.ts';
import type { OperatorTenants } from './operator-tenants.ts';

/** Dependencies of the operator's routes. */
export interface OperatorParts {
  sessions: OperatorSessions;
  accounts: Accounts;
  tenants: OperatorTenants;
  check: Task;
  /** Undefined where the database's own tools make backups. */
  backup: Task | undefined;
  overview(): Promise<OperatorOverview>;
  limitSignIns: LimitSignIns;
  /** The error of a path that does not exist. */
  noSuchPath(): AppError;
}
