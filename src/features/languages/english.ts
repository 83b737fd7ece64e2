import { STOP_WORDS } from '../text/stop-words.ts';
import { termsOf } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';
import { englishAttributes } from './english-attributes.ts';
import { counted, listOf, PRODUCTS, pattern, setOf, whenRead } from './language.ts';

/** The numbers that words name, but for their parts: "twenty" and "eight". */
export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...counted(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen`),
  ...listOf('twenty thirty forty fifty sixty seventy eighty ninety').map((word, at) => [word, 20 + 10 * at] as const),
]);
/** Tell things of one kind apart. */
export const QUALIFIERS: readonly ReadonlySet<string>[] = [
  setOf('morning mornings afternoon afternoons evening evenings night nights'),
  setOf(`monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday saturdays sunday
    sundays weekday weekdays weekend weekends`),
  setOf('first second third last next'),
  setOf('staging production prod dev test testing local'),
  setOf('left right upper lower front back inner outer'),
];

/** 9:30 and 3.1.0 are one word each. The letter replaces what joins them. */
const INSIDE_NUMBER = /(\d)[.:](?=\d)/g;
const JOINT = '\u02bc';

/** "Twenty-eight" and "28" are one. */
function wordsOf(text: string): string[] {
  const terms = termsOf(text.replace(/n['’]t\b/gi, ' not').replace(INSIDE_NUMBER, `$1${JOINT}`));
  const written: string[] = [];
  let tens = 0;
  for (const [index, term] of terms.entries()) {
    const number = NUMBER_WORDS.get(term);
    if (number === undefined) written.push(term);
    else if (number >= 20 && (NUMBER_WORDS.get(terms[index + 1] ?? '') ?? 20) < 10) tens = number;
    else {
      written.push(String(tens + number));
      tens = 0;
    }
  }
  return written;
}

export const english = whenRead(
  {
    code: 'en',
    spelling: /(?:ing|ed|tion|ly|ness|th|ck|ght|y|'s)$/,
    functionWords: STOP_WORDS,
    wordsOf,
    rootOf,
  },
  () => ({
    present:
      /\b(?:right now|now(?:adays)?|currently|presently|at (?:the moment|present)|these days|as of (?:now|today))\b/gi,
    attributes: englishAttributes,
    statements: {
      limits: setOf(`not no never none nobody nothing neither nor without except unless only
  can could may might must should shall would will if maybe perhaps probably usually sometimes often rarely always before
  after until till since old former previous previously ex used planned plan planning want wants hope hopes tried trying
  almost nearly half while during down off instead than but yet still also too seldom hardly barely scarcely few fewer
  less hate hates avoid avoids lack lacks refuse refuses reject rejects against other another both second third next last first`),
      negations: setOf('not no never none nobody nothing neither nor without cannot'),
      singleValued: setOf(`is are was were s re live lives lived work works sit sits lie lies
  run runs cost costs start starts begin begins open opens close closes listen listens belong belongs drive drives weigh
  weighs called named deploy deploys deployed last lasts take takes end ends meet meets host hosts hosted stay stays report
  reports ship ships expire expires default defaults`),
      copulas: setOf('is are was were s re called named'),
      prepositions: setOf(`at in on with by from to for under behind near every via through
  after before of`),
      determiners: setOf('a an the my our your his her their its this that these those'),
      possessives: setOf('my our your his her their'),
      lightWords: setOf(`have has had get gets got go goes going make makes made take takes do
  does doing there keep keeps kept want really whenever always wherever every each go name way time thing total like`),
      qualifiers: QUALIFIERS,
      relatives: setOf(`mother father sister brother mum mom dad son daughter wife husband cousin
  aunt uncle grandma grandmother grandfather niece nephew parents friend neighbor neighbour flatmate boss colleague`),
      speakers: setOf('i we my our me us'),
      synonyms: new Map(),
      transitions: [
        {
          words: 'live lives living moved moving relocated settled unpacked',
          states: /\b(?:live|lives|living|based|resides?|home is)\b.{0,20}\b(?:in|at|near|on)\b/i,
          // Somewhere: a name, or what people live in. "We moved to weekly releases" tells no home.
          changes:
            /\b(?:[Mm]ov(?:ed|ing) (?:back |over |out )?(?:in with|(?:to|into) (?:(?:a|an|the|my|our|her|his|their|new|old|own|bigger|smaller|larger|little|nice|nearby|different|quieter|cheaper|shared) )*(?:\p{Lu}|flats?\b|apartment|houses?\b|home\b|cottage|farm\b|villa\b|studio\b|place\b|town\b|city\b|village|country|coast|suburbs?|island|district|neighbou?rhood|street|another|one\b))|[Rr]elocated (?:back )?to (?:a |the )?\p{Lu}|(?:settled|unpacked) (?:down )?(?:in|into|at)|[Nn]ew (?:flat|apartment|home|house)\b(?! (?!is|was|in|at|on|near|since|now|last|this|and|has)\p{Ll})|(?:[Mm]y|[Oo]ur) new address\b)(?!.{0,20}\bdesk)/u,
          others: pattern(
            String.raw`\b(?:databases?|servers?|backups?|repos?|repository|files?|data|code|office|desk|teams?|sprints?|schedule|rhythm|cadence|standups?|meetings?|calls?|plan|tariff|provider|bank|account|website|blog|domain|cloud|role|position|department|company|firm|shop|service|app|version|workflow|tools?|group|channel|${PRODUCTS})\b`,
          ),
        },
        {
          words: 'work works working joined hired job freelance',
          states: /\b(?:works?|working|employed|job is|employer)\b.{0,20}\b(?:at|for|with|as|is|in)\b/i,
          changes:
            /\b(?:[Jj]oined (?=(?:the )?\p{Lu}|(?:an?|the) (?:\p{Ll}+ ){0,2}(?:company|firm|startup|start-up|agency|bank|hospital|school|university|studio|practice|office|team|staff))|[Nn]ew job\b|[Nn]ew employer|[Hh]ired by|left my job|changed jobs|quit my job|(?:went|going|gone|been|am|['’]m) (?:freelance|self-employed)|[Ss]tarted a job at|[Ss]tarted (?:working )?at (?=(?:the )?\p{Lu}|an? (?:\p{Ll}+ ){0,2}(?:company|firm|startup|start-up|agency|bank|hospital|school|university|studio|practice)))/u,
          others: pattern(
            String.raw`\b(?:gym|club|choir|band|orchestra|course|class|league|church|party|calls?|meetings?|union|library|association|society|group|forum|newsletter|waitlist|queue|game|program(?:me)?|server|channel|standups?|linkedin|mastodon|facebook|instagram|twitter|reddit|discord|telegram|whatsapp|duolingo|strava|netflix|spotify|${PRODUCTS})\b`,
          ),
        },
        {
          words: 'drive drives car sold new scrapped',
          states: /\b(?:drives?|(?:my|our) car is)\b/i,
          changes:
            /\b(?:sold|scrapped|wrote off|gave up|given up|got rid of|traded in) (?:the|my|our) (?:old )?car\b|\b(?:my|our|the|a) new car\b(?! (?!is|was|in|since|and|now|last|this|from)\p{L})|\bcar\b.{0,20}\b(?:sold|stolen|scrapped|written off)\b/iu,
          others: /\b(?:rental|rented|company|toy|taxi|bus|lorry|truck|tractor|train)\b/i,
        },
        {
          words: 'vegetarian vegan eat eating meat fish again',
          states: /\b(?:vegetarian|vegan|pescatarian|(?:don['’]t|never|no longer) eat (?:meat|fish|eggs|dairy))\b/i,
          changes:
            /\b(?:(?:started|am|['’]m|is|are|been) eating|eats?) (?:meat|fish|chicken|eggs|dairy|cheese|everything)(?: \S+){0,3} again\b|\b(?:meat|fish|chicken|eggs|dairy|cheese)\b.{0,20}\bback on\b|\b(?:turned|became|went|gone) (?:vegan|vegetarian)\b|\b(?:vegan|vegetarian) (?:now|since)\b/i,
          others: /\b(?:cat|dog|guests?|visitors|recipes?|restaurant|menu|canteen)\b/i,
        },
      ],
      replaces:
        /\b(?:switched|moved|migrated|changed|swapped|went|going|upgraded|raised|lowered|extended|increased|reduced|gone up|gone down|cut|passed|handed|rewritten|promoted|bumped|postponed|shifted|slipped|pushed)\b.{0,60}\b(?:to|for|from|over|in|by)\b|\b(?:no longer|not any ?more|instead of|replaces|rather than|used to|took over|takes over|was renamed|is now|are now|now (?:uses?|runs?|lives?|works?|starts?|is|are|at|in|on)|from now on|as of|rolled out|new .{1,30} is)\b/i,
      ordered: /\b(?:over|than|prefer\w*|rather|before|after|instead|versus|vs|owes?|owed)\b|\bfrom\b.*\bto\b/i,
      purposes: setOf('for'),
      over: [],
    },
    said: {
      explicit:
        /\b(?:(?:please |pls )?(?:remember|keep in mind|don['’]t forget|note(?: down)?|make a note|for (?:the )?(?:future|record|next time)(?=[,:])|fyi|from now on|going forward|as a rule)\b[,:]?\s*(?:that\s+)?)(.+)$/i,
      rules: [
        /^(?:please |and |but |also |so )*(?:always|never|don['’]?t ever)\s+\w+/i,
        /\b(?:is|are|be|i|we|you)\s+(?:always|never)\b|,?\s(?:always|never)\s+(?:use|write|add|put|show|start|keep|give|answer|explain|include)\b/i,
      ],
      stated: [
        /^(?:i|we)\s+(?:really\s+|always\s+|never\s+|usually\s+|only\s+|still\s+|also\s+|both\s+|all\s+)*(?:prefer|like|love|hate|dislike|use|deploy|host|speak|live|work|own|drive|eat|drink|keep|call|teach|sell|open|close|charge|bill|play|study|write|ship|release|store|run|pay|mentor|wear|take|sign|only want)\b/i,
        /^(?:i|we)\s+(?:don['’]?t|do not|can['’]?t|cannot|won['’]?t|never)\s+(?:use|like|eat|drink|want|allow|work|deploy|ship|do|accept|sell|have|speak|drive|stand|take|mock|write|commit|concentrate|read)\b/i,
        /^(?:i|we)(?:['’]ve)?\s+(?:have\s+)?(?:decided|agreed|switched|moved|settled|migrated|standardi[sz]ed|dropped|chose|picked)\b/i,
        /^(?:i['’]?m|i am|we['’]?re|we are)\s+(?:an?\b|allergic|vegan|vegetarian|left-handed|colou?r-?blind|dyslexic|based|on (?:node|python|postgres|debian|windows|mac)|from|married|deaf|not allowed)/i,
        /^(?:i|we)\s+have\s+(?:a|an|two|three|four|five|six|\d+)\b/i,
        /^(?:i['’]?d|we['’]?d) rather\b/i,
        /^(?:my|our)\s+(?:[\p{L}\p{N}'’./-]+\s+){1,5}(?:is|are|was|lives?|works?|runs?|has|have|uses?|starts?|ends?|sits?|lies|opens?|closes?|prefers?|likes?|hates?|needs?|speaks?|goes|stays?|can['’]?t|comes?|wants?|expects?|insists?|pays?|listens?)\b/iu,
      ],
      notKept:
        /\?|\b(?:if|would|could|might|maybe|perhaps|suppose|imagine|what if|let['’]?s|today|tonight|tomorrow|(?<!\b(?:moved|relocated|migrated|switched|changed|upgraded) (?:back |over )?to (?!(?:the|an?|another|line)\b|\d).{0,60})yesterday|right now|just now|currently|for now|at the moment|this (?:morning|afternoon|evening|time|error|bug|test|one|file|function)|(?<!\b(?:moved|relocated|migrated|switched|changed|upgraded) (?:back |over )?to (?!(?:the|an?|another|line)\b|\d).{0,60})last (?:night|week)|stuck|trying|tried|fails?|failed|failing|crash\w*|broken|error|thanks?|sorry|(?:how|why) (?:do|does|can|to)\b|i (?:always |keep )?forget|have an? (?:cold|headache|fever|flu|question|problem|bug|issue|feeling|meeting|minute|idea)|the (?:first|second|third|last|other|former|latter) (?:option|version|suggestion|answer|variant|one)|option (?:[a-z]|\d)\b|your (?:answer|reply|response|suggestion|idea|help)|i (?:think|guess|wonder|see|get|got|mean|hope|feel|need|forgot))\b/i,
      asks: /^(?:(?:ok(?:ay)?|so|and|now|then|also|great|hi|hey|hello|hm+|right|next|first|again|just|quick(?:ly)?|please|pls|plz)[,:]? )*(?:(?:can|could|would|will|should|shall|may|do|does|did|is|are|was|were|have|has|how|what|why|where|when|which|who|whose|let['’]?s|help|show|write|fix|add|make|rename|explain|give|draft|create|tell|find|check|run|look|update|change|remove|delete|move|refactor|implement|generate|translate|summari[sz]e|rewrite|shorten|tidy|clean|format|sort|convert|build|set|put|turn|use|try|read|open|review|test|plan|suggest|compare|list|describe|finish|start|prepare|compose|edit|extract|split|merge|replace|wire|bump|patch|debug|i (?:need|want) you)\b)/i,
      points: /\b(?:it|this|that|them|these|those|here|there)\b/i,
      refers: /^(?:it|its|that|this|they|their|these|those|she|he|there|which|who)\b/i,
      clauses:
        /\s*(?:[;:(–—]|,\s+(?:because|since|as|so|and|but)?\b|\s-+\s|\bbecause\b|\bsince\b|\bbtw\b,?|\bby the way\b,?)\s*/i,
      follows: /[,;]?\s+so\s+(?!that\b|much\b|many\b|far\b|long\b|called\b|on\b).*$/i,
      leading:
        /^(?:btw|by the way|also|and|but|so|oh|well|hey|hi|ok(?:ay)?|because|since|as|fyi|note that|just so you know|for context|to be clear|yes|no|right|actually|please(?=:)|for the (?:reply|answer|record|future)(?=[,:]))[,:]?\s+/i,
    },
  }),
);
