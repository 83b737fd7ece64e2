/** How topics are sorted; without schemas, for the web app. */
export const TOPIC_SORTS = ['memories', 'latest', 'name'] as const;
export type TopicSort = (typeof TOPIC_SORTS)[number];
