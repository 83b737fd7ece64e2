import { pattern } from '../languages/language.ts';
import { FENCED, isPastedLine } from '../search/prompt-subject.ts';

/** What others wrote, or a text to work on. No mark is looked for past the next one that opens, but for one level within 「…」. */
export const QUOTED =
  /(?<=^|[\s(])"[^"]{30,}(?:"(?=[\s.,;:!?)]|$)|$(?![\s\S]))|[“„][^”“„]{30,}[”“]|«[^«»]{30,}»|[「『](?:[^「」『』]|[「『][^「」『』]{0,300}[」』]){20,}[」』]/gm;
const LETTER =
  /^\s*(?:dear|hi|hello|hey|hallo|liebe|lieber|sehr geehrte[rs]?|bonjour|madame|monsieur|chère?s?|hola|estimad[oa]s?|gentil[ei]|spett|egregi[oa]|caro|cara|good (?:morning|afternoon|evening))\b[^\n]{0,40},?\s*$/im;
/** After a colon, a text begins that is pasted. */
const PARAGRAPHS = /\n\s*\n|(?<=[:：])\s*\n/;
/** A request about the text that follows. */
const ANNOUNCES =
  /[:：]\s*$|(?<!\p{L})(?:this|these|following|below|attached|hier|folgende\p{L}*|darauf|dem|diese\p{L}?|ce|cette|ces|ci-dessous|voici|est[eao]|siguiente|abajo|quest[oaie]|seguente|sotto|ecco)(?!\p{L})|下面|以下|这段|这封|这个|この|次の|上記/iu;
/** A longer paragraph after the first is pasted. */
const MAX_TYPED_CHARACTERS = 280;
/** Asks for work on a text that follows: "Translate: …". */
const TEXT_FOLLOWS = pattern(
  String.raw`(?<!\p{L})(?:translat\p{L}*|proofread|paraphrase|rephrase|reword|summari[sz]e|übersetz\p{L}*|umformulier\p{L}*|tradui\p{L}*|reformul\p{L}*|résum\p{L}*|tradu[cz]\p{L}*|resum\p{L}*|riformul\p{L}*|riassum\p{L}*)(?!\p{L})[^\n:：]{0,60}[:：]
  |(?<!\p{L})(?:(?:reply|respond|answer) to|antworte\p{L}* auf|beantworte\p{L}*|répond\p{L}* à|respond[ae]\p{L}* a|rispond\p{L}* a|antwoord\p{L}* op|odpowiedz na|ответь\p{L}* на)(?!\p{L})[^\n:：.!?]{0,60}[:：]
  |(?<!\p{L})(?:classify|analy[sz]e|answer|rewrite|shorten|polish|rate) (?:this|these|the following)(?!\p{L})[^\n:：.!?]{0,60}[:：]
  |(?:回复|回答这|返信|返事)[^\n:：]{0,20}[:：]
  |(?<!\p{L})(?:correct|fix|korrigier\p{L}*|corrige\p{L}*|corrija\p{L}*|corregg\p{L}*|correggi)\s?[:：]
  |(?:翻译|润色|改写|改一下|修改|总结|这句话|这段|歌词|原文)[^\n:：]{0,20}[:：]|(?:翻訳|訳し|英語に|日本語に|直し|添削|要約|歌詞|原文)[^\n:：]{0,20}[:：]`,
);
/** Gives a text a name: it may follow, or what to write in it. */
const TEXT_NAMED = pattern(
  String.raw`(?<!\p{L})(?:letter|draft|e-?mail|bio|speech|quote|lyrics|song|sentence|paragraph|text|tweet|anschreiben|bewerbung|brief|entwurf|satz|lied|zitat|rede|lettre|brouillon|phrase|texte|paroles|citation|carta|borrador|frase|texto|letra|cita|lettera|bozza|testo|canzone|citazione|geht so)(?: \p{L}+){0,2}\s?[:：]`,
);
/** Names a text to work on, which follows: "review this README: …". */
const TEXT_GIVEN =
  /(?<!\p{L})(?:review|proofread|check|edit|polish|shorten|simplify|improve|rewrite|fix|correct|format|analy[sz]e|evaluate|critique|grade|comment on|look (?:at|over)|read|continue|finish|tidy(?: up)?|clean up|reply to|answer) (?:\p{L}+ ){0,4}(?:this|that|these|the|my|our|following) (?:[\p{L}-]+ ){0,2}(?:e-?mail|mail|letter|text|draft|sentences?|paragraphs?|bio|speech|tweet|readme|documents?|docs?|documentation|article|essay|blog|post|message|comment|description|announcement|changelog|release notes?|spec|report|minutes|transcript|conversation|chat|thread|ticket|story|cv|résumé|resume|abstract|introduction|passage|excerpt|reply|response)(?:\.\p{L}+)?\s?[:：]|(?<!\p{L})(?:korrigier|überarbeit|verbesser|prüf|corrig|révis|amélior|relis|revis|mejor|correg|rived|miglior|melhor|verbeter|popraw|sprawdź|исправь|проверь|улучши)\p{L}* [^\n:：]{0,40}[:：]/iu;
/** What is said is made up: a story, a riddle, a role, or "suppose I lived in Berlin". */
const MADE_UP = new RegExp(
  String.raw`(?:^|[.!?]\s+)(?:please |bitte |now )?(?:pretend|imagine|suppose|assum(?:e|ing)|let['’]?s (?:say|pretend)|in (?:the|this|our) role[- ]?play|riddle|quiz|stell(?:t|en)? (?:dir|euch|sie sich) (?:mal )?vor|angenommen|nehmen wir an|rätsel|imagin(?:e|ez|ons|a|ad|emos)|suppos(?:e|ez|ons)|admettons|mettons|devinette|supón|supongamos|adivinanza|immagina\p{L}*|supponi\p{L}*|mettiamo|indovinello)(?!\p{L})
  |^(?:act as|you are (?:now )?an?|du bist (?:jetzt )?eine?|tu es une?|eres una?|sei una?|você é uma?|je bent een)(?!\p{L})|^你是一
  |(?:^|[.!?。！？]\s*)(?:假设|假如|想象|谜语|仮に|想像して|なぞなぞ)
  |(?<!\p{L})(?:write|tell|schreib|erzähl|écris|raconte|escribe|cuenta|scrivi|racconta)\p{L}{0,6}[^\n.!?]{0,30}(?<!\p{L})(?:story|poem|song|novel|dialogue|scene|geschichte|gedicht|lied|roman|dialog|szene|histoire|poème|chanson|scène|historia|cuento|poema|canción|escena|storia|racconto|poesia|canzone|scena)(?!\p{L})
  |(?<!\p{L})(?:my (?:main )?character|meine (?:haupt)?figur|mon personnage|mi personaje|il mio personaggio)(?!\p{L})|角色扮演|(?:写|讲)(?:一首|一个|个)?.{0,6}(?:故事|诗|歌)|ロールプレイ|(?:物語|小説|詩)を書`.replace(
    /\n\s*/g,
    '',
  ),
  'imu',
);
/** Somebody else's words follow. */
const REPORTED = pattern(
  String.raw`(?<!\p{L})(?:(?<!(?:^|[^\p{L}])I )say|sa(?:ys|id)|states?|mentions?|wrote|writes|steht|sagen|schreiben|sagt(?:e|en)?|schr(?:eibt|ieb|ieben)|meint(?:e|en)?|dit|disent|écrit|di(?:ce|cen|jo|jeron|cono)|escrib(?:e|ió)|scri(?:ve|sse)|ha (?:detto|scritto|dicho|escrito)|a (?:dit|écrit))(?: \p{L}+)?\s?[:：]
  |^\s*(?:according to|laut|gemäß|selon|d['’]après|según|secondo|segundo|volgens|według|согласно)(?!\p{L})[^\n:：]{0,40}[:：]
  |(?<!\p{L})(?:(?:says?|said|claims?|claimed|thinks) (?:that |i |we |my |our )|(?:sagt|behauptet|meint)e?,|(?:dit|prétend|affirme|pense) qu|(?:dice|dijo|afirma|cree|piensa) que |(?:dice|sostiene|pensa|crede) che |(?:diz|disse|afirma|acha) que |(?:zegt|zei|beweert|vindt) dat |(?:mówi|twierdzi|uważa),? że |(?:говорит|сказала?|считает|утверждает),? что )
  |(?:说|认为|觉得)[我他她]|[说写道][：:]|と(?:言|いっ?て|話し|書い)`,
);
/** Begins a condition, on which all of the sentence depends. */
const CONDITION =
  /^\s*(?:(?:and|und|et|y|e|but|aber|also)\s+)?(?:(?:if|wenn|falls|sofern|sollte(?:n|st)? (?:ich|wir)|si|se|supón|supongamos|angenommen|suppos\p{L}*)(?!\p{L})|s['’](?:il|ils)|如果|假如|要是|万一|假设|もし|仮に)/iu;
/** A line of a transcript: who says it, and perhaps when. */
const SPOKEN =
  /^\s*(?!(?:Note|Notes|Context|Background|Stack|Style|Rules?|Reminder|Important|Setup|Update|Info|Correction|Hinweis|Achtung|Wichtig|Regel|Kontext)\s?[:：])(?:\[?\d{1,2}:\d\d(?::\d\d)?\]?,?\s*)?\p{Lu}[\p{L}.-]{1,20}(?: \p{Lu}[\p{L}.-]{0,20})?\s?[:：]\s/u;
const TIMED =
  /^\s*[[(]?(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s{1,3})?\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?[\])]?,?\s{1,3}(?:[-–—]\s)?<?@?[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,20}(?: \p{Lu}[\p{L}.-]{0,20})?(?:>|\s?[:：])\s/iu;
/** The line above what somebody said in a chat that was copied: `Ada Berg  10:23 AM`. */
const CHAT_HEADER =
  /^[ \t]*\p{L}[\p{L}_.-]{0,20}(?: \p{Lu}[\p{L}.-]{0,20}){0,2}[ \t]{1,3}\[?\d{1,2}:\d\d(?:[ \t]?[AP]M)?\]?[ \t]*$/mu;
/** Written for a model, or by one. */
const ROLE = /^\s*(?:system(?: prompt)?|assistant|user|human|ai|bot|instructions?)\s?[:：]\s/iu;
const END_MARK = /^[.!?。！？]/;
const TEXT_WORK =
  /(?<!\p{L})(?:(?:translat|proofread|paraphras|rephras|reword|rewrit|summari[sz]|review|polish|shorten|grammar|spelling|typo|wording|tone|edit|improv|repl(?:y|ies)|respond|answer|feedback|korrigier|übersetz|umformulier|verbesser|zusammen|antworte|tradui|reformul|résum|corrig|répond|tradu[cz]|resum|mejor|respond|riformul|riassum|miglior|rispond)\p{L}*|(?:e-?mail|mail|letter|article|essay|readme|draft|post|brief|anschreiben|lettre|carta|lettera|texte?|texto|testo)(?!\p{L}))|翻译|润色|改写|修改|总结|翻訳|直し|添削|要約|校正/iu;
const MIN_TOLD_CHARACTERS = 40;

/** Returns where a message goes on with a text to work on, or with something made up; `undefined` if nowhere. */
export function givenTextIn(message: string): number | undefined {
  const found = [TEXT_FOLLOWS, TEXT_GIVEN, MADE_UP].flatMap((words) => {
    const match = words.exec(message);
    // Behind the mark that ends the sentence before.
    return match === null ? [] : [match.index + (END_MARK.test(match[0]) ? 1 : 0)];
  });
  return found.length === 0 ? undefined : Math.min(...found);
}

/** Whether a message names a text: "cover letter: …". */
export function namesText(message: string): boolean {
  return TEXT_NAMED.test(message);
}

/** Whether a paragraph announces a text, which the next ones may be. */
export function announcesText(paragraph: string): boolean {
  return ANNOUNCES.test(paragraph);
}

/** Whether a paragraph asks for work on the text that it announces. */
export function asksForWorkOnText(paragraph: string): boolean {
  return ANNOUNCES.test(paragraph) && TEXT_WORK.test(paragraph);
}

/** Divides a message, without its code, into paragraphs. */
export function paragraphsOf(message: string): string[] {
  return message.replace(FENCED, '').split(PARAGRAPHS);
}

/**
 * Returns what a person typed of a message in paragraphs: without logs, letters, transcripts and texts to work on, which
 * the first paragraph gives according to `givesText`.
 */
export function typedIn(paragraphs: readonly string[], givesText: (paragraph: string) => boolean): string {
  const lines = paragraphs.flatMap((paragraph) => paragraph.split('\n'));
  const spoken = lines.filter((line) => SPOKEN.test(line)).length;
  const isSpoken = (line: string) => ROLE.test(line) || TIMED.test(line) || (SPOKEN.test(line) && spoken > 1);
  const isGiven = givesText(paragraphs[0]!);
  return paragraphs
    .filter((paragraph, index) => index === 0 || (!isGiven && isTyped(paragraph)))
    .flatMap((paragraph) => paragraph.split(CHAT_HEADER, 1)[0]!.split('\n'))
    .filter((line) => !isPastedLine(line) && !line.startsWith('>') && !isSpoken(line))
    .join('\n');
}

/** Long paragraphs and letters are pasted. */
function isTyped(paragraph: string): boolean {
  return paragraph.length <= MAX_TYPED_CHARACTERS && !LETTER.test(paragraph);
}

/** Too short to tell its language. */
export function isShort(paragraph: string): boolean {
  return paragraph.trim().length < MIN_TOLD_CHARACTERS;
}

/** Whether a sentence tells what somebody else says. */
export function isReported(sentence: string): boolean {
  return REPORTED.test(sentence);
}

/** Whether a sentence depends on a condition. */
export function isCondition(sentence: string): boolean {
  return CONDITION.test(sentence);
}
