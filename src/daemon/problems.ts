import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { AppError, ERRORS, type ErrorCode, type FieldError } from '../contract/errors.ts';
import type { Problem } from '../contract/problem.ts';
import { faultText } from '../contract/schema-faults.ts';
import { networkOf } from '../features/limits/network.ts';
import { anthropicMembers } from './anthropic-wire.ts';
import type { RefusalPace } from './refusal-pace.ts';

/** Bounds of what is read of a body that is too large. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_MS = 5000;

/**
 * Reads and discards the rest of a body, up to a bound. Many clients read the response only when they have sent all of
 * their body: closing the connection earlier would break it before they see why.
 */
function drainBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (request.complete || request.destroyed) return resolve();
    let bytes = 0;
    const finish = () => {
      clearTimeout(timer);
      request.off('data', count).off('end', finish).off('close', finish).off('error', finish);
      resolve();
    };
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) finish();
    };
    const timer = setTimeout(finish, MAX_MS);
    request.on('data', count).once('end', finish).once('close', finish).once('error', finish).resume();
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Parameters of the challenge that a 401 of the route sends to OAuth clients, after the scheme. */
    challenge?: (() => string) | undefined;
  }
}

/** The media type of every error (RFC 9457). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** Builds the problem document of an error (RFC 9457). */
export function toProblem(error: AppError, requestId: string): Problem {
  const { title, status } = ERRORS[error.code];
  return {
    type: `urn:svc:problem:${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    requestId,
    ...(error.options.errors && { errors: error.options.errors }),
    ...error.options.extra,
  };
}

/**
 * Answers every error with a problem document: an `AppError` by the error table, anything else as a logged `internal`.
 * Large bodies of callers without a credential are read at the pace of other refusals.
 */
export function addErrorHandlers(app: FastifyInstance, refusalPace: RefusalPace): void {
  app.setErrorHandler(async (error, request, reply) => {
    const problem = toAppError(error);
    if (problem.code === 'payload_too_large') {
      request.raw.pause();
      if (request.principal === undefined) await refusalPace(networkOf(request.ip));
      await drainBody(request.raw);
    }
    return sendProblem(problem, error, request, reply);
  });
  app.setNotFoundHandler(() => {
    throw noSuchPath();
  });
}

/** The error of a path that does not exist. */
export function noSuchPath(): AppError {
  return new AppError('not_found', 'There is no resource at this path.');
}

/**
 * Sends the problem document with its headers, and logs `cause` as an error if the fault is ours. Being busy, stopping
 * or not ready is expected and logged as a warning only, with its reason as `detail`.
 */
export function sendProblem(problem: AppError, cause: unknown, request: FastifyRequest, reply: FastifyReply) {
  const isBusy = problem.code === 'unavailable' && problem.options.cause === undefined;
  if (isBusy) request.log.warn({ detail: problem.message }, 'request refused');
  else if (problem.code === 'storage_full') request.log.error({ error: cause }, 'request refused: the disk is full');
  else if (problem.status >= 500) request.log.error({ error: cause }, 'request failed');
  const { retryAfterSeconds } = problem.options;
  if (retryAfterSeconds !== undefined) reply.header('Retry-After', retryAfterSeconds);
  if (problem.code === 'unauthenticated') {
    const sent = request.headers.authorization === undefined ? '' : ', error="invalid_token"';
    const challenge = request.routeOptions.config.challenge?.() ?? '';
    reply.header('WWW-Authenticate', `Bearer realm="svc"${sent}${challenge}`);
  }
  const { scope } = problem.options.extra ?? {};
  if (scope !== undefined) {
    reply.header('WWW-Authenticate', `Bearer realm="svc", error="insufficient_scope", scope="${scope}"`);
  }
  const isAnthropic = request.routeOptions.config.wire === 'anthropic';
  const more = isAnthropic ? anthropicMembers(problem, request.id) : {};
  return reply
    .code(problem.status)
    .type(PROBLEM_MEDIA_TYPE)
    .serializer(JSON.stringify)
    .send({ ...toProblem(problem, request.id), ...more });
}

interface FastifyFault extends Error {
  code?: string;
  statusCode?: number;
  validation?: FastifySchemaValidationError[];
  validationContext?: string;
}

const BY_STATUS: Record<number, ErrorCode> = {
  404: 'not_found',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  503: 'unavailable',
};

/** Converts anything thrown to an `AppError`. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const fault = error as FastifyFault;
  if (fault.validation) return invalid(fault.validation, fault.validationContext ?? 'body');
  if (fault.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new AppError(
      'payload_too_large',
      'The body is too large: the limit is 1 MiB, and 16 KiB on routes that need no key.',
    );
  }
  if (fault.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('unsupported_media_type', 'Send the body as application/json.');
  }
  const status = fault.statusCode ?? 500;
  const code = BY_STATUS[status] ?? (status >= 400 && status < 500 ? 'invalid_request' : undefined);
  if (code) return new AppError(code, fault.message);
  return new AppError('internal', "An internal error occurred. The daemon's log has the details under this requestId.");
}

function invalid(validation: readonly FastifySchemaValidationError[], context: string): AppError {
  const errors = validation.map((fault) => fieldError(fault, context));
  const [first] = errors;
  return new AppError('invalid_request', `${first?.path} ${first?.message}.`, { errors });
}

function fieldError(fault: FastifySchemaValidationError, context: string): FieldError {
  const { instancePath, params, keyword } = fault;
  const base = context === 'body' ? instancePath : instancePath.replace(/^\//, '');
  const named = String(params.additionalProperty ?? params.missingProperty ?? '');
  const pointer = `${base}/${named.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const path = named === '' ? base : context === 'body' ? pointer : named;
  if (keyword === 'discriminator') return { path: `${base}/${params.tag}`, message: 'is not a known type' };
  return { path: path === '' ? '/' : path, message: messageOf(fault) };
}

function messageOf(fault: FastifySchemaValidationError): string {
  if (fault.keyword === 'additionalProperties') return 'is not a known field';
  return fault.keyword === 'required' ? 'is required' : faultText(fault);
}
