import type { Connection } from '../../../src/db/connection.ts';
import { deleteLeft, insertLookups, leaveSources } from '../../../src/features/memories/memory-lookups-store.ts';
import { write } from './twin-statements.ts';
import type { Scenario } from './twin-world.ts';

/** What deleted memories leave of the messages that they came from. */
export const DELETED_MEMORIES: Record<string, Scenario> = {
  async 'leave the sources of a deleted memory'(twin) {
    const { tenantId, filled } = twin;
    const { conversation, messages } = filled;
    const id = filled.memories.cited;
    const messageId = messages[1]!;
    const remove = (connection: Connection, table: string, condition: string, ...values: string[]) =>
      connection.run(`DELETE FROM ${table} WHERE tenantId = ? AND ${condition}`, [tenantId, ...values]);
    const cite = (connection: Connection, source: Record<string, string>) =>
      insertLookups(connection, [{ tenantId, id, tags: '[]', source: JSON.stringify(source) }]);
    const record = async (name: string, connection: Connection) =>
      twin.record(
        name,
        await connection.all(
          'SELECT sourceId FROM memorySources WHERE tenantId = ? AND memoryId = ? ORDER BY sourceId',
          [tenantId, id],
        ),
      );
    const source = { messageId, conversationId: conversation };
    await write(twin, async (connection) => {
      const leave = () => leaveSources(connection, { tenantId, id }, Object.values(source));
      await leave();
      await record('left', connection);
      await deleteLeft(connection, tenantId, Object.values(source));
      await record('of a memory that is there', connection);
      await remove(connection, 'memories', 'id = ?', id);
      await remove(connection, 'memorySources', 'sourceId = ?', conversation);
      await deleteLeft(connection, tenantId, [conversation]);
      await record('of no conversation', connection);
      await deleteLeft(connection, tenantId, [messageId]);
      await record('without the message', connection);
      await cite(connection, source);
      await remove(connection, 'messages', 'id = ?', messageId);
      await remove(connection, 'conversations', 'id = ?', conversation);
      await leave();
      await record('of nothing that is there', connection);
    });
  },
};
