/** English words by which statements are compared. Every table is a list of words or roots, so that languages can be added. */

/** Words that turn a statement into another one: two that differ in one of them do not say the same. */
export const LIMITS: ReadonlySet<string> =
  words(`not no never none nobody nothing neither nor without except unless only
  can could may might must should shall would will if maybe perhaps probably usually sometimes often rarely always before
  after until till since old former previous previously ex used planned plan planning want wants hope hopes tried trying
  almost nearly half instead than but yet still also too other another both second third next last first`);

/** Verbs of which a subject has one value at a time. */
export const SINGLE_VALUED: ReadonlySet<string> =
  words(`is are was were s re live lives lived work works sit sits lie lies
  run runs cost costs start starts begin begins open opens close closes listen listens belong belongs drive drives weigh
  weighs called named deploy deploys deployed last lasts take takes end ends meet meets host hosts hosted stay stays report
  reports ship ships expire expires default defaults`);
export const COPULAS: ReadonlySet<string> = words('is are was were s re called named');
/** Begin a value, and say what kind of value it is. */
export const PREPOSITIONS: ReadonlySet<string> = words(`at in on with by from to for under behind near every via through
  after before of`);
export const DETERMINERS: ReadonlySet<string> = words('a an the my our your his her their its this that these those');
/** Make a noun an attribute of somebody: "my phone". */
export const POSSESSIVES: ReadonlySet<string> = words('my our your his her their');

export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...list(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen`).map((word, number) => [word, number] as const),
  ...list('twenty thirty forty fifty sixty seventy eighty ninety').map((word, at) => [word, 20 + 10 * at] as const),
]);

export const NEGATIONS: ReadonlySet<string> = words('not no never none nobody nothing neither nor without cannot');
/** Say little beside their object. */
export const LIGHT_WORDS: ReadonlySet<string> =
  words(`have has had get gets got go goes going make makes made take takes do
  does doing there keep keeps kept want really whenever always wherever every each go name way time thing total like`);
/** Tell things of one kind apart: what holds of the morning's handover does not hold of the evening's. */
export const QUALIFIERS: readonly ReadonlySet<string>[] = [
  words('morning mornings afternoon afternoons evening evenings night nights'),
  words(`monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday saturdays sunday
    sundays`),
  words('first second third last next'),
  words('staging production prod dev test testing local'),
  words('left right upper lower front back inner outer'),
];
/** What holds of the speaker does not hold of somebody else. */
export const RELATIVES: ReadonlySet<string> =
  words(`mother father sister brother mum mom dad son daughter wife husband cousin
  aunt uncle grandma grandmother grandfather niece nephew parents friend neighbor neighbour flatmate boss colleague`);

/** A state and how its change is announced: who "moved" no longer "lives" there. */
interface Transition {
  states: RegExp;
  changes: RegExp;
  /** Words by which the index finds what states it, and what announces its change. */
  words: string;
}

export const TRANSITIONS: readonly Transition[] = [
  {
    words: 'live lives living moved moving relocated',
    states: /\b(?:live|lives|living|based|resides?|home is)\b.{0,20}\b(?:in|at|near|on)\b/i,
    changes:
      /\b(?:mov(?:ed|ing) (?:back |over |out )?(?:to|into|in with)|relocated|new (?:flat|apartment|address|home|house))\b(?!.{0,20}\bdesk)/i,
  },
  {
    words: 'work works working joined hired job',
    states: /\b(?:works?|working|employed|job is|employer)\b.{0,20}\b(?:at|for|with|as|is|in)\b/i,
    changes: /\b(?:joined|new job|new employer|hired by|left my job|changed jobs|quit my job|started (?:a job )?at)\b/i,
  },
];

/** Say that something takes the place of something else. */
export const REPLACES =
  /\b(?:switched|moved|migrated|changed|swapped|went|going|upgraded|raised|lowered|extended|increased|reduced|cut|passed|handed|rewritten|promoted|bumped|postponed)\b.{0,60}\b(?:to|for|from|over|in|by)\b|\b(?:no longer|not any ?more|instead of|replaced|replaces|rather than|used to|gave up|given up|stopped|dropped|retired|took over|takes over|was renamed|is now|are now|now (?:uses?|runs?|lives?|works?|starts?|is|are|at|in|on)|from now on|as of|new .{1,30} is)\b/i;

function words(text: string): ReadonlySet<string> {
  return new Set(list(text));
}

function list(text: string): string[] {
  return text.split(/\s+/);
}
