import { withoutFences } from '../../contract/fence.ts';
import { redactSecrets } from '../../lib/redaction.ts';
import { withoutPrivate } from './private-passages.ts';

/** A longer prompt is a pasted file; its beginning says what it is about. */
const MAX_CHARACTERS = 20_000;
const MAX_EXAMINED_CHARACTERS = 2 * MAX_CHARACTERS;
/** The end of a cut text may be half a credential, which has no known shape. */
const UNCERTAIN_CHARACTERS = 5000;
const TRUNCATED = '\n[truncated by svc]';

/** Returns the part of a text that may be sent to the daemon: no recalled memories and no private passages. */
export function saidText(text: string): string {
  return withoutPrivate(withoutFences(text)).trim();
}

/**
 * Returns the part of a text that may be stored: no recalled memories, no private passages, credentials masked.
 * `undefined` if nothing is left.
 */
export function capturedText(text: string, { redact }: { redact: boolean }): string | undefined {
  const said = saidText(text);
  if (said === '') return undefined;
  const examined = said.slice(0, MAX_EXAMINED_CHARACTERS);
  const masked = redact ? redactSecrets(examined).text : examined;
  const certain = examined === said ? masked : masked.slice(0, -UNCERTAIN_CHARACTERS);
  const storable = certain.replaceAll('\u0000', '').toWellFormed();
  return examined === said && storable.length <= MAX_CHARACTERS ? storable : wholeCharacters(storable) + TRUNCATED;
}

function wholeCharacters(text: string): string {
  return text.slice(0, MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
}
