/** How one setting is named, explained, parsed and shown. */
export interface Setting<T> {
  env: string;
  /** Text for `--help`. */
  about: string;
  value: string;
  /** The value, or the password in its URL, must not be shown. */
  secret?: boolean;
  /** Formats a structured value, without its secrets. */
  show?(value: NonNullable<T>): string;
  /** Parses the text (`undefined` if not set), or throws an Error that says what is expected. */
  parse(text: string | undefined): T;
}
