import { stemOfWord } from './porter.ts';

/**
 * Words and those of their forms that have other stems, compiled by hand: irregular verbs and nouns, and endings that
 * Porter's rules cut differently ("try" and "tries", "bus" and "buses"). Left out are stop words, verbs that say little
 * ("go", "get", "make", "say"), and forms that mean something else as often ("rose", "bit", "lay", "leaves", "lives").
 * Each stem belongs to one word.
 */
const IRREGULAR = `arise arose arisen|awake awoke awoken|begin began begun|bend bent|bite bitten|blow blew blown|
  break broke broken|bleed bled|breed bred|bring brought|build built|burn burnt|buy bought|catch caught|choose chose chosen|
  cling clung|creep crept|deal dealt|dig dug|draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|
  eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|flee fled|fling flung|forbid forbade forbidden|
  foresee foresaw foreseen|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|
  grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept|kneel knelt|
  lead led|lean leant|leap leapt|learn learnt|leave left|lend lent|light lit|lose lost|mean meant|
  meet met|mislead misled|mistake mistook mistaken|misunderstand misunderstood|outgrow outgrew outgrown|overcome overcame|
  overhear overheard|oversee oversaw overseen|partake partook partaken|pay paid|rebuild rebuilt|repay repaid|
  resell resold|rethink rethought|retell retold|rewrite rewrote rewritten|ride rode ridden|ring rang rung|rise risen|run ran|
  seek sought|sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot|show shown|
  shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid|speak spoke spoken|speed sped|spell spelt|
  spend spent|spill spilt|spin spun|spit spat|spoil spoilt|spring sprang sprung|stand stood|steal stole stolen|stick stuck|
  sting stung|stink stank stunk|stride strode|strike struck|strive strove striven|swear swore sworn|sweep swept|
  swell swollen|swim swam swum|swing swung|teach taught|tear tore torn|
  throw threw thrown|tread trod trodden|undergo underwent undergone|understand understood|undertake undertook undertaken|
  undo undid undone|unwind unwound|uphold upheld|wake woke woken|wear wore worn|weave wove woven|weep wept|win won|
  withdraw withdrew withdrawn|withhold withheld|write wrote written|
  cry cries|die dies dying|dry dries|fly flies flew flown|fry fries|spy spies|sky skies|tie ties tying|
  try tries|mimic mimicked|panic panicked|picnic picnicked|
  child children|grandchild grandchildren|stepchild stepchildren|schoolchild schoolchildren|man men|woman women|
  businessman businessmen|businesswoman businesswomen|chairman chairmen|craftsman craftsmen|fireman firemen|
  fisherman fishermen|gentleman gentlemen|policeman policemen|salesman salesmen|snowman snowmen|sportsman sportsmen|
  foot feet|tooth teeth|goose geese|mouse mice|ox oxen|wife wives|housewife housewives|midwife midwives|knife knives|
  half halves|shelf shelves|bookshelf bookshelves|wolf wolves|thief thieves|loaf loaves|calf calves|scarf scarves|hoof hooves|
  elf elves|dwarf dwarves|analysis analyses|crisis crises|diagnosis diagnoses|hypothesis hypotheses|thesis theses|
  oasis oases|parenthesis parentheses|synopsis synopses|criterion criteria|phenomenon phenomena|bacterium bacteria|
  curriculum curricula|stimulus stimuli|fungus fungi|alumnus alumni|appendix appendices|index indices|matrix matrices|
  vertex vertices|formula formulae|larva larvae|alga algae|quiz quizzes|bus buses|minibus minibuses|gas gases|lens lenses|
  canvas canvases|virus viruses|bonus bonuses|campus campuses|circus circuses|cactus cacti cactuses|focus focused|
  status statuses|iris irises|octopus octopuses|walrus walruses|genius geniuses|bias biased|alias aliases`;

/** The Arabic article, alone and with the prepositions and conjunctions written with it. */
const ARTICLES = ['ال', 'وال', 'فال', 'بال', 'كال', 'لل'];
const WITH_ARTICLE = new RegExp(`^(?:${ARTICLES.toSorted((a, b) => b.length - a.length).join('|')})(?=\\p{L}{3})`, 'u');
const ARABIC = /^\p{Script=Arabic}{3,}$/u;

/** By each stem of a word that has several: one form with each stem, the base form first. */
const FAMILIES = new Map<string, readonly string[]>();
for (const word of IRREGULAR.split('|')) {
  const forms = word.trim().split(/\s+/);
  for (const form of forms) FAMILIES.set(stemOfWord(form), forms);
}

/** The other forms of a word that the stemmer does not unite with it: "broke" and "broken" for "breaks". */
export function formsOf(term: string): string[] {
  const stem = stemOfWord(term);
  const forms = FAMILIES.get(stem) ?? arabicFormsOf(term);
  return forms.filter((form) => stemOfWord(form) !== stem);
}

/** The stem of a word's base form: the same for all its forms. */
export function rootOf(term: string): string {
  const stem = stemOfWord(term);
  const [base] = FAMILIES.get(stem) ?? [];
  return base === undefined ? stem : stemOfWord(base);
}

function arabicFormsOf(term: string): readonly string[] {
  if (!ARABIC.test(term)) return [];
  const bare = term.replace(WITH_ARTICLE, '');
  return [bare, ...ARTICLES.map((article) => article + bare)];
}
