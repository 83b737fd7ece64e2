/** Every route that takes the id of a webhook, and of a delivery. Erasing comes last. */
export const WEBHOOK_OPERATIONS = {
  'it is read': { route: 'get /v1/webhooks/{id}', method: 'GET', path: () => '', body: undefined },
  'it is changed': { route: 'patch /v1/webhooks/{id}', method: 'PATCH', path: () => '', body: { active: false } },
  'its secret is rotated': {
    ...{ route: 'post /v1/webhooks/{id}/rotate-secret', method: 'POST', path: () => '/rotate-secret', body: undefined },
  },
  'it is tested': { route: 'post /v1/webhooks/{id}/test', method: 'POST', path: () => '/test', body: undefined },
  'its deliveries are listed': {
    ...{ route: 'get /v1/webhooks/{id}/deliveries', method: 'GET', path: () => '/deliveries', body: undefined },
  },
  'a delivery is replayed': {
    ...{ route: 'post /v1/webhooks/{id}/deliveries/{deliveryId}/replay', method: 'POST', body: undefined },
    path: (delivery: string) => `/deliveries/${delivery}/replay`,
  },
  'it is removed': { route: 'delete /v1/webhooks/{id}', method: 'DELETE', path: () => '', body: undefined },
} as const;
