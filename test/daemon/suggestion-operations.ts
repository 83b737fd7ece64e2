/** Every route that takes the id of a suggestion. */
export const SUGGESTION_OPERATIONS = {
  'it is read': { route: 'get /v1/suggestions/{id}', method: 'GET', path: '' },
  'it is accepted': { route: 'post /v1/suggestions/{id}/accept', method: 'POST', path: '/accept' },
  'it is rejected': { route: 'post /v1/suggestions/{id}/reject', method: 'POST', path: '/reject' },
  'it is undone': { route: 'post /v1/suggestions/{id}/undo', method: 'POST', path: '/undo' },
} as const;
