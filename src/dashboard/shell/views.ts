import type { ComponentType } from 'preact';
import type { ViewName } from '../../contract/view-names.ts';
import type { IconName } from './icon.tsx';

/** A view's name in the navigation, its icon and its module, which is loaded when it is first shown. */
interface View {
  title: string;
  icon: IconName;
  /** Opens the view after `g`. */
  letter: string;
  /** Is about the own account, and has nothing to show in a space. */
  isPersonal?: true;
  load(): Promise<{ View: ComponentType }>;
}

export const VIEWS: Record<ViewName, View> = {
  home: { title: 'Home', icon: 'home', letter: 'h', load: () => import('../views/home/home-view.tsx') },
  memories: {
    title: 'Memories',
    icon: 'memory',
    letter: 'm',
    load: () => import('../views/memories/memories-view.tsx'),
  },
  review: { title: 'Review', icon: 'review', letter: 'v', load: () => import('../views/review/review-view.tsx') },
  topics: { title: 'Topics', icon: 'topic', letter: 't', load: () => import('../views/topics/topics-view.tsx') },
  map: { title: 'Map', icon: 'map', letter: 'p', load: () => import('../views/map/map-view.tsx') },
  conversations: {
    title: 'Conversations',
    icon: 'conversation',
    letter: 'c',
    load: () => import('../views/conversations/conversations-view.tsx'),
  },
  recall: { title: 'Recall', icon: 'recall', letter: 'r', load: () => import('../views/recall/recall-view.tsx') },
  learning: {
    title: 'Learning',
    icon: 'learning',
    letter: 'l',
    load: () => import('../views/learning/learning-view.tsx'),
  },
  connect: {
    title: 'Connect',
    icon: 'connect',
    letter: 'n',
    isPersonal: true,
    load: () => import('../views/connect/connect-view.tsx'),
  },
  spaces: { title: 'Spaces', icon: 'spaces', letter: 'w', load: () => import('../views/spaces/spaces-view.tsx') },
  activity: {
    title: 'Activity',
    icon: 'activity',
    letter: 'a',
    load: () => import('../views/activity/activity-view.tsx'),
  },
  settings: {
    title: 'Settings',
    icon: 'settings',
    letter: 's',
    load: () => import('../views/settings/settings-view.tsx'),
  },
  operator: {
    title: 'Operator',
    icon: 'operator',
    letter: 'o',
    load: () => import('../views/operator/operator-view.tsx'),
  },
};
