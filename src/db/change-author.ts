/**
 * Returns an SQL expression for the address of who made a change, whose row has the alias `of`: the author of the version, the
 * message or the job, or who decided the suggestion. NULL outside of spaces, for what was erased, and where it is not stored.
 * `rowIds` is how many row ids the messages of a conversation have.
 */
export function changeAuthor(of: string, rowIds: number): string {
  const item = (table: string) => `FROM ${table} x WHERE x.tenantId = ${of}.tenantId AND x.id = ${of}.itemId`;
  const message = (ordinal: string) =>
    `(SELECT m.author FROM conversations x
      JOIN messages m ON m.number = x.number * ${rowIds} + ${ordinal} AND (m.tenantId = x.tenantId) IS TRUE
      WHERE x.tenantId = ${of}.tenantId AND x.id = ${of}.itemId)`;
  return `CASE ${of}.kind
    WHEN 'memory.created' THEN (SELECT x.author ${item('memories')} AND x.version = 1)
    WHEN 'memory.updated' THEN (SELECT COALESCE((SELECT n.author FROM memories n
      WHERE n.tenantId = x.tenantId AND n.id = x.supersededBy AND n.current = 1), x.author)
      ${item('memories')} AND x.current = 1)
    WHEN 'conversation.created' THEN ${message('1')}
    WHEN 'conversation.appended' THEN ${message('x.lastOrdinal')}
    WHEN 'job.changed' THEN (SELECT x.author ${item('jobs')})
    WHEN 'suggestion.accepted' THEN (SELECT x.decidedBy ${item('suggestions')})
    WHEN 'suggestion.rejected' THEN (SELECT x.decidedBy ${item('suggestions')})
    WHEN 'suggestion.undone' THEN (SELECT x.decidedBy ${item('suggestions')})
  END`;
}
