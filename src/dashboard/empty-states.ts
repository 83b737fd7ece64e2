import { button, element } from './dom.ts';

/** Empty state for a user without memories. */
export function noMemoriesForUser(user: string): Node[] {
  return [element('p', {}, `User “${user}” has no memories. Check the spelling, or clear the User field.`)];
}

/** Empty state for a search without results. Names the searched user if the tenant has several. */
export function noResults(user: string, users: ReadonlySet<string>): Node[] {
  const hasOthers = [...users].some((other) => other !== user);
  const advice = hasOthers ? ` This search covered user “${user}”; use the User field to search another.` : '';
  return [
    element('h3', {}, 'Try different or fewer words'),
    element('p', {}, `Clear the search to see your newest memories.${advice}`),
  ];
}

/** Empty state for a tenant without memories: how to add the first one. */
export function firstSteps(onRefresh: () => void): Node[] {
  const command = [
    `curl ${location.origin}/v1/memories \\`,
    '  -H "Authorization: Bearer $SVC_API_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '{"content": "I take my tea without sugar.", "tags": ["taste"]}'`,
  ].join('\n');
  return [
    element('h3', {}, 'Add your first memory'),
    element('p', {}, 'Connected assistants add memories as you talk. To add one yourself, run this with your API key:'),
    element('pre', { class: 'snippet' }, command),
    button('Refresh', '', onRefresh),
  ];
}
