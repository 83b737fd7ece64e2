/** English words by which a text is divided into statements that stand alone. Other languages add a table of the same form. */

/** Between two statements: a line, a semicolon, or the end of a sentence before a capital letter. */
export const STATEMENT_BREAKS = /\s*\n+\s*|;\s+|(?<=[\p{Ll}\d)]{2}[.!])\s+(?=\p{Lu})/u;
/** Questions, quotations, code, addresses, lists, steps, definitions; the whole text stays unchanged. */
export const NOT_SEPARATE =
  /[?"“”„«»`{}<>=|\\→…*#]|:\/\/|:(?!\d)|(?:^|\n)\s*(?:\d+[.)]|[a-z]\))|(?:^|\s)'[^']*'|\b(?:i\.e|e\.g|etc|vs)\b\.?|\b(?:steps?|firstly|secondly|then|finally|lastly|afterwards|recipe|how to|remember|reminder|example|if|unless|when|whenever|because|so|therefore|thus|hence|thereby|but|however|although|though|instead|otherwise|except|despite|nevertheless|whereas|as long as|in case|due to|why|reason|means|meaning|which|whose)\b/i;
/** Begins a statement that goes on from the one before it. */
export const CONNECTED =
  /^(?:and|or|also|too|plus|additionally|moreover|besides|furthermore|again|both|all|each|either|neither|one|another|others?|some|most|none|more|even|just|not|no|yes|maybe|perhaps|later|now|today|there|here|this|that|these|those|it|its|they|their|them|he|him|his|she|her|hers|who|what|as|for|in|on|at|to|with|by|from)\b/i;
/** Points to something that another statement names. */
export const HAS_POINTER =
  /\b(?:it|its|it['’]s|he|him|his|she|her|hers|they|them|their|theirs|this|that|these|those|there|here|such|same|both|either|neither|one|ones|another|other|others|else|former|latter|too|also|as well|again|respectively|together|above|below|following|thereof|do so|does so|which|where|who)\b/i;
const VERB =
  'is|are|am|was born|has|have|lives?|works?|likes?|loves?|prefers?|hates?|uses?|runs?|speaks?|plays?|studies|studied|owns?|drives?|costs?|teaches|belongs|sits|listens|reports|wears?|eats?|drinks?|keeps?|pays?|hosts?|deploys?|needs?|supports?|collects?|comes from';
/** Statements of a lasting fact: of the speaker, of what they have, or of somebody or something with a name. */
export const FACTS: readonly RegExp[] = [
  new RegExp(String.raw`^(?<subject>I|we)(?:\s+(?:really|mostly|usually|always))?\s+(?<verb>${VERB})\b`, 'i'),
  /^(?<subject>I|we)['’](?<verb>m|re)\b/i,
  new RegExp(
    String.raw`^(?<subject>(?:my|our)\s+(?:[\p{L}\p{N}'’-]+\s+){0,3}?[\p{L}\p{N}'’-]+)\s+(?<verb>${VERB})\b`,
    'iu',
  ),
  new RegExp(
    String.raw`^(?<subject>\p{Lu}[\p{L}\p{N}'’-]*(?:\s+\p{Lu}[\p{L}\p{N}'’-]*){0,2})\s+(?<verb>${VERB})\b`,
    'u',
  ),
  new RegExp(String.raw`^(?<subject>the\s+(?:[\p{L}\p{N}'’-]+\s+){0,3}?[\p{L}\p{N}'’-]+)\s+(?<verb>${VERB})\b`, 'iu'),
];
/** Says of something that it is or does something: "Deploys go out on Tuesdays", "Prefers short answers". */
export const SAYS =
  /^(?:(?:I|We|My|Our)\b.*\s\S|(?:[\p{L}\p{N}'’./-]+\s+){0,5}?(?:is|are|am|was|were|has|have|goes?|\p{Ll}{3,}[^s\P{Ll}]s)\b|\p{Lu}\p{Ll}{2,}[^s\P{Ll}]s\s)/u;
/** Says more of what the text is about: its parts, its state. Only the first statement may begin so. */
export const GOES_ON = /^the\b/i;
/** What somebody is or has explains what else they say of themselves: "I am allergic to nuts. I have a pen in my bag." */
export const EXPLAINS = /^(?:am|is|are|m|re|has|have|needs?|keeps?)$/;
export const SPEAKER = /^(?:i|we|our (?:team|group|family|company|office|house|flat))$/;
/** Those of whom several independent facts are told: the speaker, or somebody with a name. */
export const SAID_OF = /^(?:i|we|\p{L}[\p{L}'’-]*(?:\s\p{L}[\p{L}'’-]*)?)$/iu;
/** Items of which a list has one line each. */
export const LISTED =
  /^(?:\p{L}+day|red|green|blue|yellow|black|white|staging|production|prod|dev|test|left|right|north|south|east|west|small|medium|large|admins?|users?|guests?|january|february|march|april|may|june|july|august|september|october|november|december|breakfast|lunch|dinner)\b/iu;
/** A subject that is no name: "mountains are". */
export const OF_A_KIND = /^\p{L}+s (?:are|have|need|cost|run|like|keep)$/iu;
