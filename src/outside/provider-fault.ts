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
