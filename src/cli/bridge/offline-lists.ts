/** Answers of the daemon by method. */
export type OfflineLists = Readonly<Record<string, Record<string, unknown>>>;

/**
 * The daemon's resources and prompts, listed while it is unreachable (without individual memories). An assistant that
 * starts before the daemon requests these lists only once.
 */
export const EVERYDAY_LISTS: OfflineLists = {
  'resources/list': {
    resources: [{ uri: 'memory://profile', name: 'profile', title: 'What is remembered', mimeType: 'text/markdown' }],
  },
  'resources/templates/list': {
    resourceTemplates: [
      { uriTemplate: 'memory://profile/{user}', name: 'profile-of-user', mimeType: 'text/markdown' },
      { uriTemplate: 'memory://{id}', name: 'memory', mimeType: 'text/markdown' },
    ],
  },
  'prompts/list': {
    prompts: [
      {
        name: 'recall',
        title: 'Recall',
        description: 'What is remembered about something.',
        arguments: [
          { name: 'about', required: true },
          { name: 'user', required: false },
          { name: 'project', required: false },
        ],
      },
      {
        name: 'save_session',
        title: 'Save this session',
        description: 'Stores what is worth remembering from this conversation.',
        arguments: [{ name: 'topic', required: false }],
      },
    ],
  },
};

/** The prompts beside the tools to tidy memories; there are no resources. */
export const TIDY_LISTS: OfflineLists = {
  'prompts/list': {
    prompts: [
      {
        name: 'tidy',
        title: 'Tidy memories',
        description: 'Reads memories that are about the same and proposes changes, which a person decides.',
        arguments: [
          { name: 'user', required: false },
          { name: 'project', required: false },
        ],
      },
    ],
  },
};

/** The prompts beside the tools to extract memories; there are no resources. */
export const EXTRACT_LISTS: OfflineLists = {
  'prompts/list': {
    prompts: [
      {
        name: 'extract',
        title: 'Extract memories',
        description: 'Reads what was said in conversations and stores what will still be worth knowing.',
        arguments: [
          { name: 'user', required: false },
          { name: 'project', required: false },
          { name: 'after', required: false },
        ],
      },
    ],
  },
};

/** There are neither prompts nor resources beside the tools of ChatGPT. */
export const CHATGPT_LISTS: OfflineLists = {};
