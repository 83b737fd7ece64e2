import { systemRandom } from '../lib/random.ts';
import type { LazyCommand, LoadContext } from './lazy-command.ts';

/** Lists the commands for what is stored. */
export function memoryCommands(context: LoadContext): LazyCommand[] {
  const group = 'Memories:';
  return [
    {
      name: 'add',
      summary: 'store a memory',
      group,
      load: async () => (await import('./commands/add.ts')).addCommand(await context()),
    },
    {
      name: 'search',
      summary: 'search memories',
      group,
      load: async () => (await import('./commands/search.ts')).searchCommand(await context()),
    },
    {
      name: 'context',
      summary: 'print what is remembered about a prompt',
      group,
      load: async () => (await import('./commands/context.ts')).contextCommand(await context(), systemRandom),
    },
    {
      name: 'list',
      summary: 'list memories, newest first',
      group,
      load: async () => (await import('./commands/list.ts')).listCommand(await context()),
    },
    {
      name: 'show',
      summary: 'show one memory and its history',
      group,
      load: async () => (await import('./commands/show.ts')).showCommand(await context()),
    },
    {
      name: 'edit',
      summary: 'change a memory',
      group,
      load: async () => (await import('./commands/edit.ts')).editCommand(await context()),
    },
    {
      name: 'forget',
      summary: 'erase memories permanently',
      group,
      load: async () => (await import('./commands/forget.ts')).forgetCommand(await context()),
    },
    {
      name: 'review',
      summary: 'decide suggested changes of memories',
      group,
      load: async () => (await import('./commands/review.ts')).reviewCommand(await withScreen(context)),
    },
    {
      name: 'topics',
      summary: 'list what memories are about',
      group,
      load: async () => (await import('./commands/topics.ts')).topicsCommand(await context()),
    },
    {
      name: 'topic',
      summary: 'show what is known of a topic, or change its names',
      group,
      load: async () => (await import('./commands/topic.ts')).topicCommand(await context()),
    },
    {
      name: 'conversations',
      summary: 'list, show or erase conversations, extract memories from them',
      group,
      load: async () => (await import('./commands/conversations.ts')).conversationsCommand(await withScreen(context)),
    },
    {
      name: 'episodes',
      summary: 'list, show or erase episodes, cut conversations into them',
      group,
      load: async () => (await import('./commands/episodes.ts')).episodesCommand(await context()),
    },
    {
      name: 'users',
      summary: 'list end users, or erase one',
      group,
      load: async () => (await import('./commands/users.ts')).usersCommand(await context()),
    },
    {
      name: 'learned',
      summary: 'list or forget the words that find what was used for them',
      group,
      load: async () => (await import('./commands/learned.ts')).learnedCommand(await context()),
    },
    {
      name: 'sync',
      summary: 'keep a folder of Markdown files and the memories equal',
      group,
      load: async () => (await import('./commands/sync.ts')).syncCommand(await context()),
    },
    {
      name: 'export',
      summary: 'write the whole account to a file',
      group,
      load: async () => (await import('./commands/export.ts')).exportCommand(await context()),
    },
    {
      name: 'import',
      summary: 'import an export or another system’s file',
      group,
      load: async () => (await import('./commands/import.ts')).importCommand(await context()),
    },
  ];
}

/** Loads the context with the streams to draw on, if both are a terminal. */
async function withScreen(context: LoadContext) {
  const { createAccountContext } = await import('./account-context.ts');
  const loaded = await context();
  return { ...loaded, screen: createAccountContext(loaded).screen };
}
