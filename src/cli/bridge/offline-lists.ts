/**
 * The daemon's resources and prompts, listed while it is unreachable (without individual memories). An assistant that
 * starts before the daemon requests these lists only once.
 */
export const OFFLINE_LISTS: Record<string, Record<string, unknown>> = {
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
