import * as profile from '../../../src/features/profile/profile-store.ts';
import * as topics from '../../../src/features/topics/topics-store.ts';
import type { Filled } from './twin-fill.ts';
import { readerOf, STRAY, write } from './twin-statements.ts';
import type { Scenario, Twin } from './twin-world.ts';

const ID = 'top_of_both';
const OTHER = 'top_other';
const EMPTY = 'top_empty';

const ownerOf = ({ tenantId }: Pick<Twin, 'tenantId'>) => ({ tenantId, endUser: 'default' });

function rowOf(twin: Pick<Twin, 'name' | 'tenantId'>, id: string, memoryCount: number): topics.TopicRow {
  return { ...ownerOf(twin), id, name: `${id} of ${twin.name}`, isNamed: 0, isHidden: 0, memoryCount, lastAt: 9 };
}

/** Topics with the same ids and names in both accounts, mentioned by memories with the same ids. */
export async function fillTopics(twin: Twin, { memories }: Filled): Promise<void> {
  const { tenantId, name } = twin;
  const owner = ownerOf(twin);
  const nameOf = (key: string, topicId: string, source: topics.NameSource) => {
    return { ...owner, key, topicId, spelling: `${key} of ${name}`, source };
  };
  const isFirst = name < 'b';
  await write(twin, async (connection) => {
    await topics.insertTopics(connection, [
      rowOf(twin, ID, 2),
      { ...rowOf(twin, OTHER, 2), ...(isFirst && { name: 'Stork' }) },
      rowOf(twin, EMPTY, isFirst ? 0 : 1),
    ]);
    await topics.upsertNames(connection, [
      nameOf('heron', ID, 'text'),
      nameOf('grey heron', isFirst ? OTHER : ID, 'given'),
      nameOf('unsaid', ID, 'text'),
      nameOf('grey', ID, 'part'),
      nameOf('said', ID, 'part'),
      { ...nameOf('stork', OTHER, 'text'), ...(!isFirst && { spelling: 'Stork' }) },
      nameOf('crane', EMPTY, 'text'),
    ]);
    const mention = (topicId: string, key: string, memoryId: string, at: number) => {
      return { tenantId, topicId, key, memoryId, at, spelling: `${key} of ${name}` };
    };
    await topics.insertMentions(connection, [
      mention(ID, 'heron', memories.changed, isFirst ? 3 : 4),
      mention(ID, 'grey heron', memories.pinned, isFirst ? 5 : 6),
      mention(OTHER, 'stork', memories.changed, 7),
      mention(EMPTY, 'crane', memories.pinned, 1),
      mention(ID, isFirst ? 'said' : 'unsaid', memories.pinned, 2),
      mention(isFirst ? ID : OTHER, 'both', memories.successor, 2),
      mention(isFirst ? OTHER : EMPTY, 'grey heron', memories.pinned, 8),
      mention(isFirst ? ID : OTHER, isFirst ? 'told' : 'stork', memories.pinned, 2),
    ]);
  });
}

async function recordAll(twin: Twin, moment: string): Promise<void> {
  const { tenantId, filled } = twin;
  const reader = readerOf(twin);
  const { memories } = filled;
  const all = { startOfWord: undefined, sort: 'name', isHidden: 0, after: undefined, limit: 9 } as const;
  const record = async (what: string, found: Promise<unknown>) => twin.record(`${what} ${moment}`, await found);
  await record('topics', topics.findTopics(reader, tenantId, [ID, OTHER, EMPTY]));
  await record('listed', topics.listTopics(reader, { ...ownerOf(twin), ...all }));
  await record('listed by name', topics.listTopics(reader, { ...ownerOf(twin), ...all, startOfWord: 'grey' }));
  await record('names', topics.findNames(reader, ownerOf(twin), ['heron', 'unsaid', 'stork', 'crane', 'grey heron']));
  await record('names of topics', topics.listNamesOf(reader, tenantId, [ID, OTHER, EMPTY]));
  await record('given', topics.listGivenNames(reader, ownerOf(twin), 9));
  await record('number of names', topics.countNames(reader, ownerOf(twin)));
  await record('mentions', topics.findMentionsIn(reader, tenantId, [memories.changed, memories.pinned]));
  await record('mentioning', topics.listMentioning(reader, tenantId, ID, 9));
  await record('times', topics.listMentionTimes(reader, tenantId, ID));
  await record('related', topics.listRelated(reader, ownerOf(twin), ID, 9));
  await record('empty', topics.listEmpty(reader, tenantId, [ID, OTHER, EMPTY]));
  await record('unmentioned', topics.listUnmentioned(reader, tenantId, [ID, OTHER]));
  await record('forgettable', topics.listForgettable(reader, ownerOf(twin), 9));
}

