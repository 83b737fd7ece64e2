import { type JsonLimits, scanJson } from '../contract/json-scan.ts';

/** Parses JSON, or returns `undefined` if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns how JSON text exceeds the limits. Check what others wrote before parsing it. */
export function excessIn(text: string, limits: JsonLimits): string | undefined {
  const found = scanJson(Buffer.from(text), limits);
  return typeof found === 'string' ? found : undefined;
}
