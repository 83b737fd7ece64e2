/** Every route that takes the id of a topic. */
export const TOPIC_OPERATIONS = {
  'it is read': { route: 'get /v1/topics/{id}', method: 'GET', path: '', body: undefined },
  'it is changed': { route: 'patch /v1/topics/{id}', method: 'PATCH', path: '', body: { hidden: true } },
  'others are merged into it': {
    ...{ route: 'post /v1/topics/{id}/merge', method: 'POST', path: '/merge' },
    body: (other: string) => ({ topicIds: [other] }),
  },
  'a name is split off': {
    ...{ route: 'post /v1/topics/{id}/split', method: 'POST', path: '/split' },
    body: { aliases: ['Morgana'] },
  },
} as const;
