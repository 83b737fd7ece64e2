/** The owner of rows: a whole tenant, or one of its end users. */
export interface Owner {
  tenantId: string;
  endUser?: string;
}

/**
 * Returns the condition of the rows of an owner that is being erased, in a table with both columns, and its values. It
 * spares a user that was created again after another daemon had finished the erasure.
 */
export function erasedCondition({ tenantId, endUser }: Owner): { sql: string; values: string[] } {
  if (endUser === undefined) return { sql: 'tenantId = ?', values: [tenantId] };
  const isErased = 'EXISTS (SELECT 1 FROM scopes s WHERE s.tenantId = ? AND s.endUser = ? AND s.erasedAt IS NOT NULL)';
  return { sql: `tenantId = ? AND endUser = ? AND ${isErased}`, values: [tenantId, endUser, tenantId, endUser] };
}
