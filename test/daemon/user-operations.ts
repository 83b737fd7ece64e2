/** Every request that names an end user in its path. */
export const USER_OPERATIONS: Record<string, { route: string; method: string; succeeds: number }> = {
  reading: { route: 'get /v1/users/{user}', method: 'GET', succeeds: 200 },
  erasing: { route: 'delete /v1/users/{user}', method: 'DELETE', succeeds: 204 },
};
