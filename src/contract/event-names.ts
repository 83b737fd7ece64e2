/** Kinds of changes in an account. `reset` means that changes were missed: reload what you show. */
export const EVENT_NAMES = [
  ...(['memory.created', 'memory.updated', 'memory.deleted'] as const),
  ...(['conversation.created', 'conversation.appended', 'conversation.updated', 'conversation.deleted'] as const),
  ...(['episode.created', 'episode.updated', 'episode.deleted'] as const),
  ...(['suggestion.created', 'suggestion.accepted', 'suggestion.rejected', 'suggestion.undone'] as const),
  ...(['job.changed', 'feedback', 'user.deleted', 'account.changed', 'reset'] as const),
] as const;
