import { AppError } from '../../contract/errors.ts';
import type { OAuthClient } from './client-metadata.ts';
import { isDocumentId, type OAuthClients } from './clients.ts';
import type { Addresses } from './oauth-addresses.ts';
import { OAuthError, type OAuthErrorCode } from './oauth-error.ts';
import { isWithin, type OAuthScope, requestedScope } from './oauth-scope.ts';
import { type Parameters, readParameters, required, requireResource } from './parameters.ts';
import { isRegistered, redirectTo } from './redirect-uri.ts';

/** A request for authorization that is valid in every respect: only the account's owner has still to agree. */
export interface AuthorizationRequest {
  client: OAuthClient;
  redirectUri: string;
  state: string | undefined;
  scope: OAuthScope;
  codeChallenge: string;
}

/**
 * Reads the query of an authorization request. Throws `invalid_request`. Once client and redirect URI are known to belong
 * together, the error also has `returnTo`, where the client learns of it.
 */
export async function readAuthorizationRequest(
  query: string,
  clients: OAuthClients,
  addresses: Addresses,
): Promise<AuthorizationRequest> {
  const { parameters, client, redirectUri } = await readClient(query, clients);
  const { state } = parameters;
  try {
    return { client, redirectUri, state, ...readGrant(parameters, addresses) };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const { code, message } = error;
    const answer = { error: code, error_description: message, state, iss: addresses.issuer };
    throw refused(error, { returnTo: redirectTo(redirectUri, answer) });
  }
}

/** Checks what does not depend on the client. Throws `invalid_request`. */
export function requireGrantable(query: string, addresses: Addresses): void {
  try {
    const parameters = readParameters(new URLSearchParams(query));
    required(parameters, 'redirect_uri');
    readGrant(parameters, addresses);
  } catch (error) {
    throw error instanceof OAuthError ? refused(error) : error;
  }
}

/** Whether reading a request means to fetch the metadata document of its client. */
export function namesDocument(query: string): boolean {
  return new URLSearchParams(query).getAll('client_id').some(isDocumentId);
}

/** Narrows a request to what was allowed. Throws `invalid_request` for more than the client asks for. */
export function narrowTo(scope: OAuthScope | undefined, request: AuthorizationRequest): AuthorizationRequest {
  if (scope === undefined) return request;
  if (isWithin(scope, request.scope)) return { ...request, scope };
  throw new AppError('invalid_request', 'scope must not be wider than what the client asks for.');
}

/** Returns where the client learns the decision: a code, or that it was denied. */
export function answerTo(
  { redirectUri, state }: AuthorizationRequest,
  decision: { code: string } | { error: 'access_denied' },
  { issuer }: Addresses,
): string {
  return redirectTo(redirectUri, { ...decision, state, iss: issuer });
}

async function readClient(query: string, clients: OAuthClients) {
  try {
    const parameters = readParameters(new URLSearchParams(query));
    const client = await clients.find(required(parameters, 'client_id'));
    if (!client) {
      throw new OAuthError('invalid_client', 'This client is not registered here, or was not used for 30 days.');
    }
    const redirectUri = required(parameters, 'redirect_uri');
    if (!isRegistered(redirectUri, client.redirectUris)) {
      throw new OAuthError('invalid_request', 'redirect_uri is not one that the client registered.');
    }
    return { parameters, client, redirectUri };
  } catch (error) {
    throw error instanceof OAuthError ? refused(error) : error;
  }
}

function readGrant(parameters: Parameters, { resource }: Addresses): { scope: OAuthScope; codeChallenge: string } {
  for (const name of ['request', 'request_uri'] as const) {
    if (parameters[name] !== undefined) throw new OAuthError(`${name}_not_supported`, `${name} is not supported.`);
  }
  if (required(parameters, 'response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code.');
  }
  if ((parameters.response_mode ?? 'query') !== 'query') throw invalid('response_mode must be query.');
  if (parameters.code_challenge_method !== 'S256') throw invalid('code_challenge_method must be S256.');
  const codeChallenge = required(parameters, 'code_challenge');
  if (!/^[\w-]{43}$/.test(codeChallenge)) throw invalid('code_challenge must be 43 characters of base64url.');
  requireResource(parameters, resource);
  return { scope: requestedScope(parameters.scope), codeChallenge };
}

function invalid(message: string): OAuthError {
  return new OAuthError('invalid_request', message);
}

function refused({ code, message }: { code: OAuthErrorCode; message: string }, extra: object = {}): AppError {
  const advice = `${message} Start again in the program that sent you here.`;
  return new AppError('invalid_request', advice, { extra: { error: code, ...extra } });
}
