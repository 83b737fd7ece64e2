import { type Logger, pino } from 'pino';

/** What must never be read in a log, whatever brought it there. */
const SECRETS = /svc_live_[0-9a-f]{32}|(?<=token=)[A-Za-z0-9_-]{20,}|(?<=Bearer )[^\s"\\]+/g;

export function scrub(text: string): string {
  return text.replace(SECRETS, '[redacted]');
}

/** Structured lines (JSON) to `write`; every line is scrubbed of secrets as the last thing before it leaves. */
export function createLog(level: string, write: (line: string) => void): Logger {
  const serializers = { error: pino.stdSerializers.err, err: pino.stdSerializers.err };
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers },
    { write: (line) => write(scrub(line)) },
  );
}