/** What is done with topics. */
export const TOPICS: Record<string, Scenario> = {
  async 'read topics'(twin) {
    const { tenantId, filled, call } = twin;
    const reader = readerOf(twin);
    const { changed, pinned, successor } = filled.memories;
    await recordAll(twin, 'at first');
    await call('GET /v1/topics');
    await call(`GET /v1/topics/${ID}`);
    await call('POST /v1/search', { query: 'heron', filter: { topic: ID } });
    await call('GET /v1/profile');
    const place = { tenantId, endUser: 'default', nowMs: 1 };
    twin.record('valid', await profile.findValidMemories(reader, place, [changed, pinned], 99));
    twin.record('replaced', await profile.listReplaced(reader, place, [successor], 99));
  },

  async 'change topics'(twin) {
    const { tenantId, filled, name } = twin;
    const { changed, pinned } = filled.memories;
    const own = async (
      moment: string,
      work: (connection: Parameters<typeof topics.insertTopics>[0]) => Promise<void>,
    ) => {
      await write(twin, work);
      await recordAll(twin, moment);
    };
    await own('respelled by strangers', (connection) => topics.respell(connection, STRAY, [ID, OTHER, EMPTY]));
    await own('respelled', (connection) => topics.respell(connection, tenantId, [ID, OTHER]));
    await own('renamed', (connection) =>
      topics.updateTopic(connection, { ...rowOf(twin, ID, 2), name: `Heron of ${name}`, isNamed: 1 }),
    );
    await own('counted', async (connection) => {
      await topics.addToCounts(connection, tenantId, [ID, EMPTY], name < 'b' ? 1 : 2);
      await topics.addToCounts(connection, STRAY, [ID], 7);
    });
    await own('recounted', async (connection) => {
      await topics.deleteMention(connection, { tenantId, topicId: EMPTY, key: 'crane', memoryId: pinned });
      await topics.recount(connection, tenantId, [ID, EMPTY]);
      await topics.recount(connection, STRAY, [OTHER]);
    });
    await own('moved', async (connection) => {
      await topics.moveMentions(connection, tenantId, { from: ID, to: OTHER, keys: ['grey heron'] });
      await topics.moveMentions(connection, STRAY, { from: ID, to: OTHER, keys: undefined });
    });
    await own('without names', async (connection) => {
      await topics.deleteNames(connection, ownerOf(twin), ['unsaid']);
      await topics.deleteNames(connection, { tenantId: STRAY, endUser: 'default' }, ['heron']);
      await topics.deleteMention(connection, { tenantId: STRAY, topicId: ID, key: 'heron', memoryId: changed });
    });
    await own('deleted', async (connection) => {
      await topics.deleteTopics(connection, tenantId, [EMPTY]);
      await topics.deleteTopics(connection, STRAY, [ID, OTHER]);
    });
    await own('not of strangers', async (connection) => {
      await topics.deleteNamesOf(connection, { tenantId: STRAY });
    });
    await own('erased', async (connection) => {
      twin.record('erased topics', await topics.deleteSomeTopicsOf(connection, { tenantId }, 9));
    });
  },
};
