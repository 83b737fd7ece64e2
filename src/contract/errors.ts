/** The error codes of the API with their HTTP status and title; server and client share this table. */
export const ERRORS = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  unauthenticated: { status: 401, title: 'A valid API key is required' },
  forbidden: { status: 403, title: 'Not allowed' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  conflict: { status: 409, title: 'Conflict with the current state' },
  gone: { status: 410, title: 'No longer available' },
  precondition_failed: { status: 412, title: 'Changed since it was read' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  unprocessable: { status: 422, title: 'The request cannot be processed' },
  rate_limited: { status: 429, title: 'Too many requests' },
  quota_exceeded: { status: 429, title: 'The quota is used up' },
  headers_too_large: { status: 431, title: 'The request headers are too large' },
  internal: { status: 500, title: 'Internal error' },
  provider_failed: { status: 502, title: 'The provider failed' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
  storage_full: { status: 507, title: 'The storage is full' },
} as const;

export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

export interface FieldError {
  /** JSON pointer into the body, or the name of the parameter. */
  path: string;
  message: string;
}

export interface AppErrorOptions {
  errors?: FieldError[];
  /** Whole seconds for `Retry-After`. */
  retryAfterSeconds?: number;
  /** Additional members of the problem document, e.g. the state of a quota. */
  extra?: Record<string, unknown>;
  cause?: unknown;
}

/** An error that callers see: `code` is from the table, `message` says what is wrong and what to do next. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly options: AppErrorOptions;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.options = options;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** Why one item of several was refused. Throws again what is not about the item. */
export function refusalOf(error: unknown): { code: ErrorCode; message: string } {
  if (!(error instanceof AppError) || error.status >= 500) throw error;
  return { code: error.code, message: error.message };
}

/** The error of an `If-Match` that names another state than the current one. */
export function changedSinceRead(resource: string): AppError {
  return new AppError('precondition_failed', `The ${resource} was changed since it was read. Read it again first.`);
}
