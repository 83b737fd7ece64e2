/** Every request that names a connection. */
export const CONNECTION_OPERATIONS: Record<string, { route: string; method: string; body?: object; succeeds: number }> =
  {
    reading: { route: 'get /v1/connections/{id}', method: 'GET', succeeds: 200 },
    binding: { route: 'patch /v1/connections/{id}', method: 'PATCH', body: { space: null }, succeeds: 200 },
    ending: { route: 'delete /v1/connections/{id}', method: 'DELETE', succeeds: 204 },
  };
