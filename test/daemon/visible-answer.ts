import type { Answer } from '../helpers/daemon.ts';

/** Everything a caller can see of a response, except the requested id and values that vary naturally. */
export function visible({ status, headers, text }: Answer<unknown>, id = 'no id') {
  const natural = /^(date|x-request-id|x-ratelimit-.*|ratelimit)$/;
  return {
    status,
    headers: [...headers].filter(([name]) => !natural.test(name)),
    text: text.replaceAll(id, 'ID').replace(/"(requestId|request_id)":"req_[0-9a-f]{32}"/g, '"$1":""'),
  };
}
