/** Whose rows are meant: all of a tenant, or those of one of its end users. */
export interface Owner {
  tenantId: string;
  endUser?: string;
}

/** Returns the condition of an owner's rows in a table with both columns, and its values. */
export function ownerCondition({ tenantId, endUser }: Owner): { sql: string; values: string[] } {
  return endUser === undefined
    ? { sql: 'tenantId = ?', values: [tenantId] }
    : { sql: 'tenantId = ? AND endUser = ?', values: [tenantId, endUser] };
}
