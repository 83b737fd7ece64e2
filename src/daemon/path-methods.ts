import type { FastifyInstance, RouteOptions } from 'fastify';
import { AppError } from '../contract/errors.ts';
import { noSuchPath } from './problems.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route exists only to refuse its methods: `Allow` does not list them. */
    refusesMethod?: boolean;
    /** The route is the operator's: unknown to others, and no credential of an account counts. */
    isOperatorRoute?: boolean;
  }
}

interface KnownPath {
  pattern: RegExp;
  methods: Set<string>;
}

/**
 * Answers requests for a known path with a method that it does not support: `OPTIONS` with 204, anything else with
 * `method_not_allowed`, both with `Allow`. Call it before the routes are added.
 */
export function answerOtherMethods(app: FastifyInstance): void {
  const paths = new Map<string, KnownPath>();
  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    if (methods.includes('HEAD')) omitLengthOfNoContent(route);
    if (route.config?.refusesMethod || route.config?.isOperatorRoute) return;
    const known = paths.get(route.url) ?? { pattern: patternOf(route.url), methods: new Set(['OPTIONS']) };
    for (const method of methods) known.methods.add(method);
    paths.set(route.url, known);
  });
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const allowed = methodsOf(request.url, paths.values());
    // Thrown before the body is parsed.
    if (allowed.length === 0) throw noSuchPath();
    reply.header('Allow', allowed.join(', '));
    if (request.method === 'OPTIONS') return reply.code(204).send();
    const message = `This path does not support ${request.method}, only ${allowed.join(', ')}.`;
    throw new AppError('method_not_allowed', message);
  });
}

/** Fastify gives every empty answer to HEAD a length of 0, but GET would not send one with a 204 or 304. */
function omitLengthOfNoContent(route: RouteOptions): void {
  const omit: RouteOptions['onSend'] = async (_request, reply, payload) => {
    if (reply.statusCode === 204 || reply.statusCode === 304) reply.removeHeader('content-length');
    return payload;
  };
  route.onSend = [route.onSend ?? [], omit].flat();
}

function methodsOf(url: string, paths: Iterable<KnownPath>): string[] {
  const path = decoded(url.split('?', 1)[0]!);
  const matching = [...paths].filter(({ pattern }) => pattern.test(path));
  return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort();
}

/** Leaves encoded slashes encoded, as the router does. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function patternOf(route: string): RegExp {
  const segments = route.split('/').map((segment) => {
    if (segment.startsWith(':')) return '[^/]+';
    return segment === '*' ? '.*' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${segments.join('/')}$`);
}
