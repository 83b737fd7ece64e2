import { isObject } from '../../lib/is-object.ts';
import { OAuthError } from './oauth-error.ts';
import { isRedirectUri } from './redirect-uri.ts';

/** The subset of a client's metadata (RFC 7591) that svc uses. */
export interface ClientMetadata {
  name: string;
  redirectUris: string[];
}

/** A client that may ask for authorization. */
export interface OAuthClient extends ClientMetadata {
  id: string;
  /** The host that vouches for it, because the metadata came from there; `undefined` if the client registered itself. */
  verifiedHost: string | undefined;
}

const MAX_REDIRECT_URIS = 10;
const MAX_NAME = 100;
/** Control characters and those that change the direction of text, with which a name could pretend to be another one. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/**
 * Reads the metadata of a public client that uses the authorization code grant. Unknown members are ignored, as RFC 7591
 * requires. Throws `invalid_redirect_uri` or `invalid_client_metadata`.
 */
export function readClientMetadata(body: unknown): ClientMetadata {
  if (!isObject(body)) throw invalid('Send the client metadata as a JSON object.');
  const uris: unknown = body.redirect_uris;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECT_URIS || !uris.every(isRedirectUri)) {
    const message = `redirect_uris must be 1 to ${MAX_REDIRECT_URIS} https URLs, http URLs of a loopback address or links of an app, without a fragment.`;
    throw new OAuthError('invalid_redirect_uri', message);
  }
  if (!isList(body.grant_types ?? ['authorization_code'], 'authorization_code')) {
    throw invalid('grant_types must contain authorization_code.');
  }
  if (!isList(body.response_types ?? ['code'], 'code')) throw invalid('response_types must contain code.');
  return { name: nameOf(body.client_name), redirectUris: uris };
}

function isList(value: unknown, member: string): boolean {
  return Array.isArray(value) && value.includes(member);
}

function nameOf(value: unknown): string {
  if (value !== undefined && typeof value !== 'string') throw invalid('client_name must be text.');
  const name = (value ?? '').normalize('NFKC').replace(INVISIBLE, '').replace(/\s+/g, ' ').trim();
  if (name.length > MAX_NAME) throw invalid(`client_name must have at most ${MAX_NAME} characters.`);
  return name === '' ? 'Unnamed client' : name;
}

function invalid(message: string): OAuthError {
  return new OAuthError('invalid_client_metadata', message);
}
