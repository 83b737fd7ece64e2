/** English words by which a statement says when its time has passed. Other languages add a table of the same form. */

/** Units of a span, in days; a span of weeks or months is about that long, so it gets some more. */
export const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 31 };
export const WEEKDAYS: readonly string[] = [
  ...['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'],
];

const WEEKDAY = WEEKDAYS.join('|');
const MONTH =
  'January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec';
const ORDINAL = String.raw`\d{1,2}(?:st|nd|rd|th)?`;
const YEAR = String.raw`(?:,?\s+20\d\d)?`;
/** "14 March", "14th of March 2026", "March 14, 2026", "2026-03-14". */
const DATE = String.raw`(?<![\w./-])(?:20\d\d-\d\d-\d\d(?![\w-]|\.\d)|(?:the\s+)?${ORDINAL}\s+(?:of\s+)?(?:${MONTH})\b${YEAR}|(?:${MONTH})\.?\s+${ORDINAL}\b(?!\s*[:%])${YEAR})`;
const COUNT = String.raw`(?:\d{1,2}|a|one|two|three|four|five|six|seven|eight|nine|ten|couple of|few)`;

/**
 * How a time is named, by what decides how it ends. A pattern has the groups that its kind needs: `name`, `count` and `unit`.
 * The order counts: what an earlier one has matched, a later one does not see.
 */
