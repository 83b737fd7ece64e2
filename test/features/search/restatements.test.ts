import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ContextAnswer } from '../../../src/contract/search.ts';
import { newestFirst, type Statement } from '../../../src/features/search/restatements.ts';
import { queryTerms } from '../../../src/features/text/terms.ts';
import { rootOf } from '../../../src/features/text/word-forms.ts';
import { conversing } from '../conversations/conversation-caller.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

function ordered(contents: readonly string[], query: string, of: Partial<Statement>[] = []): string[] {
  const statements = contents.map(
    (content, at): Statement => ({
      type: 'memory',
      id: `mem_${at}`,
      content,
      atMs: at,
      speaker: null,
      origin: null,
      storedAtMs: at,
      usedAtMs: undefined,
      ...of[at],
    }),
  );
  const found = newestFirst(
    statements,
    (statement) => statement,
    new Set(queryTerms(query).map(rootOf)),
    () => {},
  );
  return found.map(({ content }) => content);
}

describe('of two statements, older first', () => {
  test.each<[string, string, string]>([
    ['The door code is 4471', 'The door code has been changed to 9026', 'what is the door code?'],
    ['Ada lives in Linz', 'Ada moved to Graz', 'where does Ada live?'],
    ['Ada lives in Linz', 'Ada lives in Graz', 'where does Ada live?'],
    ['I use Vim as my editor', 'I switched my editor to Helix', 'which editor do I use?'],
    ['Dana is the product manager', 'Dana left; the product manager is Felix', 'who is the product manager?'],
    ['My phone is a Pixel 6', 'My phone is a Fairphone 5', 'which phone do I have?'],
    ['Head nurse is Graciete Lobo', 'Graciete has retired. Nuno leads the nurses', 'who is the head nurse?'],
    ['Backups run with borg at night', 'Replaced borg: backups now run with restic', 'how are the backups done?'],
    ['Standup is at 10:15', "The standup's at 9:40", 'when is the standup?'],
    ['Maresia lies in berth 31', 'Moved the boat: she is at berth 14 in Oeiras', 'in which berth is Maresia?'],
    ['Manuscript is due on 30 September', 'They want the manuscript by May instead', 'when is the manuscript due?'],
    ['We measure soil with Influx probes', 'The Influx probes gave up, so we swapped them for Loams', 'which probes?'],
    ['I work Saturdays at the bookshop', 'I quit the bookshop job for my weekends', 'do I work at the bookshop?'],
    ['We run tests with Jest', 'Nobody uses Jest any more', 'do we use Jest for tests?'],
    ['School starts at 8:00 for Emil', "New timetable: Emil's bell is at 8:20", 'when does school start?'],
    [
      'Dashboards are in Datadog',
      'The Datadog contract ended, it is Grafana for everything now',
      'where are dashboards?',
    ],
    ['We support Internet Explorer', 'We no longer support Internet Explorer', 'do we support Internet Explorer?'],
  ])('"%s" ranks after "%s"', (older, newer, query) => {
    expect(ordered([older, newer], query)).toEqual([newer, older]);
  });

  test.each<[string, string, string]>([
    ['Ada lives in Linz', 'Ada likes jazz', 'where does Ada live?'],
    ['Emma likes tea', 'Emma likes football', 'does Emma like tea?'],
    ['I pay Joe 12 pounds an hour', 'Joe switched to wheel throwing', 'what does Joe earn an hour?'],
    ['My favorite potter is Lucie Rie', 'I changed my supplier to Bath Potters', 'who is my favorite potter?'],
    ['Anna lies in berth 31', 'Ben moved: since May in berth 14', 'which berth has Anna?'],
    ['Flour comes from Hagen on Tuesdays', 'Hagen finally has a shop', 'when does the flour come?'],
    ['Emil swims on Mondays', 'New timetable: the library opens on Mondays', 'when does Emil swim?'],
    ["Anna's shift is at 9:40", "Ben's shift is at 10:15", "when is Anna's shift?"],
    ['Ada found shell 7 at the beach', 'Ada found shell 8 at the beach', 'who found shell 7?'],
    ['Anna works at Siemens in Graz', 'Ben works at Siemens in Graz', 'where does Anna work?'],
    ['The kettle hums at 9:40', 'The kettle is in the old kitchen', 'when does the kettle hum?'],
    ['Ada lives in Linz', 'Does Ada live in Graz now?', 'where does Ada live?'],
    ['Ada lives in Linz', `Ada lives in Graz. ${'She likes it there. '.repeat(20)}`, 'where does Ada live?'],
    ['The delivery van has a dented door', 'The van club finally meets in Leeds', 'which van delivers?'],
    ['Emil learned to knit last winter', 'Emil learned to swim in a lake', 'what did Emil learn?'],
    ["Emil's favorite meal is dumplings", "Emil's choir moved to Thursdays", "what is Emil's favorite meal?"],
    ['My uncle Karl tuned pianos', "Tom's uncle has retired to Spain", 'what did my uncle do?'],
    ['The Potters Union pays on Mondays', 'The Potters Arms pays on Fridays', 'when do the Potters pay?'],
    ['Our cat is in the picture on the box', 'The first drone flew straight out of the box', 'who is on the box?'],
    ['Rent for the stall is 40 pounds', 'The market fund pays 15 pounds for a stall', 'how much is the rent?'],
    [
      'Ada and Grace are learning Norwegian together',
      'Ada moved to Bergen in March and works from the harbor office',
      'what does Ada drink?',
    ],
  ])('"%s" stays before "%s"', (older, other, query) => {
    expect(ordered([older, other], query)).toEqual([older, other]);
  });

  test('a message ranks after a newer one only if the speaker is the same', () => {
    const said = (...speakers: string[]) => speakers.map((speaker) => ({ type: 'message', speaker }) as const);
    const both = ['The code is 4471', 'The code is 9026'];
    expect(ordered(both, 'the code', said('user', 'user'))).toEqual(both.toReversed());
    expect(ordered(both, 'the code', said('user', 'assistant'))).toEqual(both);
  });
});

