/** The views of the web app. Each but `home`, which is the app's own address, is the last part of a path. */
export const VIEW_NAMES = [
  'home',
  'memories',
  'review',
  'topics',
  'map',
  'conversations',
  'recall',
  'learning',
  'connect',
  'spaces',
  'activity',
  'settings',
  'operator',
] as const;
export type ViewName = (typeof VIEW_NAMES)[number];
