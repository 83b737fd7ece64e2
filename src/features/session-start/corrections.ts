import { type Language, pattern } from '../languages/language.ts';

/** A sentence that takes back what was said before. */
interface Correction {
  /** Whether it begins with saying so: "no, I meant …". */
  isAnnounced: boolean;
  /** Without that, and without the value that it rejects. */
  rest: string;
  /** The value that it rejects: "Jenkins" of "Buildkite, not Jenkins". */
  rejected: string | undefined;
}

/** Take back only before a comma or the like: "no one" and "wait for it" do not. */
const MARKED = `no|nope|sorry|oops|whoops|wait|hold on|correction|my bad|my mistake|scratch that|strike that|i misspoke|i mistyped|i was wrong|i mixed (?:that|it|them) up|that was wrong
  |nein|nee|moment|korrektur|falsch|stimmt nicht|verzeihung|pardon|non|oubliez|erreur|rectification|je me suis trompée?|no|perdón|perdona|corrección|me equivoqué|scusa|scusate|correzione|errore|mi sono sbagliat[oa]
  |não|desculpa|desculpe|correção|me enganei|enganei-me|correctie|fout|foutje|ik vergiste me|nie|przepraszam|poprawka|pomyłka|pomyliłem się|pomyliłam się|нет|извини(?:те)?|поправка|ошибся|ошиблась|不对|不是|更正|说错了|抱歉|いや|いいえ|違う|違います|訂正|すみません|間違えました`;
const OPEN = `actually|i meant(?: to say)?|eigentlich|tatsächlich|ich meinte|gemeint war|en fait|en réalité|je voulais dire|plutôt|en realidad|quise decir|quería decir|me refería a|in realtà|volevo dire|intendevo|na verdade|quis dizer|queria dizer|eigenlijk|ik bedoelde|właściwie|tak naprawdę|miałem na myśli|miałam na myśli|chodziło mi o|на самом деле|я имел в виду|я имела в виду|вернее|точнее|其实|我是说|我的意思是|実は|正しくは`;
/** What a correction begins with, one after the other. */
const ANNOUNCES = pattern(
  String.raw`^\s*(?:(?:(?:${MARKED})(?=\s*[,.:;!，、。：；！–—-]|\s+(?:wait|actually|sorry|i meant|eigentlich|ich meinte|en fait|en realidad|quise decir)(?!\p{L}))|(?:${OPEN})(?!\p{L}))[\s,.:;!，、。：；！–—-]*)+`,
);
const VALUE = String.raw`(?<value>(?:on |to |with |in |at |auf |mit |avec |con |à )?(?:the (?=\d))?(?!(?:the|that|this|these|those|yet|only|just|really|sure|der|die|das|le|la|les|el|los|las|il|lo|de|het|o|a|os|as) )[\p{L}\p{N}][\p{L}\p{N}.+#/_-]*(?: [\p{L}\p{N}.+#/_-]+){0,2}?)`;
/** One value in the place of another. */
const CONTRAST = pattern(
  String.raw`(?:[,;，；–—]\s*(?:(?:and|und|et|y|e|en|i|и|а)\s+)?(?:(?:not|nicht|pas|no|non|não|niet|nie|не)(?!\p{L})|不是|而不是)|\s(?:instead of|rather than|statt|anstatt|anstelle von|au lieu de|plutôt que|en vez de|en lugar de|invece di|anziché|em vez de|in plaats van|zamiast|вместо))\s*${VALUE}\s*[.!。！]*\s*$`,
);
const REJECTED_FIRST = /(?<value>[\p{L}\p{N}.+#_-]+?)(?:ではなく|じゃなく)て?、?/u;

/** Reads how a sentence takes back what was said before; `undefined` for one that does not. */
export function correctionIn(sentence: string): Correction | undefined {
  const [announced = ''] = ANNOUNCES.exec(sentence) ?? [];
  const said = sentence.slice(announced.length);
  const contrast = CONTRAST.exec(said) ?? REJECTED_FIRST.exec(said);
  if (announced === '' && contrast === null) return undefined;
  return {
    isAnnounced: announced !== '',
    rest: contrast === null ? said : said.replace(contrast[0], ' '),
    rejected: contrast?.groups?.value,
  };
}

/** Returns a sentence without what announces that it is a correction. */
export function withoutAnnouncement(sentence: string): string {
  return sentence.replace(ANNOUNCES, '');
}

/** Who is no longer where they were: "Henrik left the company". */
const LEFT =
  /(?<name>\p{Lu}[\p{L}'’-]+)(?: \p{Lu}[\p{L}'’-]+)? (?:(?:has|have|had|just|already|is|was|got|been|will be|has been) ){0,3}(?:(?:left|leaving|quit|quitting|departed|moved on)(?= (?:the|our|this) (?:company|team|firm|project|org\p{L}*|startup|start-up|department|business|office|practice|school|band|group|club)\b| us\b| last | yesterday| for (?:good\b|\p{Lu})| in (?:\p{Lu}|the )| on \p{Lu}| at the end|\s*[.,;!]|\s*$)|let go\b|fired\b|laid off\b|stepped down\b|resigned\b|no longer (?:with us|works|here|at|with)\b)/gu;

/** Returns the names of those who a sentence says left. */
export function leaversIn(sentence: string, { code }: Language): string[] {
  return code === 'en' ? [...sentence.matchAll(LEFT)].map(({ groups }) => groups!.name!) : [];
}