test('versions are ordered newest first at the rank of the best one, and no item is lost', () => {
  const versions = ['The color is red', 'The color is blue', 'The color is green'];
  expect(ordered(['A cat', ...versions, 'A dog'], 'which color')).toEqual(['A cat', ...versions.toReversed(), 'A dog']);
  const content = fc.constantFrom(...versions, 'Ada moved to Graz', 'Ada lives in Linz', 'A question?', '');
  fc.assert(
    fc.property(fc.array(content), fc.constantFrom('which color', 'where does Ada live', ''), (contents, query) => {
      expect(ordered(contents, query).sort()).toEqual(contents.toSorted());
    }),
  );
});

test('an older memory that the user used since the newer one was stored keeps its place', () => {
  const contents = ['Ada lives in Linz', 'Ada moved to Graz'];
  const order = (...usedAtMs: (number | undefined)[]) =>
    ordered(
      contents,
      'Where does Ada live?',
      usedAtMs.map((at) => ({ usedAtMs: at })),
    );
  const newerFirst = contents.toReversed();
  expect(order()).toEqual(newerFirst);
  expect(order(0.5)).toEqual(newerFirst);
  expect(order(2)).toEqual(contents);
  expect(order(2, 3)).toEqual(newerFirst);
});

test('an older memory is marked where the newer one was found first, too', () => {
  const marked = (contents: readonly string[]) => {
    const pairs: string[] = [];
    const statements = contents.map(
      (content, at): Statement => ({
        ...{ type: 'memory', id: `mem_${contents.length - at}`, content, atMs: contents.length - at },
        ...{ speaker: null, origin: null, storedAtMs: contents.length - at, usedAtMs: undefined },
      }),
    );
    newestFirst(
      statements,
      (one) => one,
      new Set(queryTerms('how are the backups done?').map(rootOf)),
      (newer, older) => {
        pairs.push(`${newer.content} > ${older.content}`);
      },
    );
    return pairs;
  };
  const [newer, older] = ['Replaced borg: backups now run with restic', 'Backups run with borg at night'];
  expect(marked([newer, older])).toEqual([`${newer} > ${older}`]);
  expect(marked(['Backups are kept for a year', 'The backups of photos go to Berta'])).toEqual([]);
});

