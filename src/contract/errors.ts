/** Every error code of the interface with its HTTP status and title; the server reads it one way, the client the other. */
export const ERRORS = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  unauthenticated: { status: 401, title: 'A valid API key is required' },
  forbidden: { status: 403, title: 'Not allowed' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  conflict: { status: 409, title: 'In conflict with the present state' },
  gone: { status: 410, title: 'No longer available' },
  precondition_failed: { status: 412, title: 'Changed since it was read' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  unprocessable: { status: 422, title: 'The request cannot be processed' },
  rate_limited: { status: 429, title: 'Too many requests' },
  quota_exceeded: { status: 429, title: 'The quota is used up' },
  internal: { status: 500, title: 'An error inside svc' },
  provider_failed: { status: 502, title: 'The provider failed' },
  unavailable: { status: 503, title: 'Not available at the moment' },
  storage_full: { status: 507, title: 'The storage is full' },
} as const;

export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

export interface FieldError {
  /** JSON pointer into the body, or the parameter's name. */
  path: string;
  message: string;
}

export interface AppErrorOptions {
  errors?: FieldError[];
  /** Whole seconds for `Retry-After`. */
  retryAfterSeconds?: number;
  /** Further members of the problem document, e.g. the state of a quota. */
  extra?: Record<string, unknown>;
  cause?: unknown;
}

/** The one error type: `code` from the table, `message` says to the caller what is wrong and what to do. */
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

/** The error of an `If-Match` that names another state than the current one. */
export function changedSinceRead(resource: string): AppError {
  return new AppError('precondition_failed', `The ${resource} was changed since it was read. Read it again first.`);
}
