import { type Logger, pino } from 'pino';

/** Secrets that must never appear in a log line, wherever they come from. */
const SECRETS =
  /svc_live_[0-9a-f]{32}|svc_(?:dev|oat|ort|oac)_[\w-]{43,86}|(?<=token(?:=|%3D))[A-Za-z0-9_-]{20,}|(?<=Bearer )[^\s"\\]+/g;

function scrub(text: string): string {
  return text.replace(SECRETS, '[redacted]');
}

/** Creates a JSON logger. Every line is scrubbed of secrets right before it is written. */
export function createLog(level: string, write: (line: string) => void): Logger {
  const serializers = { error: pino.stdSerializers.err, err: pino.stdSerializers.err };
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers },
    { write: (line) => write(scrub(line)) },
  );
}
