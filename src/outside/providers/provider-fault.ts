/**
 * Why a provider's model did not do what was asked. `refused`: the key is none, or no longer; `out_of_scope`: it is one,
 * but may not do this; `rate_limited`: later, or once there is credit again; `unreachable`; `slow`; `failed`: an error of
 * the provider's own, or an answer that is none; `input`: it refuses this very input or model; `address`: svc may not
 * call there.
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

/** What an answer cost that was of no use. */
export interface TokensSpent {
  inputTokens: number;
  outputTokens: number;
}

/**
 * The message is ours, for people, and says what to do: it holds no key, nothing of the request and nothing of what the
 * provider said, since providers echo keys.
 */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  readonly reason: ProviderFaultReason;
  /** How long the provider asks to be left alone; an hour at most. */
  readonly retryAfterMs: number | undefined;
  /** It may be this input: another may succeed where this one fails again and again. */
  readonly maybeInput: boolean;
  /** What was paid for nothing; absent where the provider did no work. */
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

/** What the connection's error means: `ProviderFault`s that lie within it, or else that there is no connection. */
export function connectionFault(error: unknown): ProviderFault {
  const chain = causesOf(error);
  const within = chain.find((cause) => cause instanceof ProviderFault);
  if (within) return within;
  const codes = chain.map(({ code, name }: NodeJS.ErrnoException) => code ?? name);
  const code = codes.find((each) => /^[A-Z]+_\w+$|^E[A-Z]+$|^HTTPParserError$/.test(each));
  if (/^(HPE_|HTTPParser|Z_|UND_ERR_(HEADERS_OVERFLOW|RES))/.test(`${code}`)) {
    return new ProviderFault('failed', `What the provider answers is no HTTP (${code}). Check the base URL.`);
  }
  const what = code ?? codes.at(-1) ?? 'no reason given';
  return new ProviderFault(
    'unreachable',
    `The provider cannot be reached (${what}). Check the base URL, or try again later.`,
  );
}

/** An error and what caused it, outermost first. */
export function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let cause = error; cause instanceof Error && chain.length < 10; cause = cause.cause) chain.push(cause);
  return chain;
}