describe('an updated fact', () => {
  let daemon: MemoryDaemon;
  let caller: Caller;
  const query = 'where does Ada live?';

  beforeAll(async () => {
    daemon = await startMemoryDaemon();
    caller = await daemon.account();
    for (const content of ['Ada lives in Linz', 'Ada likes jazz', 'Ada moved to Graz', 'Ada plays chess']) {
      await caller.add(content);
    }
  });
  afterAll(() => daemon.close());

  test('ranks first in search and context, without supersedes', async () => {
    expect((await caller.find(query)).slice(0, 2)).toEqual(['Ada moved to Graz', 'Ada lives in Linz']);
    expect(await caller.find(query, { limit: 1 })).toEqual(['Ada moved to Graz']);
    const { text } = (await caller.call<ContextAnswer>('/v1/context', { body: { query } })).body;
    expect(text.indexOf('Graz')).toBeGreaterThan(0);
    expect(text.indexOf('Graz')).toBeLessThan(text.indexOf('Linz'));
  });

  test('is named by the fact that it replaces, which a context marks as older', async () => {
    const [newer, older, ...others] = (await caller.search(query)).body.results;
    expect(older).toMatchObject({ content: 'Ada lives in Linz', restatedBy: newer!.id });
    for (const result of [newer, ...others]) expect(result).not.toHaveProperty('restatedBy');
    const { text } = (await caller.call<ContextAnswer>('/v1/context', { body: { query } })).body;
    expect(text).toMatch(/\(\d{4}-\d\d-\d\d, older\) Ada lives in Linz/);
    expect(text).toMatch(/\(\d{4}-\d\d-\d\d\) Ada moved to Graz/);
  });

  test('is as relevant as the fact that it replaces, so that no minRelevance returns the old one alone', async () => {
    const { results } = (await caller.search(query)).body;
    const [newer, older] = results;
    expect(newer!.relevance).toBeGreaterThanOrEqual(older!.relevance);
    expect(await caller.find(query, { minRelevance: older!.relevance })).toEqual([newer!.content, older!.content]);
  });

  test('keeps its rank if the query asks about the past', async () => {
    expect((await caller.find('where did Ada live before?'))[0]).toBe('Ada lives in Linz');
  });

  test.each([
    ['Ich wohne in Linz', 'Tobias ist nach Hamburg umgezogen', 'Ich bin nach Graz umgezogen', 'Wo wohne ich?'],
    ["J'habite à Lille", 'Mes cousins ont déménagé à Nantes', "J'ai déménagé à Lyon", "Où est-ce que j'habite ?"],
    ['Vivo en León', 'Mis suegros se mudaron a Gijón', 'Me he mudado a Cádiz', '¿Dónde vivo?'],
    ['Abito a Lucca', 'Giulia si è trasferita a Pisa', 'Mi sono trasferita a Bari', 'Dove abito?'],
    ['Moro em Santos', 'Joana mudou-se para Recife', 'Mudei-me para Faro', 'Onde é que eu moro?'],
    ['Ik woon in Utrecht', 'Sanne is verhuisd naar Tilburg', 'Ik ben verhuisd naar Breda', 'Waar woon ik?'],
    ['Mieszkam w Łodzi', 'Ania przeprowadziła się do Gdyni', 'Przeprowadziłam się do Sopotu', 'Gdzie mieszkam?'],
    ['Я живу в Туле', 'Наши друзья переехали в Тверь', 'Я переехала в Псков', 'Где я живу?'],
    ['我住在苏州', '我同学搬到杭州了', '我搬到南京了', '我住在哪里？'],
    ['京都に住んでいます', '田中さんが神戸に引っ越しました', '私は奈良に引っ越しました', 'どこに住んでいますか？'],
  ])('of another person hides nothing of the speaker: %s / %s', async (own, another, moved, asked) => {
    const user = own;
    await caller.add(own, { user });
    await caller.add(another, { user });
    expect((await caller.find(asked, { user }))[0]).toBe(own);
    await caller.add(moved, { user });
    expect((await caller.find(asked, { user }))[0]).toBe(moved);
  });

  test('ranks first though it shares no word with the query, in searches, contexts and prompts', async () => {
    const user = 'emil';
    const [older, newer] = ['Flour comes from Hagenmill on Tuesdays', 'The Hagenmill truck shows up on Thursdays now'];
    for (const content of [older, 'The oven is green', newer, 'Loaves rest for an hour'])
      await caller.add(content, { user });
    const asked = 'when does the flour come?';
    const { results } = (await caller.search(asked, { user })).body;
    expect(results.slice(0, 2)).toMatchObject([{ content: newer }, { content: older, restatedBy: results[0]!.id }]);
    const textOf = async (body: object) =>
      (await caller.call<ContextAnswer>('/v1/context', { body: { query: asked, user, ...body } })).body.text;
    const context = await textOf({});
    expect(context.indexOf(newer)).toBeGreaterThan(0);
    expect(context.indexOf(newer)).toBeLessThan(context.indexOf(older));
    expect(await textOf({ purpose: 'prompt' })).not.toContain(older);
    expect((await caller.find('when did the flour come before?', { user }))[0]).toBe(older);
  });

  test.each([
    ['Phone is a Pixel 7', 'Smashed the Pixel in a car park, so it’s a Fairphone 5', 'what phone have I got?'],
    ['VS Code is my daily driver', 'Helix on everything since last weekend', 'which editor do I write code in?'],
    ['Our pipelines run in Jenkins', 'The old box is off: each build goes through Buildkite', 'what CI do we have?'],
    ['We rent a flat on North Street', 'The Totterdown house is ours: keys on the 29th', 'what is our address?'],
    ['Passwords live in 1Password', 'Moved the vault over to Vaultwarden', 'where do I keep my passwords?'],
    ['I am a backend engineer at Quay', 'From this month I am a staff engineer', 'what is my job title?'],
  ])('that “%s” ranks behind “%s”, which shares no verb with it', async (older, newer, asked) => {
    const user = newer;
    for (const content of [older, 'The oven is green', newer, 'Loaves rest for an hour'])
      await caller.add(content, { user });
    const { results } = (await caller.search(asked, { user })).body;
    const at = results.findIndex(({ id }) => id === results.find(({ content }) => content === older)?.id);
    expect(results[at]).toMatchObject({ content: older, restatedBy: results[at - 1]!.id });
    expect(results[at - 1]).toMatchObject({ content: newer });
  });

  test.each([
    ['My handset is a Pixel 7', 'New habit: no phone after ten', 'which handset have I got?'],
    ['My handset is a Pixel 7', 'Sam’s new phone is a Fairphone 5', 'which handset have I got?'],
    ['My phone is a Pixel 7', 'Mom switched to a Fairphone 5', 'what phone do I have?'],
    ['papercut is hosted on Netlify', 'Moved heron to a Hetzner server', 'where is papercut hosted?'],
    ['I live in Linz', 'We moved the database to Graz', 'where do I live?'],
    ['On-call is one week in five', 'My pager is the new red one', 'how often am I on call?'],
    ['Ada keeps lamp3x in the hall', 'Ada keeps lamp9x in the hall', 'lamp3x'],
    ['The spare key is under the blue pot', 'The spare ladder is behind the blue pot', 'where is the spare key?'],
    ['Ben walks the dog before school', 'Ben walks the hens before dinner', 'who walks the dog?'],
    ['The red bike cost 400 euros in Graz', 'The red scarf cost 30 euros in Graz', 'what did the bike cost?'],
  ])('“%s” stays first when “%s” was told of another thing later', async (older, newer, asked) => {
    const user = newer;
    await caller.add(older, { user, occurredAt: '2026-01-01T00:00:00.000Z' });
    await caller.add(newer, { user, occurredAt: '2026-02-01T00:00:00.000Z' });
    expect((await caller.find(asked, { user }))[0]).toBe(older);
  });

  test('ranks first among the user’s messages too', async () => {
    const user = 'bea';
    const talk = conversing(caller);
    const { id } = await talk.begin({ user });
    const [older, newer] = ['The door code is 4471', 'The door code changed to 9026'];
    await talk.append(id, [{ role: 'user', content: older, createdAt: '2026-01-01T00:00:00.000Z' }]);
    await talk.append(id, [{ role: 'user', content: newer, createdAt: '2026-02-01T00:00:00.000Z' }]);
    expect(await caller.find('what is the door code?', { user })).toEqual([newer, older]);
  });
});
