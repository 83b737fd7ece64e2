/** What the pictures of the documentation show: a person's memories over a year, told in a line each. */
const FACTS: readonly [content: string, tags: string[], project?: string][] = [
  ['Ada prefers oolong tea, never coffee after four', ['taste']],
  ['Teas are kept in the left cupboard', ['kitchen']],
  ['The staging database runs PostgreSQL 15; production is on 16', ['infrastructure'], 'web'],
  ['Use pnpm in the web repository, npm everywhere else', ['conventions'], 'web'],
  ['Ada moved to Bergen in March and works from the harbor office', ['people']],
  ['Release notes go out on Thursdays, written by whoever is on call', ['process'], 'web'],
  ['The billing service must never retry a charge without its idempotency key', ['conventions'], 'billing'],
  ['Grace is allergic to peanuts', ['people', 'health']],
  ['Kai collects old maps; his birthday is on 12 May', ['people']],
  ['The router in the attic restarts every Sunday at three', ['home']],
  ['The car needs its inspection before the end of April', ['home', 'deadline']],
  ['Invoices are sent on the last working day of the month', ['process'], 'billing'],
  ['Ada reads papers on information retrieval on the train', ['taste', 'work']],
  ['No meetings before ten', ['process']],
  ['API keys of the test account are rotated monthly', ['infrastructure'], 'web'],
  ['Kai is vegetarian', ['people', 'taste']],
  ['The trip to Lisbon is in mid-May; the hotel is near the river', ['travel']],
  ['The garden fence fell over again; the carpenter is called on Monday', ['home']],
  ['Error budgets are reviewed in the first week of a quarter', ['process'], 'web'],
  ['Mina plays the piano and practices on Wednesday evenings', ['people']],
  ['Refunds above 500 need a second person', ['conventions'], 'billing'],
  ['The spare key is with the neighbors on the second floor', ['home']],
  ['Grace takes the early train on Tuesdays', ['people']],
  ['The editor is set in Iosevka with size 15', ['tools']],
  ['The typeface museum in Mainz opens at ten', ['travel']],
  ['Typeface licenses are paid by the studio', ['process'], 'billing'],
  ['Ada and Grace are learning Norwegian together', ['people']],
  ['Feature flags are removed two releases after they are fully on', ['conventions'], 'web'],
];

/** New memories, spread over the year before `nowMs`. */
export function pictureMemories(nowMs: number): object[] {
  const dayMs = 86_400_000;
  return FACTS.map(([content, tags, project], index) => ({
    content,
    tags,
    ...(project && { project }),
    occurredAt: new Date(nowMs - ((index * index * 0.6 + index * 1.5) % 360) * dayMs).toISOString(),
  }));
}

/** Questions, each with a word of the memory that answers it. */
export const PICTURE_QUESTIONS: readonly [query: string, answer: string][] = [
  ['what does Ada drink?', 'oolong'],
  ['where does Ada live?', 'Bergen'],
  ['who is vegetarian?', 'vegetarian'],
  ['when do release notes go out?', 'Thursdays'],
  ['which database runs in staging?', 'staging'],
  ['when is the trip to Lisbon?', 'Lisbon'],
];
