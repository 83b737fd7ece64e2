import { findMessagesById } from '../../../src/features/conversations/messages-store.ts';
import { updateReopened } from '../../../src/features/memories/memories-store.ts';
import * as compared from '../../../src/features/suggestions/compared-memories-store.ts';
import * as passing from '../../../src/features/suggestions/passing-memories-store.ts';
import * as settings from '../../../src/features/suggestions/suggestion-settings-store.ts';
import * as suggestions from '../../../src/features/suggestions/suggestions-store.ts';
import type { Filled } from './twin-fill.ts';
import { ownersOf, readerOf, STRAY, write } from './twin-statements.ts';
import type { Scenario, Twin } from './twin-world.ts';

const ID = 'sug_of_both';
const DECIDED = 'sug_decided';
/** Later than any run. */
const FAR_MS = Date.UTC(2100, 0, 1);
const FIRST = { beforeId: undefined, limit: 9 };

function rowOf({ name, tenantId }: Pick<Twin, 'name' | 'tenantId'>, { memories }: Filled): suggestions.SuggestionRow {
  return {
    ...{
      tenantId,
      id: ID,
      textsHash: 'hash of both',
      endUser: 'default',
      project: null,
      kind: 'supersede',
      state: 'open',
    },
    ...{ memoryIds: JSON.stringify([memories.changed, memories.pinned]), content: null, validFrom: null },
    ...{ evidence: '[]', reason: `So said ${name}`, confidence: 0.5, suggester: 'rules', suggesterName: name },
    ...{ createdAt: 9, decidedAt: null, decidedBy: null, undoneAt: null, applied: null },
  };
}

/** A suggestion with the same id and the same hash of texts in both accounts, about memories with the same ids. */
export async function fillSuggestions(twin: Twin, filled: Filled): Promise<void> {
  const { tenantId } = twin;
  const link = (itemId: string) => ({ tenantId, itemId, suggestionId: ID });
  await write(twin, async (connection) => {
    await suggestions.insertSuggestions(connection, [rowOf(twin, filled)]);
    await suggestions.insertItems(connection, [link(filled.memories.changed), link(filled.memories.pinned)]);
    await compared.saveCompared(connection, {
      tenantId,
      changeNumber: 3,
      afterId: null,
      remaining: twin.name < 'b' ? 0 : 1,
    });
    await passing.savePassing(connection, { tenantId, memoryId: filled.memories.changed, dueAt: FAR_MS });
    await settings.upsertSetting(connection, { tenantId, kind: 'merge', mode: 'off', minConfidence: 0.7 });
    const decided = { ...rowOf(twin, filled), id: DECIDED, textsHash: 'hash of decided' };
    await suggestions.insertSuggestions(connection, [
      { ...decided, state: 'accepted', decidedAt: 5, decidedBy: 'svc', undoneAt: 4 },
    ]);
  });
}

async function recordAll(twin: Twin): Promise<void> {
  twin.record('suggestions', await suggestions.listSuggestions(readerOf(twin), { tenantId: twin.tenantId }, FIRST));
}

