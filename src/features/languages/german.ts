import { stemmer } from '@orama/stemmers/german';
import { germanWords } from './german-words.ts';
import {
  counted,
  listOf,
  PRODUCTS,
  pattern,
  setOf,
  spacedWords,
  synonymsOf,
  whenRead,
  withNumbers,
} from './language.ts';

const UNITS = listOf('ein zwei drei vier fünf sechs sieben acht neun');
const NUMBERS = new Map<string, number>([
  ...counted(`null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn
    achtzehn neunzehn`),
  ...listOf('zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig').flatMap((word, at) => [
    [word, 20 + 10 * at] as const,
    ...UNITS.map((unit, index) => [`${unit}und${word}`, 21 + 10 * at + index] as const),
  ]),
  ['hundert', 100],
]);

const rootOf = (word: string) => fold(stemmer(word));

/** Words are compared without umlauts, which many forms have and others do not. */
function fold(word: string): string {
  return word.replace(/ä/g, 'a').replace(/ö/g, 'o').replace(/ü/g, 'u').replace(/ß/g, 'ss');
}

const SUBJECT = `(?:ich|wir)`;
const OWN = `(?:mein(?:e|en|em|er|es)?|unser(?:e|en|em|er|es)?)`;
const ADVERBS = String.raw`(?:\s+(?:immer|nie|niemals|meist|meistens|grundsätzlich|generell|normalerweise|nur|auch|beide|alle|hier|übrigens|seit\s+\S+|gern|gerne|lieber|ausschließlich|prinzipiell|jetzt|mittlerweile|inzwischen))*`;
const VERBS = `(?:mag|mögen|liebe|lieben|hasse|hassen|nutze|nutzen|benutze|benutzen|verwende|verwenden|nehme|nehmen|arbeite|arbeiten|wohne|wohnen|lebe|leben|spreche|sprechen|spiele|spielen|fahre|fahren|esse|essen|trinke|trinken|schreibe|schreiben|studiere|studieren|unterrichte|unterrichten|leite|leiten|führe|führen|verkaufe|verkaufen|vertrage|vertragen|bevorzuge|bevorzugen|habe|haben|bin|sind|trage|tragen|besitze|besitzen|betreibe|betreiben|deploye|deployen|hoste|hosten|speichere|speichern|zahle|zahlen|öffne|öffnen|schließe|schließen|brauche|brauchen|lerne|lernen|pflege|pflegen|züchte|züchten|baue|bauen|halte|halten|liefere|liefern|duze|duzen|sieze|siezen|rechne|rechnen|bestelle|bestellen|heiße|heißen|komme|kommen|will|wollen|möchte|möchten|darf|dürfen|koche|kochen|mache|machen|ziehe|ziehen|sammle|sammeln|gehe|gehen|lese|lesen)`;

