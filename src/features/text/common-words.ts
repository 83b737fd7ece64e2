import { rootOf } from './word-forms.ts';

/**
 * English words that requests and sentences of any subject use, besides stop words: that a text shares one with a query
 * says little, however rare it is among a user's few texts. Compiled by hand: verbs of requests, general nouns and
 * adjectives, numbers, times, and what one says of any program or document.
 */
const COMMON_WORDS = `able accept across action actually add advice afraid again ago ahead allow almost alone along already alright also
  although always amount announce another answer anybody anyone anything anyway apart appear apply area around arrange
  article ask assume available avoid away back bad base basic basically beautiful because become begin behind believe
  belong best better big bit block body boring bother bottom break brief bring build button buy call called calm care
  carry case catch cause certain chance change chapter cheap check choice choose clean clear close code column come
  command comment common compare complete concern connect consider contain content continue convert cool copy correct
  cost could count couple course cover create cut daily date day deal dear decide deep default define definitely delete
  depend describe design detail different difficult direct discover discuss display do document double down draft draw
  drop due each early easy edit effect either else empty end enjoy enough entire error especially etc even evening event
  ever every everybody everyone everything exactly example except excited exist expand expect experience explain extra
  extract face fact fail fair fall famous far fast favorite feel few field figure file fill final finally find fine
  finish first fit five fix follow form format forward four free friend front full fun function funny further future
  general get give glad go going good got great group grow guess guide hand handle happen happy hard hate head hear
  heavy hello help hey hi high hint hold hope hour huge idea if imagine important improve include inform information
  input inside instead interest interesting issue item job join just keep key kind know large last late later latest
  lead learn least leave left length less let letter level life light like likely limit line list listen little live
  local log long look lose loss lot love low lower main maintain make manage many mark matter maybe mean measure meet
  member mention message method middle might mind minute miss mistake modern moment month more morning most mostly move
  much must name near nearly necessary need never new next nice night nine none normal note nothing notice now number
  object obviously occur offer often oh ok okay old one open operator option order original other otherwise outside
  overall page paragraph part particular pass past pause pay people per perfect perhaps person pick piece place plain
  plan play please plus point polite poor position possible prefer prepare present press pretty prevent previous
  previously print probably problem process produce program progress project proper properly provide public pull purpose
  push put question quick quickly quite raise random rather reach read ready real really reason recent recently
  recommend record red reduce refer regular related relate remain remember remind remove rename repeat replace reply
  report request require rest result return review revert rewrite rid right role round row run safe said same save saw
  say scratch screen script search second section see seem select sell send sense sentence separate series serious set
  several shall shape share short shorter should show shut side sign similar simple simplify simply since single sit
  situation six size skip slow small social solution solve some somebody someone something sometimes soon sorry sort
  sound source speak special specific split spot stand standard start state statement status stay step still stop story
  straight string strong structure stuff style subject such suggest suit sum summarize summary super support suppose
  sure surprise switch system table tag take talk task tell ten term test text thank thanks then thing think third
  though thought three through thus time tip title today together told tomorrow tonight too tool top topic total
  totally touch toward translate tried trip true try turn two type understand unique unless until unused up update
  upload us use used useful user usual usually value various version view visit wait walk want warning watch way week
  weekend weekly well whatever whether while whole wide will wish within without wonder word work world worry worse
  would wow write wrong yeah year yes yesterday yet young zero`;

const COMMON_STEMS: ReadonlySet<string> = new Set(COMMON_WORDS.split(/\s+/).map(rootOf));

/** Whether a term is a form of a common word. */
export function isCommonTerm(term: string): boolean {
  return COMMON_STEMS.has(rootOf(term));
}
