import { ApiError, type Topic } from '../../../client/client.ts';
import { describeError } from '../../errors.ts';
import { announce, onChanges } from '../../live.ts';
import { showToast, showUndoToast } from '../../parts/toasts.tsx';
import { currentSession, endSessionOn } from '../../session.ts';

/** The daemon finds the topics of a stored memory within ten seconds. */
const FOUND_MS = 12_000;
/** Names that the API splits off at once. */
const MAX_SPLIT = 50;

/** Calls back after topics changed, and once more when the daemon has read the memories that changed. */
export function onTopicChanges(reload: () => void): () => void {
  let later: ReturnType<typeof setTimeout> | undefined;
  const stops = [
    onChanges(['topic', 'suggestion'], reload),
    onChanges(['memory'], () => {
      reload();
      clearTimeout(later);
      later = setTimeout(reload, FOUND_MS);
    }),
  ];
  return () => {
    clearTimeout(later);
    for (const stop of stops) stop();
  };
}

/** Renames a topic; the name before stays an alias. */
export const rename = (topic: Topic, name: string) =>
  attempt(async () => {
    await topics().update(topic.id, { name });
    return done(`Renamed to “${name}”.`, () =>
      topics().update(topic.id, { name: topic.name, aliases: topic.aliases.filter((alias) => alias !== topic.name) }),
    );
  });

/** Gives a topic another name, by which memories are found too. `etag` is that of the topic, with its aliases. */
export const addAlias = (topic: Topic, alias: string, etag: string | undefined) =>
  attempt(async () => {
    const { id, aliases } = topic;
    await topics().update(id, { aliases: [...aliases, alias] }, etag === undefined ? {} : { ifMatch: etag });
    return done(`Memories about “${alias}” belong to it too.`, async () => {
      const { data: now, response } = await topics().get(id).withResponse();
      const others = now.aliases.filter((one) => one !== alias);
      await topics().update(id, { aliases: others }, response.etag === undefined ? {} : { ifMatch: response.etag });
    });
  });

/** Makes names a topic of their own. */
export const splitOff = (topic: Topic, aliases: readonly string[]) =>
  attempt(async () => {
    const own = await topics()
      .split(topic.id, { aliases: [...aliases] })
      .catch((error: unknown) => (isUnsaid(error, topic, aliases) ? undefined : Promise.reject(error)));
    if (own === undefined) {
      const kept = topic.aliases.filter((alias) => !aliases.includes(alias));
      await topics().update(topic.id, { aliases: kept });
      return done(`No memory says ${aliases.map((alias) => `“${alias}”`).join(', ')}: taken away.`, () =>
        topics().update(topic.id, { aliases: topic.aliases }),
      );
    }
    return done(`“${own.name}” is a separate topic.`, async () => {
      await topics().merge(topic.id, [own.id]);
      if (aliases.includes(topic.name)) await topics().update(topic.id, { name: topic.name });
    });
  });

/** Whether names cannot be a topic because no memory says them. */
function isUnsaid(error: unknown, topic: Topic, aliases: readonly string[]): boolean {
  const isRefused = error instanceof ApiError && error.code === 'invalid_request';
  return isRefused && error.detail.includes('in no memory') && !aliases.includes(topic.name);
}

/** Makes another topic part of one. */
export const merge = (topic: Topic, other: Topic) =>
  attempt(async () => {
    const names = [other.name, ...other.aliases];
    await topics().merge(topic.id, [other.id]);
    const said = `“${other.name}” is part of “${topic.name}”.`;
    return names.length > MAX_SPLIT ? done(said) : done(said, () => separateAgain(topic, other, names));
  });

async function separateAgain(topic: Topic, { name, hidden }: Topic, names: string[]): Promise<void> {
  const own = await topics().split(topic.id, { aliases: names });
  const change = { ...(own.name !== name && { name }), ...(hidden && { hidden }) };
  if (Object.keys(change).length > 0) await topics().update(own.id, change);
}

/** Hides a topic, or shows it again. */
export const setHidden = ({ id, name }: Topic, hidden: boolean) =>
  attempt(async () => {
    await topics().update(id, { hidden });
    return done(hidden ? `“${name}” is hidden.` : `“${name}” is shown again.`, () =>
      topics().update(id, { hidden: !hidden }),
    );
  });

function topics() {
  return currentSession().client.topics;
}

interface Done {
  said: string;
  undo?: () => PromiseLike<unknown>;
}

function done(said: string, undo?: Done['undo']): Done {
  return { said, ...(undo && { undo }) };
}

/** Carries out a change and offers to take it back. Returns whether it succeeded. */
async function attempt(work: () => Promise<Done>): Promise<boolean> {
  try {
    const { said, undo } = await work();
    if (undo === undefined) showToast(said);
    else {
      const takeBack = async () => {
        await undo();
        return done('Undone.');
      };
      showUndoToast(said, () => void attempt(takeBack));
    }
    return true;
  } catch (error) {
    endSessionOn(error);
    showToast(describeError(error), 'error');
    return false;
  } finally {
    announce('topic');
  }
}
