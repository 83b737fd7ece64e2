import * as connections from '../../../src/features/connections/connections-store.ts';
import * as tickets from '../../../src/features/connections/tickets-store.ts';
import * as endedKeys from '../../../src/features/keys/ended-keys-store.ts';
import * as keys from '../../../src/features/keys/keys-store.ts';
import { readerOf, write } from './twin-statements.ts';
import { type Scenario, TWINS, type Twin, type TwinName } from './twin-world.ts';

const LATER_MS = Date.UTC(2027, 0);
const ENDED = { endedAt: 1, endedBy: 'revocation', device: null } as const;
const IDS = ['con_1', 'con_2'];
const DEVICE = 'con_8';
const OPENED = 'con_9';
const tokenOf = (name: string, id: string) => `${id} of ${name}`;
const ticketOf = (name: string) => `ticket of ${name}`;
const otherOf = (name: TwinName): TwinName => (name === 'ada' ? 'bob' : 'ada');

const connectionOf = ({ tenantId, name }: Twin, id: string) => ({
  ...{ tenantId, id, kind: 'page' as const, tokenHash: tokenOf(name, id), client: `Browser of ${name}` },
  ...{ verifiedHost: null, scope: 'account' as const, address: null, openedBy: null },
  ...{ createdAt: 1, lastUsedAt: 1, expiresAt: LATER_MS, endsAt: LATER_MS },
});
const ticketRow = ({ tenantId }: Twin, tokenHash: string, expiresAt: number) => ({
  ...{ tenantId, tokenHash, expiresAt, sessionExpiresAt: expiresAt, scope: 'account' as const, openedBy: null },
});

/** Sessions and a device with the same ids, a ticket, and a key that ended. */
export async function fillCredentials(twin: Twin): Promise<void> {
  const { tenantId, name } = twin;
  await write(twin, async (connection) => {
    for (const id of IDS) await connections.insertConnection(connection, connectionOf(twin, id));
    await connections.insertConnection(connection, { ...connectionOf(twin, DEVICE), kind: 'device' });
    await connections.insertConnection(connection, { ...connectionOf(twin, OPENED), openedBy: DEVICE });
    await tickets.insertTicket(connection, ticketRow(twin, ticketOf(name), LATER_MS), tokenOf(name, IDS[0]!));
    await endedKeys.insertEndedKey(connection, tenantId, ENDED);
  });
}

/** What the sessions, tickets and keys of an account do. */
export const CREDENTIALS: Record<string, Scenario> = {
  async 'read sessions'(twin) {
    const { call, name } = twin;
    await call('GET /v1/connections');
    const page = await call('GET /v1/connections?limit=1');
    await call(`GET /v1/connections?limit=1&cursor=${page.body.nextCursor}`);
    for (const id of IDS) await call(`GET /v1/connections/${id}`);
    const found = await connections.findByTokens(readerOf(twin), [tokenOf(name, 'con_1')]);
    twin.record('session', [...found.values()]);
    twin.record('key', (await keys.findKeyOf(readerOf(twin), twin.tenantId))?.last4);
  },

  async 'make and use sessions and tickets'(twin) {
    const { tenantId, name } = twin;
    const other = otherOf(name);
    twin.record('account of the ticket', (await tickets.findTicket(readerOf(twin), ticketOf(name)))?.email);
    await write(twin, async (connection) => {
      await connections.insertConnection(connection, connectionOf(twin, 'con_3'));
      const made = ticketRow(twin, `new ${ticketOf(name)}`, 1);
      await tickets.insertTicket(connection, made, tokenOf(name, 'con_3'));
      twin.record('ticket by the other', await tickets.insertTicket(connection, made, tokenOf(other, 'con_1')));
      for (const owner of [name, other]) {
        const asked = { tenantId, hash: tokenOf(owner, 'con_1'), nowMs: 1 };
        twin.record(
          `credential of ${owner === name ? 'mine' : 'the other'}`,
          await connections.hasCredential(connection, asked),
        );
        const used = { nowMs: 2, endsAt: 3, address: null };
        await connections.updateUsed(connection, { tenantId, tokenHash: tokenOf(owner, 'con_1') }, used);
      }
      twin.record('ticket', await tickets.deleteTicket(connection, tenantId, ticketOf(other)));
    });
  },

  async 'end the sessions that were not used for long'(twin) {
    const { tenantId, call } = twin;
    for (const count of [3, 1]) {
      await write(twin, async (connection) => {
        const unused = await connections.listAllBut(connection, { tenantId, kind: 'page', openedBy: null, count });
        await connections.deleteConnections(connection, tenantId, unused);
      });
      await call('GET /v1/connections');
    }
  },

  async 'end a session'(twin) {
    await write(twin, (connection) => connections.insertConnection(connection, connectionOf(twin, 'con_2')));
    await twin.call('DELETE /v1/connections/con_2');
    await twin.call('GET /v1/connections');
  },

  async 'end a device with what it opened'(twin) {
    const { call } = twin;
    await write(twin, async (connection) => {
      await connections.updateSpace(connection, { tenantId: twin.tenantId, id: DEVICE, space: 'ten_space' });
      await connections.insertConnection(connection, { ...connectionOf(twin, OPENED), openedBy: DEVICE });
    });
    await call(`GET /v1/connections/${DEVICE}`);
    await call(`DELETE /v1/connections/${DEVICE}`);
    await call('GET /v1/connections');
    const hashes = TWINS.map((name) => tokenOf(name, DEVICE));
    twin.record('ended', [...(await endedKeys.findEndedKeys(readerOf(twin), hashes)).keys()]);
  },

  async 'end all credentials'(twin) {
    const { tenantId } = twin;
    await write(twin, async (connection) => {
      await connections.deleteConnectionsOf(connection, tenantId);
      await tickets.deleteTicketsOf(connection, tenantId);
      await endedKeys.deleteEndedKeysOf(connection, tenantId);
      await endedKeys.insertEndedKey(connection, tenantId, ENDED);
    });
  },
};