export const german = whenRead(
  {
    code: 'de',
    spelling: /[äöüß]|(?:en|er|ung|keit|heit|lich|isch|cht|tz|zt)$/,
    functionWords:
      setOf(`wem wen wessen welcher welches welchem welchen wie warum wieso woher wohin womit wofür woran worauf viel viele meines unseres hatten bei der die das den dem des ein eine einen einem einer eines und oder aber ich du er sie es wir ihr mich mir
    dich dir ihn ihm uns euch ist sind war waren bin bist sein wird werden wurde wurden hat haben habe hatte zu zum zur in im
    ins an am auf aus bei beim mit nach von vom für über um durch gegen als wie so da dass weil denn auch sich man was wer wo
    wann welche dieser diese dieses jetzt schon mal doch ja eben gleich mein meine meinen meinem meiner unser unsere unseren
    unserem unserer dein deine nicht kein keine keinen noch nur immer seit vor unter bitte gibt dann wenn hier dort ab uhr`),
    wordsOf: (text) => withNumbers(spacedWords(text), NUMBERS),
    rootOf,
  },
  () => ({
    present: pattern(
      '\\b(?:jetzt|derzeit|aktuell|momentan|zurzeit|zur zeit|gerade|mittlerweile|inzwischen|heutzutage)\\b',
      'g',
    ),
    statements: {
      limits:
        setOf(`nicht kein keine keinen keinem keiner nie niemals niemand nichts ohne außer nur kann könnte darf soll sollte
      muss müsste würde wenn falls vielleicht wahrscheinlich meist meistens manchmal oft selten vor nach bis seit alt früher
      ehemalig ehemalige ehemaliger geplant plant planen will wollen hofft fast etwa halb statt anstatt als noch auch zweite
      dritte letzte nächste erste andere anderer anderes beide sondern aber früheren früherer ungern kaum hasse hasst meide meidet gegen`),
      negations: setOf('nicht kein keine keinen keinem keiner nie niemals niemand nichts'),
      singleValued:
        setOf(`ist war heißt wohnt wohne wohnen lebt lebe leben arbeitet arbeite arbeiten sitzt liegt steht läuft kostet
      beginnt startet öffnet schließt endet dauert findet fängt gehört fährt fahre wiegt hat habe beträgt lautet trifft treffen
      hört höre schläft schlafe geht kommt leitet`),
      copulas: setOf('ist war heißt lautet beträgt'),
      prepositions: setOf(
        'in im an am auf bei beim mit von vom aus zu zum zur nach für unter hinter neben über um ab bis durch',
      ),
      determiners: setOf(
        'der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner unser unsere unseren unserem unserer dein deine ihr ihre sein seine dieser diese dieses',
      ),
      possessives: setOf('mein meine meinen meinem meiner unser unsere unseren unserem unserer sein seine ihr ihre'),
      lightWords:
        setOf(`gibt geben hat haben habe hatten machen macht mache nutze nutzen nutzt benutze benutzen benutzt verwende verwenden verwendet tun heißt heißen heiße nennt kommt kommen geht gehen sehr wirklich immer stets jeder jede
      jedes jeden ganz gerade etwas sache mal lange insgesamt circa ca etwa rund bitte möchte gern gerne findet statt`),
      qualifiers: [
        setOf('morgens vormittags mittags nachmittags abends nachts morgen abend'),
        setOf(`montag montags dienstag dienstags mittwoch mittwochs donnerstag donnerstags freitag freitags samstag samstags sonntag
        sonntags`),
        setOf('staging produktion test testsystem lokal'),
        setOf('linke rechte linker rechter linkes rechtes linken rechten obere untere vordere hintere'),
      ],
      relatives:
        setOf(`mutter vater mama papa schwester bruder sohn tochter frau mann ehefrau ehemann cousin cousine tante onkel oma opa
      großmutter großvater neffe nichte eltern freund freundin nachbar nachbarin mitbewohner mitbewohnerin chef chefin kollege
      kollegin kollegen partner partnerin enkel enkelin schwager schwägerin schwiegermutter`),
      speakers: setOf('ich wir mich mir uns'),
      synonyms: synonymsOf(
        `beginnt fängt startet anfangen start|wohnt lebt wohnhaft|arbeitet angestellt|heißt genannt|kurz knapp|nutzen benutzen verwenden|
      auto wagen|handy telefon smartphone|chef vorgesetzter chefin|allergisch allergie|mag liebe|trinken trinkt|essen isst|
      schließt zu|öffnet auf|gültig gelten gilt|sauber gereinigt putzen reinigen|stets immer|besprechung meeting|rechner computer|haus hause|büro office`,
        rootOf,
      ),
      transitions: [
        {
          words: 'wohne wohnen wohnt lebe lebt umgezogen gezogen Wohnung',
          states: pattern(
            String.raw`\b(?:wohn(?:e|en|t)|leb(?:e|en|t)|zuhause ist)\b(?=.{0,40}\b(?:in|im|bei|am|an|auf)\b)`,
          ),
          changes: pattern(
            String.raw`\b(?:umgezogen|umziehen|zog(?:en)?\b.{1,40}\bum|(?:nach|in|ins|aufs|zu)\b.{1,40}\bgezogen|neue (?:wohnung|adresse)|(?:wohnung|haus|studio) (?:gekauft|gemietet|bezogen|genommen))\b`,
          ),
          others: pattern(
            String.raw`(?:datenbank|server|büro|backup|daten|meeting|besprechung|standup|dienst|webseite|website|domain|konto|termin|abteilung|team|firma|projekt|code|repo|tarif|anbieter|stundenplan|vermiete|ferien)(?:en|e|n|s)?\b|\b(?:${PRODUCTS})\b`,
          ),
        },
        {
          words: 'arbeite arbeitet Job Stelle gewechselt angefangen',
          states: pattern(
            String.raw`\b(?:arbeite(?:n|t)?|jobbe|angestellt|beschäftigt|arbeitgeber ist)\b(?=.{0,40}\b(?:bei|beim|für|als|in|im|am|an)\b)`,
          ),
          changes: pattern(
            String.raw`\b(?:neue(?:n|r)? (?:job|stelle|arbeitgeber|arbeit)|(?<=\b(?:job|stelle|arbeit|arbeitgeber|firma|beruf|betrieb|arbeitsplatz)\b.{1,40})(?:gekündigt|gewechselt)|(?<=\b(?:habe?|haben|wurde) (?:(?:jetzt|nun|endlich|heute|gestern|dort|mir|ich|(?:im|zum|bei) \S+) )*)gekündigt|(?<=\b(?:bin|sind)\b.{1,60})gewechselt|angefangen bei|selbstständig gemacht|in rente|pensioniert)\b`,
          ),
          others: pattern(
            String.raw`(?:bank|konto|tarif|anbieter|versicherung|verein|kurs|studio|abo|chor|partei|arzt|seite)\b|\b(?:${PRODUCTS})\b`,
          ),
        },
      ],
      replaces: pattern(
        String.raw`\b(?:(?:um|aus)?gestiegen|umgestiegen|gewechselt|umgestellt|verschoben|verlegt|vorverlegt|erhöht|angehoben|gesenkt|reduziert|gekürzt|verlängert|ersetzt|abgelöst|übernommen|übernimmt|umbenannt|geändert|getauscht|eingetauscht|migriert|umgezogen|statt|anstatt|anstelle|stattdessen|nicht mehr|kein\w* \w+ mehr|ab jetzt|ab sofort|seit neuestem|von nun an|künftig|nunmehr|inzwischen|mittlerweile|jetzt|neuerdings|neue[rsn]?)\b`,
      ),
      ordered: /\b(?:lieber|bevorzug\p{L}*|als|statt|anstatt|vor|nach|schulde\p{L}*)\b/iu,
      purposes: setOf('für zum zur beim'),
      over: [
        pattern(
          String.raw`\b(?:statt|anstatt|anstelle von)\s+(?:de[rsmn]\s+|eine[srmn]?\s+|auf\s+|in\s+|mit\s+|bei\s+|nach\s+)*([\p{L}\p{N}.-]+)`,
        ),
        pattern(
          String.raw`\bvon\s+([\p{L}\p{N}.-]+)\s+(?:auf|zu|zum|zur)\b.*\b(?:umgestiegen|gewechselt|umgestellt|migriert|umgezogen|gezogen)`,
        ),
        pattern(String.raw`\b([\p{L}\p{N}.-]+)\s+(?:\S+\s+){0,3}?durch\b.*\b(?:ersetzt|abgelöst)`),
        pattern(
          String.raw`\b((?:[\p{L}\p{N}.-]+\s+){1,5}?)(?:nicht mehr|verkauft|abgeschafft|gekündigt|zurückgegeben|verlassen|ausgemustert|ausgelernt|aufgegeben|abgelöst|eingestellt|aufgehört|dichtgemacht|zugemacht|geschlossen|kaputt|hinüber|gestorben|weggezogen|geklaut|gestohlen|pleite|ist geschichte|sind geschichte|hat(?:te)? ausgedient|in (?:pension|rente|elternzeit))\b`,
        ),
        pattern(String.raw`\b(?:kein\w*|nie)\s+([\p{L}\p{N}.-]+)\s+(?:\S+\s+){0,2}?mehr\b`),
        pattern(String.raw`\bmit\s+(?:dem\s+|der\s+)?([\p{L}\p{N}.-]+)\s+(?:\S+\s+){0,2}?aufgehört`),
      ],
      capitalizesNouns: true,
    },
    search: germanWords(),
    said: {
      explicit: pattern(
        String.raw`\b(?:(?:bitte\s+)?(?:merk(?:e)? dir|denk(?:e)? (?:bitte )?(?:immer )?daran|vergiss nicht|notier(?:e)?(?: dir)?|behalte? im kopf|für (?:die zukunft|später|nächstes mal)|(?:zur|als) info|fyi|ab (?:jetzt|sofort)|von nun an|künftig|grundsätzlich gilt)\b[,:]?\s*(?:bitte[,:]?\s+)?(?:dass\s+|immer dass\s+)?)(.+)$`,
      ),
      rules: [
        pattern(String.raw`^(?:bitte |und |aber |also )*(?:immer|nie|niemals|grundsätzlich)\s+\S+\s+\S+`),
        pattern(
          String.raw`\b(?:ist|sind|wird|werden|${SUBJECT})\s+(?:bei uns |hier )?(?:immer|nie|niemals|grundsätzlich)\b`,
        ),
        pattern(
          String.raw`^(?:bitte\s+)?(?:antworte|schreib(?:e)?|nenn(?:e)?|verwende|benutz(?:e)?|duz(?:e)?|sprich|nimm)\b.*\b(?:immer|nie|niemals|stets|nur)\b`,
        ),
      ],
      stated: [
        pattern(String.raw`^${SUBJECT}${ADVERBS}\s+${VERBS}\b.+`),
        pattern(
          String.raw`^(?:ich|wir)\s+(?!will|muss|müssen|suche|suchen|würde|kann|hab(?:e)? (?:das|es|dir|da|hier|jetzt)|bin (?:so|total|echt|heut))\p{L}{2,}\s+\S+`,
        ),
        pattern(String.raw`^${VERBS}\s+${SUBJECT}\b.+`),
        pattern(
          String.raw`^(?:(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs|(?:an |jede[nrs]? |alle |ab |ai )\S+|früh|abends|morgens)\s+(?:\S+\s+)?\p{L}+\s+(?:ich|wir|\p{L}+)\b`,
        ),
        pattern(
          String.raw`^(?!mach|schreib|gib|such|hilf|erstell|rechne|schlag|formulier|übersetz|kannst)\p{L}+.*\b(?:bei (?:uns|mir)|alle \S+ (?:wochen|tage|monate|jahre|stunden)|jeden \S+|jede woche|(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs)\b`,
        ),
        pattern(String.raw`^(?:bei (?:uns|mir)|seit \S+(?: \S+)?)\s+\S+\s+.+`),
        pattern(
          String.raw`^${OWN}\s+(?:[\p{L}\p{N}'’./-]+\s+){1,5}(?:\p{L}+t|ist|sind|war|wohnt|lebt|arbeitet|läuft|hat|haben|heißt|beginnt|startet|endet|öffnet|schließt|mag|mögen|hasst|braucht|spricht|geht|kommt|will|wollen|steht|liegt|kostet|darf|kann|verträgt|studiert|spielt|trinkt|isst|nutzt|verwendet|bekommt|macht|fährt|zahlt|hört|leitet|betreut)\b`,
        ),
        pattern(
          String.raw`^(?:wir|ich)\s+(?:haben|habe|sind|bin)\s+(?:uns |mich )?.*\b(?:entschieden|geeinigt|beschlossen|umgestiegen|gewechselt|umgestellt|festgelegt|vereinbart|umgezogen|abgeschafft)\b`,
        ),
      ],
      notKept: pattern(
        String.raw`\?|\b(?:dir|dein(?:e|en|em|er)? (?:antwort|vorschlag|idee|hilfe)|(?:erste|zweite|dritte|letzte|andere)n? (?:option|variante|version)|eine? (?:frage|problem)|wenn ich|wenn wir|falls|würde|würden|könnte|könnten|hätte|hätten|wäre|vielleicht|angenommen|stell dir vor|heute|heut|gestern|morgen früh|gerade|grad|im moment|momentan|derzeit|vorhin|eben|diese(?:r|s|n|m)? (?:woche|fehler|test|funktion|datei|mal)|dieses mal|hänge fest|versuche|versucht|schlägt fehl|fehlgeschlagen|kaputt|fehler|danke|sorry|ich (?:glaube|denke|schätze|frage mich|sehe|meine|hoffe|fühle|brauche|hab vergessen)|hast du|kannst du|weißt du|müde|hunger|schon wieder|irgendwie|glaubst du nicht|so was von)\b`,
      ),
      asks: pattern(
        String.raw`^(?:mach|schreib|erklär|gib|zeig|such|hilf|erstell|übersetz|fass|korrigier|prüf|formulier|schlag|lies|kannst|könntest)e?\b|\bbitte\b`,
      ),
      points: pattern(String.raw`\b(?:das|dies|es|dieser|diese|jenes|hier|dort|da|ihn|sie)\b`),
      refers: pattern(String.raw`^(?:es|das|dies|sie|er|dort|da|welche|dieser|diese|dieses)\b`),
      clauses: pattern(
        String.raw`\s*(?:[;:(–—]|,\s+(?:weil|denn|da|und|aber|also|sondern|wobei|übrigens|beachte(?:,)? dass)?\b|\s-+\s|\bweil\b|\bübrigens\b,?|\bbtw\b,?)\s*`,
      ),
      follows: pattern(String.raw`,\s+(?:also|dann|deshalb|daher|drum)\b.*$`),
      leading: pattern(
        String.raw`^(?:übrigens|btw|und|aber|also|oh|na|naja|hey|hi|hallo|ok|okay|weil|denn|da|nur zur info|zur info|zur erinnerung|ja|nein|genau|ach|achtung|wichtig|danke|super|gut|hm)[,:!]?\s+(?:ja\s+)?`,
      ),
    },
  }),
);