export const TIMES: readonly {
  kind: 'date' | 'month' | 'ordinal' | 'weekday' | 'nextWeekday' | 'span' | 'of' | 'day';
  pattern: RegExp;
}[] = [
  { kind: 'date', pattern: new RegExp(`(?<name>${DATE})`, 'g') },
  {
    kind: 'month',
    pattern: new RegExp(
      String.raw`\b(?:in|until|till|through|by|rest of|end of)\s+(?:the end of\s+|end of\s+)?(?<name>(?:${MONTH})(?:\s+20\d\d)?)\b(?!\s+\d)`,
      'g',
    ),
  },
  {
    kind: 'ordinal',
    pattern:
      /\b(?:on|until|till|by|before|to|from|through)\s+the\s+(?<name>\d{1,2})(?:st|nd|rd|th)\b(?!\s+(?:of|floor|century|grade|edition|birthday|\p{Lu}))/giu,
  },
  { kind: 'nextWeekday', pattern: new RegExp(String.raw`\bnext\s+(?<name>${WEEKDAY})\b(?!['’])`, 'gi') },
  {
    kind: 'weekday',
    pattern: new RegExp(
      String.raw`\b(?:on|by|before|until|till|through|this|to|for|due|coming|and)\s+(?<name>${WEEKDAY})\b(?!['’]|\s+(?:morning|afternoon|evening|night)s)`,
      'gi',
    ),
  },
  {
    kind: 'weekday',
    pattern: new RegExp(
      String.raw`\b(?<name>${WEEKDAY})\b(?=\s+(?:at\s+)?\d{1,2}(?::\d\d)?(?:\s*[ap]m)?\b|\s*[.!]?$)`,
      'gi',
    ),
  },
  {
    kind: 'span',
    pattern: new RegExp(
      String.raw`\b(?:for|over|during|within|in)\s+(?:the\s+)?(?:next|coming)?\s*(?<count>${COUNT})\s+(?:more\s+)?(?<unit>day|week|month)s?\b`,
      'gi',
    ),
  },
  { kind: 'of', pattern: /\b(?:the\s+)?(?:rest|end) of (?:the|this)\s+(?<name>week|month|quarter|year)\b/gi },
  { kind: 'of', pattern: /\b(?:this|(?<count>next))\s+(?<name>week(?:end)?|month)\b/gi },
  {
    kind: 'day',
    pattern: /\b(?<name>today|tonight|this (?:morning|afternoon|evening)|tomorrow|day after tomorrow)\b(?!['’])/gi,
  },
];

/** Times that something lasts to, or by which something is to be done: after them, it does not hold. */
export const ENDS = new RegExp(
  String.raw`\b(?:until|till|through)\s+(?:the end of\s+|end of\s+|next\s+|this\s+)?(?:${WEEKDAY}|tomorrow|tonight|(?:the\s+)?\d|20\d\d-|${MONTH}|(?:the|this|next)\s+(?:week|month))|\b(?:until|till)\s+the\s+\d|\b(?:for|over|during)\s+the\s+(?:next|coming)\s+${COUNT}\s|\bfor\s+${COUNT}\s+more\s|\bfor the rest of\b`,
  'i',
);
/** Begins at a time and does not say how long it holds. */
export const BEGINS = new RegExp(
  String.raw`\b(?:from|since|as of|starting|beginning)\s+(?:on\s+)?(?:next\s+|this\s+)?(?:${WEEKDAY}|week|month|tomorrow|tonight|today|the\s+\d|${MONTH}|${DATE})\b(?!.*(?:\b(?:to|until|till|through)|[-–])\s*(?:the\s+|next\s+)?(?:${WEEKDAY}|week|month|tomorrow|tonight|the\b|\d|${MONTH}))(?!.*\bfor\s+(?:the\s+)?(?:next\s+)?${COUNT}\s)`,
  'i',
);
/** The time comes first: what follows happens then. */
export const BEGINS_WITH_TIME =
  /^(?:tomorrow|tonight|today|this (?:morning|afternoon|evening|week|weekend|month)|next (?:week|weekend|month))\b(?!['’])/i;
/** Something to be done by a time. */
export const DUE =
  /\bdeadline\b|\bdue\b|\b(?:must|have to|has to|need to|needs to|should|remember to|don['’]t forget to|todo|to do|reminder)\b.*\b(?:by|before|on|until|till|tomorrow|tonight|today|this|next)\b|\b(?:submit|finish|send|hand in|call|buy|pick up|book|return|pay|renew|file|reply|register|sign up)\b.*\b(?:by|before|tomorrow|tonight|today)\b/i;
/** Take place once, unless something says otherwise. */
export const EVENTS =
  /\b(?:meeting|appointment|dentist|doctor|physio|vet|haircut|hairdresser|interview|flight|train leaves|deadline|exam|demo|presentation|webinar|hearing|delivery|parcel|package|viewing|inspection|surgery|operation|check-?up|scan|concert|gig|party|dinner|lunch|brunch|barbecue|picnic|kick-?off|hackathon|offsite|off-site|go-live|launch|release|cut-?over|maintenance|downtime|outage window|audit|submission|rehearsal dinner|open day|plumber|electrician|movers|handover|reservation|call with|phone call|video call|coffee with|visit|conference|workshop|talk|code freeze|freeze|match|game)\b/i;
/** What takes place each week as often as once: only a time that is clearly one counts. */
export const ROUTINE =
  /\b(?:stand-?up|sync|retro(?:spective)?|1:1|one-on-one|class|lesson|training|practice|yoga|choir|band|rehearsal|shift|trash|bins?|garbage|recycling|market|club|planning|grooming|refinement|review meeting|team meeting|staff meeting|all-?hands|office hours|on-?call|gym|football|tennis|meetup|game night|lecture|seminar|course|therapy|church|cleaner|backups?|deploys?|deployments?|releases)\b/i;
/** Somebody's plan for tomorrow or tonight. */
export const PLANNED =
  /^(?=.*\b(?:tomorrow|tonight)\b).*\b(?:i['’]m|i am|we['’]re|we are|i['’]ll|we['’]ll|will|(?:is|are) (?:cancell?ed|\p{L}+ing))\b/iu;
/** States and doings that pass. */
export const PASSING =
  /\b(?:away|abroad|travell?ing|out of (?:the )?office|ooo|on (?:vacation|holiday|leave|pto|a (?:business )?trip|sick leave|parental leave|call)|off (?:sick|work)|(?:is|am|are|['’](?:m|s|re)) (?:off|sick|ill|out|closed|down|busy|unavailable|unreachable|offline|read-only|frozen|in (?!charge|favor|love)[a-z ]{0,12}\p{Lu}|at (?:my|the|a) )|visiting|flying|fly|flies|staying|house-?sitting|cat-?sitting|dog-?sitting|attending|presenting|giving a (?:talk|presentation)|working from|work from home|seeing|picking up|arriv(?:es|ing)|lands?|landing|coming (?:over|for|to)|comes (?:over|for|to)|meeting (?=\p{L})|having (?:dinner|lunch|breakfast|coffee|drinks)|watching|babysitting|focus(?:ing)? on|closed|unavailable)\b/iu;
const BE_NOT_IN =
  /\b(?:am|is|are|['’](?:m|s|re)|will be) not (?=available|reachable|here|in the office|at work|working|around)/gi;
/** Negations that are themselves a passing state are read as their opposite. */
export function withoutAbsence(text: string): string {
  return text.replace(BE_NOT_IN, 'is away ');
}

/** Say that it is of another kind: it recurs, is over, hangs on something, lasts, or is not certain. */
export const KEEPS: readonly RegExp[] = [
  // Questions, quotations, code, addresses.
  /[?"“”„«»`{}<>=|\\]|:\/\/|(?:^|\s)'[^']*'|‘/,
  // Recurs.
  new RegExp(
    String.raw`\b(?:every|each|any|always|never|usually|normally|typically|generally|often|sometimes|weekly|daily|monthly|yearly|annual(?:ly)?|quarterly|fortnightly|bi-?weekly|regular(?:ly)?|recurring|repeats?|per|once a|twice|rule|policy|habit|routine|traditionally|schedule is|(?:${WEEKDAY})s|weekends|weekdays|(?:morning|afternoon|evening|night)s|first|second|third|fourth|last|odd|even|all)\b`,
    'i',
  ),
  // Comes each year, or is remembered for its date.
  /\b(?:birthdays?|bday|born|anniversary|name day|christmas|easter|thanksgiving|ramadan|new year['’]?s?|halloween|holidays|tax(?:es)?|rent|salary|payroll|subscription|renews?|renewal|fiscal|season|semester|term|wedding|graduation|married|expires?|expiry|expiration|valid|warranty|eol|end of life|support(?:ed)?)\b/i,
  // Falls due each month.
  /\b(?:due|bills?|invoices?|payments?|fees?|payday)\b.*\bon the \d{1,2}(?:st|nd|rd|th)\b(?!\s+of)/i,
  // Is over, or told as history.
  /\b(?:was|were|wasn['’]t|weren['’]t|had|did|didn['’]t|been|ago|yesterday|since|used to|former(?:ly)?|previous(?:ly)?|went|came|met|got|took|made|saw|said|told|gave|began|left|bought|sold|sent|spent|flew|drove|found|held|ran|became|wrote|built|paid|won|lost|chose|broke|fell|felt|knew|thought|brought|taught|kept|grew|already|done|gone|history|back then|(?:has|have) (?!to\b|an?\b|the\b|my\b|our\b|his\b|her\b|their\b|dinner|lunch|two\b|three\b|\p{Lu})\p{Ll})/u,
  /\b(?:original(?:ly)?|initial(?:ly)?)\b/i,
  // Hangs on something, or might be.
  /\b(?:if|unless|when|whenever|once|whether|in case|provided|depending|depends|would|could|might|maybe|perhaps|probably|possibly|likely|hopefully|hope|hopes|wish|suppose|imagine|tentative(?:ly)?|tbd|tbc)\b/i,
  /\bmay\b/,
  // Is denied, or forbids.
  /\b(?:not|no|none|nobody|nothing|without|cannot|except|avoid|can['’]t|won['’]t|don['’]t(?! forget)|doesn['’]t|isn['’]t|aren['’]t)\b/i,
  // Says what somebody is like.
  /\b(?:prefers?|likes?|loves?|hates?|enjoys?|favou?rites?|dislikes?|wants?|allergic|believes?|thinks?|feels?)\b/i,
  // Lasts from then on, or is a change whose outcome lasts.
  /\b(?:from now on|onwards?|going forward|as of|effective|starting|starts?|begins?|beginning|opens?|opening|after|from .{1,24} on\b(?! (?:${WEEKDAY}|\d))|mov(?:e|es|ing)|relocat\w+|migrat\w+|switch\w*|join\w*|retir\w+|graduat\w+|marry|marries|marrying|become|becomes|becoming|chang(?:e|es|ing)|replac\w+|renam\w+|upgrad\w+|quits?|resign\w*|hir(?:e|es|ing)|promot\w+|deprecat\w+|remov\w+|drop|drops|dropping|rais(?:e|es|ing)|pregnant|baby|sells?|selling|permanent(?:ly)?|forever|ends|stops?|now)\b/i,
  // Says something else, too.
  /[.!;:]\s+\S.*[.!;]\s+\S|[.!;]\s+\S|\n|,?\s\b(?:but|because|although|though|whereas|while|which|who|whose|where|so that|therefore|otherwise|instead|even though)\b|,?\s(?:and|so)\s+(?:i|we|he|she|they|it|you|my|our|his|her|their|the|then|that|please|use|ask|is|are|has|have)\b/i,
  // Holds for all of a kind: "invoices are due in 14 days", "return requests must be …".
  /^(?!(?:my|our|his|her|their|the|these|those|your)\b)(?:\p{L}+ )?[\p{L}-]{3,}s (?:are|must|need|have|go|can|should|arrive|leave|happen|get|take|run)\b/iu,
  /\bshould\b.*\b(?:until|till)\b/i,
  // Names and titles, and parts of a name.
  /\b(?:called|named|titled|name is|label(?:l?ed)?|tagged)\b|\p{L} (?:Tomorrow|Tonight|Today)\b/u,
  /\b(?:release|launch|maintenance|delivery|meeting|exam|visit|party|match|game|demo|deadline|interview)s? (?:day|train|branch|notes?|window|slot|room|server|channel|template|requests?|agenda|hours?|time|locker|reminders?|candidate|process|policy|team)\b/i,
  new RegExp(
    String.raw`\b(?:of|about|dated|like|number|no\.?|id|file|folder|branch|tag|street)\s+(?:the\s+)?${DATE}|${DATE}\s+(?:street|square|avenue|road|movement|file|branch|version)`,
    'i',
  ),
  // Numbers that look like a date.
  /\b(?:version|release|node|python|java|postgres(?:ql)?|ubuntu|v)\s?\d+(?:[.-]\d+)*\b|\b\d+\.\d+\.\d+|#\d/i,
];
/** A regular past tense, unless a form of "be" makes it a state: "is scheduled". */
export const PAST =
  /(?<!\b(?:is|are|am|be|being|get|gets)\s(?:\w+\s)?|['’](?:s|re|m)\s|\b(?:the|a|an|my|our)\s)\b(?!(?:red|bed|fred|ted|ned|med|wed|need|feed|speed|seed|hundred|shed|embed|unlimited|limited|scheduled|planned|booked|due|closed|reserved|invited|expected|supposed|rescheduled|postponed|united|red)\b)\p{L}{2,}(?<!e)ed\b/iu;
/** Short notes without a verb: "dentist tomorrow at 9", "deadline: 2026-03-01". */
export const REGULAR_WEEK = new RegExp(
  String.raw`\b(?:${WEEKDAY})\s*(?:-|–|to|through|until|till)\s*(?:${WEEKDAY})\b`,
  'i',
);
/** What is closed or due on a day of the week is so each week. */
export const WEEKLY =
  /\b(?:closed|open|unavailable|offline|down|deadline|due|release|launch|maintenance|match|game|talk|visit|party night|audit|freeze|submission)\b/i;
/** Simple presents that say what is done each time as well as once: "we deploy on Friday". */
export const HABITUAL =
  /\b(?:i|we|they|he|she|you)\s+(?:go|goes|work|works|meet|meets|deploy|deploys|ship|ships|release|releases|play|plays|train|trains|teach|teaches|run|runs|do|does|cook|cooks|eat|eats|swim|swims|shop|shops|clean|cleans|visit|visits|call|calls|(?:have|has)(?! an?\b))\b/i;
