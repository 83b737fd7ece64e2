/** Structured logger, satisfied by Pino. Values go into `fields`, never into the message. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
