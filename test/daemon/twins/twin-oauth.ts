import * as connections from '../../../src/features/connections/connections-store.ts';
import * as tokens from '../../../src/features/oauth/tokens-store.ts';
import { readerOf, write } from './twin-statements.ts';
import type { Scenario, Twin, TwinName } from './twin-world.ts';

const LATER_MS = Date.UTC(2027, 0);
const SHARED = 'con_oauth';
const ENDED = 'con_oauth_2';
const otherOf = (name: TwinName): TwinName => (name === 'ada' ? 'bob' : 'ada');
const hashOf = (name: string, kind: string) => `${kind} of ${name}`;

const tokenOf = ({ tenantId, name }: Twin, kind: 'access' | 'refresh', connectionId: string, label: string = kind) => ({
  ...{ tenantId, kind, connectionId, tokenHash: hashOf(name, label), clientId: 'client', scope: 'memory' as const },
  ...{ redirectUri: null, codeChallenge: null, expiresAt: LATER_MS },
});

/** Connections with the same ids in both accounts, with tokens. */
export async function fillOAuth(twin: Twin): Promise<void> {
  const { tenantId, name } = twin;
  await write(twin, async (connection) => {
    for (const id of [SHARED, ENDED]) {
      await connections.insertConnection(connection, {
        ...{ tenantId, id, kind: 'oauth', tokenHash: `${id} of ${name}`, client: `Client of ${name}` },
        ...{ verifiedHost: null, scope: 'memory', address: null, openedBy: null },
        ...{ createdAt: 1, lastUsedAt: 1, expiresAt: LATER_MS, endsAt: LATER_MS },
      });
    }
    await tokens.insertToken(connection, tokenOf(twin, 'access', SHARED));
    await tokens.insertToken(connection, tokenOf(twin, 'refresh', SHARED));
    await tokens.insertToken(connection, tokenOf(twin, 'access', ENDED, 'ended'));
  });
}

/** What the codes and tokens of OAuth clients do. */
export const OAUTH: Record<string, Scenario> = {
  async 'read tokens'(twin) {
    const { tenantId, name } = twin;
    const reader = readerOf(twin);
    // The other has still a connection with this id.
    await write(twin, (connection) => connections.deleteConnections(connection, tenantId, [ENDED]));
    const found = await tokens.findAccessTokens(reader, [hashOf(name, 'access'), hashOf(name, 'ended')]);
    twin.record('access tokens', [...found.values()]);
    for (const kind of ['access', 'refresh', 'ended']) {
      twin.record(kind, await tokens.findToken(reader, hashOf(name, kind)));
    }
  },

  async 'sweep the tokens of a connection that only the other has'(twin) {
    const { tenantId } = twin;
    await write(twin, async (connection) => {
      await connections.deleteConnections(connection, tenantId, [ENDED]);
      await tokens.deleteTokensWithoutConnection(connection);
    });
    const left = 'SELECT tokenHash FROM oauthTokens WHERE tenantId = ? ORDER BY tokenHash';
    twin.record('left', await readerOf(twin).all(left, [tenantId]));
  },

  async 'use tokens and connections'(twin) {
    const { tenantId, name, call } = twin;
    await write(twin, async (connection) => {
      const tokenHash = hashOf(otherOf(name), 'refresh');
      twin.record('used', await tokens.updateTokenUsed(connection, { tenantId, tokenHash }, 2));
      twin.record('spent', await tokens.deleteToken(connection, { tenantId, tokenHash }));
      await connections.updateUsedById(connection, { tenantId, id: SHARED, address: '192.0.2.1', nowMs: 2 });
      const extended = { tenantId, id: SHARED, tokenHash: `family of ${name}`, endsAt: LATER_MS + 1 };
      twin.record('extended', await connections.updateEnd(connection, extended));
    });
    await call('GET /v1/connections');
  },

  async 'keep the latest access token of a connection'(twin) {
    const { tenantId, name } = twin;
    await write(twin, (connection) => tokens.deleteAccessTokensBut(connection, { tenantId, connectionId: SHARED }, 1));
    const found = await tokens.findAccessTokens(readerOf(twin), [hashOf(name, 'access')]);
    twin.record('kept', [...found.values()]);
    await write(twin, (connection) => tokens.deleteAccessTokensBut(connection, { tenantId, connectionId: SHARED }, 0));
  },

  async 'end a connection'(twin) {
    const { tenantId, name } = twin;
    await write(twin, (connection) => tokens.deleteTokensOfConnection(connection, tenantId, SHARED));
    twin.record('left', await tokens.findToken(readerOf(twin), hashOf(name, 'refresh')));
    await fillTokens(twin);
    await write(twin, (connection) => tokens.deleteTokensOf(connection, tenantId));
    twin.record('erased', await tokens.findToken(readerOf(twin), hashOf(name, 'refresh')));
  },
};

async function fillTokens(twin: Twin): Promise<void> {
  await write(twin, (connection) => tokens.insertToken(connection, tokenOf(twin, 'refresh', SHARED)));
}
