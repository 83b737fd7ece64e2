/**
 * Why a provider call failed. `refused`: the key is invalid, expired or revoked; `out_of_scope`: the key lacks a
 * permission; `rate_limited`: retry later, or after adding credit; `unreachable`: no connection; `slow`: timed out;
 * `failed`: a provider error or an unusable response; `input`: this input or model was rejected; `address`: svc may not
 * call this address.
 */
export type ProviderFaultReason =
  | 'refused'
  | 'out_of_scope'
  | 'rate_limited'
  | 'unreachable'
  | 'slow'
  | 'failed'
  | 'input'
  | 'address';

/** Tokens spent on an unusable response, or on one that broke off. */
export interface TokensSpent {
  inputTokens: number;
  outputTokens: number;
}

/**
 * The message is svc's own, written for people, and says what to do. It never contains the key, the request or the
 * provider's text, since providers echo keys.
 */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  readonly reason: ProviderFaultReason;
  /** How long the provider asks to wait; one hour at most. */
  readonly retryAfterMs: number | undefined;
  /** The input may be the cause: another one may succeed where this one keeps failing. */
  readonly maybeInput: boolean;
  /** Tokens paid for in vain; absent if the provider did no work. */
  readonly spent: TokensSpent | undefined;

  constructor(
    reason: ProviderFaultReason,
    message: string,
    {
      retryAfterMs,
      maybeInput = reason === 'input',
      spent,
    }: { retryAfterMs?: number | undefined; maybeInput?: boolean; spent?: TokensSpent | undefined } = {},
  ) {
    super(message);
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
    this.maybeInput = maybeInput;
    this.spent = spent;
  }
}

/** A response that is not read to its end; `what` continues "The provider response". */
export function excessiveResponse(what: string): ProviderFault {
  return new ProviderFault('failed', `The provider response ${what}. Check the base URL and the model.`);
}

/** Returns the `ProviderFault` among the causes of an error, or classifies it as a connection fault. */
export function connectionFault(error: unknown): ProviderFault {
  const chain = causesOf(error);
  const within = chain.find((cause) => cause instanceof ProviderFault);
  if (within) return within;
  const codes = chain.map(({ code, name }: NodeJS.ErrnoException) => code ?? name);
  const code = codes.find((each) => /^[A-Z]+_\w+$|^E[A-Z]+$|^HTTPParserError$/.test(each));
  if (/^(HPE_|HTTPParser|Z_|UND_ERR_(HEADERS_OVERFLOW|RES))/.test(`${code}`)) {
    return new ProviderFault('failed', `The provider response is not HTTP (${code}). Check the base URL.`);
  }
  const what = code ?? codes.at(-1) ?? 'no reason given';
  return new ProviderFault(
    'unreachable',
    `The provider cannot be reached (${what}). Check the base URL, or try again later.`,
  );
}

/** An error and its causes, outermost first. */
export function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let cause = error; cause instanceof Error && chain.length < 10; cause = cause.cause) chain.push(cause);
  return chain;
}