/** What is done with suggestions. */
export const SUGGESTIONS: Record<string, Scenario> = {
  async 'read suggestions'(twin) {
    const { tenantId, filled, call } = twin;
    const reader = readerOf(twin);
    await recordAll(twin);
    await call('GET /v1/suggestions?state=open');
    await call(`GET /v1/suggestions/${ID}`);
    twin.record('found', await suggestions.findSuggestion(reader, tenantId, ID));
    twin.record('suggested', await suggestions.findSuggested(reader, tenantId, ['hash of both']));
    twin.record('by ids', await suggestions.findSuggestionsById(reader, tenantId, [ID]));
    const page = { tenantId, afterId: '', limit: 9 };
    twin.record('to export', await suggestions.listDecidable(reader, { ...page, user: undefined }));
    twin.record('to export of a user', await suggestions.listDecidable(reader, { ...page, user: 'default' }));
    twin.record('open', await suggestions.countOpen(reader, tenantId, 99));
    const { changed } = filled.memories;
    twin.record('open about', await suggestions.listOpenAbout(reader, tenantId, [changed], 99));
    twin.record('successors', await suggestions.listPossibleSuccessors(reader, tenantId, [changed]));
    await write(twin, (connection) =>
      connection.run(`UPDATE suggestions SET state = 'rejected' WHERE tenantId = ? AND id = ?`, [tenantId, ID]),
    );
    twin.record('successors of none', await suggestions.listPossibleSuccessors(reader, tenantId, [changed]));
    await write(twin, async (connection) => {
      await connection.run(`UPDATE suggestions SET state = 'open' WHERE tenantId = ? AND id = ?`, [tenantId, ID]);
      await connection.run('DELETE FROM suggestionItems WHERE tenantId = ? AND itemId = ?', [tenantId, changed]);
    });
    twin.record('open about of others', await suggestions.listOpenAbout(reader, tenantId, [changed], 99));
    twin.record('successors of others', await suggestions.listPossibleSuccessors(reader, tenantId, [changed]));
  },

  async 'make and decide suggestions'(twin) {
    const { tenantId, filled } = twin;
    const row = rowOf(twin, filled);
    await write(twin, async (connection) => {
      await suggestions.updateDecision(connection, { ...row, state: 'outdated', decidedAt: 5, decidedBy: 'me' });
      await suggestions.insertSuggestions(connection, [{ ...row, id: 'sug_again' }]);
      await suggestions.updateDecision(connection, { ...row, state: 'rejected', decidedAt: 6 });
    });
    await recordAll(twin);
    await write(twin, async (connection) => {
      await connection.run(`UPDATE suggestions SET state = 'open', createdAt = 1 WHERE tenantId = ?`, [tenantId]);
      await suggestions.outdateOld(connection, 2, 99);
    });
    await recordAll(twin);
    const { changed } = filled.memories;
    // The other's with this id is decided, and not about the memory.
    await write(twin, (connection) =>
      suggestions.insertItems(connection, [{ tenantId, itemId: changed, suggestionId: DECIDED }]),
    );
    const blank = () => write(twin, (connection) => suggestions.updateBlanked(connection, tenantId, changed));
    twin.record('blanked', (await blank()).sort());
    await recordAll(twin);
    await write(twin, (connection) => suggestions.deleteOtherItems(connection, row, [changed]));
    await write(twin, (connection) =>
      connection.run('DELETE FROM suggestionItems WHERE tenantId = ? AND itemId = ?', [tenantId, changed]),
    );
    twin.record('blanked of others', await blank());
  },

  async 'decide by its own settings'(twin) {
    const { tenantId, filled } = twin;
    const reader = readerOf(twin);
    const row = rowOf(twin, filled);
    const setting = { tenantId, kind: 'supersede', mode: 'automatic', minConfidence: 0.5 } as const;
    const recordSettings = async (name: string) => twin.record(name, await settings.listSettings(reader, tenantId));
    await write(twin, (connection) => settings.upsertSetting(connection, setting));
    await recordSettings('settings');
    await write(twin, (connection) => settings.upsertSetting(connection, { ...setting, minConfidence: 0.4 }));
    await recordSettings('changed settings');
    const undecided = { tenantId, kind: 'supersede', minConfidence: 0.4, afterId: '', limit: 9 } as const;
    twin.record('undecided', await settings.listUndecided(reader, undecided));
    twin.record('undecided after it', await settings.listUndecided(reader, { ...undecided, afterId: ID }));
    const since = { tenantId, kind: 'supersede', sinceMs: 0, limit: 9 } as const;
    twin.record('never undone', await settings.listUndone(reader, since));
    const decided = { tenantId, endUser: 'default', decidedBy: 'svc', sinceMs: 0 };
    await write(twin, (connection) =>
      suggestions.updateDecision(connection, { ...row, state: 'accepted', decidedAt: 5, decidedBy: 'svc' }),
    );
    twin.record('decided', await settings.listDecided(reader, decided));
    await write(twin, (connection) => suggestions.updateDecision(connection, { ...row, undoneAt: 6 }));
    twin.record('undone', await settings.listUndone(reader, since));
    twin.record('decided no more', await settings.listDecided(reader, decided));
    twin.record('nothing undecided', await settings.listUndecided(reader, undecided));
    twin.record('memories', await settings.countMemoriesUpTo(reader, { tenantId, endUser: 'default' }, 99));
    await write(twin, (connection) => settings.deleteSettings(connection, STRAY));
    await recordSettings('kept settings');
    await write(twin, (connection) => settings.deleteSettings(connection, tenantId));
    await recordSettings('no settings');
  },

  async 'follow the changes of its memories'(twin) {
    const { tenantId, otherId } = twin;
    const reader = readerOf(twin);
    const own = async () =>
      (await compared.listTenantsToCompare(reader, '', 99)).find((row) => row.tenantId === tenantId);
    twin.record('to compare', await own());
    twin.record('changed', await compared.listChangesToCompare(reader, tenantId, 0, 999));
    twin.record('memories', await compared.countMemoriesAfter(reader, tenantId, ''));
    twin.record('unread', await compared.countUncompared(reader, tenantId));
    twin.record('ids', await compared.listMemoryIdsAfter(reader, tenantId, '', 99));
    await write(twin, async (connection) => {
      await compared.saveCompared(connection, { tenantId, changeNumber: 4, afterId: 'mem_1', remaining: 3 });
      for (const id of [tenantId, STRAY])
        await compared.saveCompared(connection, { tenantId: id, changeNumber: 5, afterId: 'mem_2', remaining: 5 });
    });
    twin.record('progress', await own());
    twin.record('unread then', await compared.countUncompared(reader, tenantId));
    await write(twin, async (connection) => {
      await compared.deleteCompared(connection, STRAY);
      await compared.deleteCompared(connection, tenantId);
    });
    twin.record('no progress', await own());
    await write(twin, (connection) => connection.run('DELETE FROM changes WHERE tenantId = ?', [tenantId]));
    twin.record('changes of none', await compared.listChangesToCompare(reader, tenantId, 0, 999));
    twin.record('nothing to compare', await own());
    twin.record('of the other', otherId === tenantId);
  },

  async 'look again at its own memories'(twin) {
    const { tenantId, filled, name } = twin;
    const reader = readerOf(twin);
    const { changed, pinned } = filled.memories;
    const recordDue = async (moment: string) => {
      twin.record(`due ${moment}`, await passing.findPassing(reader, tenantId, changed));
      twin.record(`due then ${moment}`, await passing.findPassing(reader, tenantId, pinned));
    };
    await recordDue('at first');
    await write(twin, async (connection) => {
      await passing.savePassing(connection, { tenantId, memoryId: changed, dueAt: FAR_MS + (name < 'b' ? 1 : 2) });
      await passing.savePassing(connection, { tenantId, memoryId: pinned, dueAt: FAR_MS });
      await passing.savePassing(connection, { tenantId: STRAY, memoryId: changed, dueAt: FAR_MS });
    });
    await recordDue('changed');
    const stray = await reader.get('SELECT dueAt FROM passingMemories WHERE tenantId = ?', [STRAY]);
    twin.record('of strangers', stray ?? null);
    await write(twin, (connection) => passing.deletePassing(connection, STRAY, changed));
    await recordDue('not deleted of strangers');
    await write(twin, (connection) => passing.deletePassing(connection, tenantId, changed));
    await recordDue('deleted');
    await write(twin, (connection) => passing.deletePassingOf(connection, STRAY));
    await recordDue('not of strangers');
    await write(twin, (connection) => passing.deletePassingOf(connection, tenantId));
    await recordDue('all deleted');
  },

  async 'find messages and reopen a memory by ids that the other has'(twin) {
    const { tenantId, filled } = twin;
    const find = async (name: string) =>
      twin.record(name, ownersOf(await findMessagesById(readerOf(twin), tenantId, filled.messages)));
    await find('messages');
    await write(twin, (connection) =>
      connection.run('UPDATE conversations SET erasedAt = 1 WHERE tenantId = ? AND id = ?', [
        tenantId,
        filled.conversation,
      ]),
    );
    await find('messages of an erased conversation');
    await write(twin, (connection) => updateReopened(connection, { tenantId, id: filled.memories.old, nowMs: 7 }));
  },

  async 'delete some suggestions'(twin) {
    const { tenantId } = twin;
    twin.record('deleted', await write(twin, (connection) => suggestions.deleteSomeOf(connection, { tenantId }, 9)));
    await recordAll(twin);
    await write(twin, (connection) => suggestions.deleteItemsOf(connection, tenantId));
  },
};
