import { button, element } from './dom.ts';

/** For a user that was asked for and has nothing. */
export function noMemoriesForUser(user: string): Node[] {
  return [element('p', {}, `User “${user}” has no memories, or the name is another.`)];
}

/** For a search without a hit; names the user it was about where the tenant has several. */
export function noResults(user: string, users: ReadonlySet<string>): Node[] {
  const hasOthers = [...users].some((other) => other !== user);
  const advice = hasOthers ? ` The search was about user “${user}”; the User field takes the others.` : '';
  return [
    element('h3', {}, 'Try other words, or fewer'),
    element('p', {}, `An empty box shows the newest memories.${advice}`),
  ];
}

/** For a tenant without memories: how the first one gets there. */
export function firstSteps(onRefresh: () => void): Node[] {
  const command = [
    `curl ${location.origin}/v1/memories \\`,
    '  -H "Authorization: Bearer $SVC_API_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '{"content": "I take my tea without sugar.", "tags": ["taste"]}'`,
  ].join('\n');
  return [
    element('h3', {}, 'Add the first one'),
    element('p', {}, 'A connected assistant adds memories by itself. By hand, with your key:'),
    element('pre', { class: 'snippet' }, command),
    button('Look again', '', onRefresh),
  ];
}
