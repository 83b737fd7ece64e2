import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Activity } from '../features/activity/activity.ts';
import { type AnswerIds, idsOfAnswer, idsOfPath } from '../features/activity/activity.ts';
import { type McpNote, onAnswer } from './answered.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The ids in the answer, once there is one. */
    answerIds: AnswerIds | null;
  }
}

/** Notes every authenticated request of a server as activity. */
export function watchActivity(app: FastifyInstance, activity: Pick<Activity, 'note'>): void {
  app.decorateRequest('answerIds', null);
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    if (request.principal) request.answerIds = idsOfAnswer(payload);
    done(null, payload);
  });
  onAnswer(app, ({ request, requestId: id, status, milliseconds, mcpNote }) => {
    if (!request.principal) return;
    const what = mcpNote ? mcpRequest(mcpNote) : restRequest(request);
    const { tenantId, author = null } = request.principal;
    activity.note(tenantId, { id, status, milliseconds, author, ...what });
  });
}

function restRequest(request: FastifyRequest) {
  const ofPath = idsOfPath(request.params);
  const { ids, itemCount, searchId } = request.answerIds ?? ofPath;
  return {
    client: request.principal.client,
    transport: 'rest' as const,
    method: request.method,
    route: documentedPath(request.routeOptions.url ?? 'none'),
    ids: ids.length > 0 ? ids : ofPath.ids,
    itemCount: itemCount > 0 ? itemCount : ofPath.itemCount,
    searchId: searchId ?? ofPath.searchId,
  };
}

function mcpRequest({ client, method, tool = '/v1/mcp', status, ids = [], itemCount = 0, searchId = null }: McpNote) {
  return {
    ...{ client, method, ids, itemCount, searchId },
    transport: 'mcp' as const,
    route: tool,
    ...(status !== undefined && { status }),
  };
}

/** `/v1/memories/:id` as the documentation has it: `/v1/memories/{id}`. */
export function documentedPath(pattern: string): string {
  let path = documentedPaths.get(pattern);
  if (path === undefined) {
    path = pattern.replaceAll(/:(\w+)/g, '{$1}');
    documentedPaths.set(pattern, path);
  }
  return path;
}

/** Holds at most one entry per route. */
const documentedPaths = new Map<string, string>();
