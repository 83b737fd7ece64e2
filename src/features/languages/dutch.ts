import { stemmer } from '@orama/stemmers/dutch';
import { dutchWords } from './dutch-words.ts';
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
  withoutAccents,
} from './language.ts';

const UNITS = listOf('een twee drie vier vijf zes zeven acht negen');
const NUMBERS = new Map<string, number>([
  ...counted(`nul _ twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien
    negentien`),
  ...listOf('twintig dertig veertig vijftig zestig zeventig tachtig negentig').flatMap((word, at) => [
    [word, 20 + 10 * at] as const,
    ...UNITS.flatMap((unit, index) =>
      [`${unit}en${word}`, `${unit}ën${word}`].map((joined): [string, number] => [joined, 21 + 10 * at + index]),
    ),
  ]),
  ['honderd', 100],
]);

const rootOf = withoutAccents(stemmer);

export const dutch = whenRead(
  {
    code: 'nl',
    spelling: /ij|(?:aa|uu)[bdfgklmnprstvz]|(?:lijk|lijke|heid|tje|tjes|cht|chte)$/,
    functionWords:
      setOf(`hoeveel welk waarom waarheen waarmee hoelang mijn doe doet de het een en of maar ik jij je u hij zij ze wij we jullie mij me jou hem haar ons hen hun ben bent zijn was waren heb
    hebt heeft hebben had wordt worden van voor met naar op aan uit bij tot over onder tussen tegen zonder als dat die dit deze
    wie wat waar wanneer hoe welke welk er niet geen nog ook al dan te om omdat want maar zich mijn jouw uw onze zo wel nu hier daar
    sinds is in kan kun moet zal toen altijd per elke keer`),
    wordsOf: (text) => withNumbers(spacedWords(text), NUMBERS),
    rootOf,
  },
  () => ({
    present: pattern(
      String.raw`\b(?:nu|momenteel|tegenwoordig|op dit moment|op het moment|inmiddels|thans|dezer dagen)\b`,
      'g',
    ),
    statements: {
      limits:
        setOf(`niet geen nooit niemand niets zonder behalve alleen slechts kan kon mag moet zou zal als misschien waarschijnlijk meestal
      soms vaak zelden voor na tot sinds oud oude vroeger voormalig gepland wil willen hoopt bijna ongeveer half plaats dan nog ook
      tweede derde laatste volgende eerste andere ander beide maar nauwelijks haat vermijd vermijdt tegen`),
      negations: setOf('niet geen nooit niemand niets'),
      singleValued:
        setOf(`is was heet woon woont wonen leef leeft werk werkt werken zit ligt staat loopt kost begint start opent sluit eindigt duurt
      rijd rijdt weegt heb heeft slaapt gaat komt`),
      copulas: setOf('is was heet'),
      prepositions: setOf('in op aan bij met van uit naar voor onder achter naast over om vanaf tot door'),
      determiners: setOf('de het een mijn onze ons jouw je uw haar zijn hun deze die dit dat'),
      possessives: setOf('mijn onze ons zijn haar hun'),
      lightWords:
        setOf(`er heb heeft hebben maken maakt gebruik gebruikt gebruiken doen heet heten gaat gaan komt komen zeer heel echt altijd steeds
      elke elk ieder helemaal iets ding keer ongeveer graag`),
      qualifiers: [
        setOf('ochtend ochtends middag middags avond avonds nacht nachts'),
        setOf('maandag dinsdag woensdag donderdag vrijdag zaterdag zondag'),
        setOf('staging productie test lokaal'),
        setOf('linker rechter bovenste onderste voorste achterste'),
      ],
      relatives:
        setOf(`moeder vader mama papa zus broer zoon dochter vrouw man echtgenoot echtgenote neef nicht tante oom oma opa ouders vriend
      vriendin buurman buurvrouw huisgenoot baas collega partner kleinkind schoonmoeder schoonvader zwager schoonzus`),
      speakers: setOf('ik wij we mij me ons'),
      synonyms: synonymsOf(
        `begint start|woon woont wonen leef|werk werkt werkzaam|heet genoemd|kort bondig|auto wagen|telefoon mobiel gsm|baas chef leidinggevende|
      allergisch allergie|vergadering overleg meeting|computer laptop`,
        rootOf,
      ),
      transitions: [
        {
          words: 'woon woont wonen verhuisd verhuizing huis',
          states: pattern(String.raw`\b(?:woon|woont|wonen|leef|leven)\b`),
          changes: pattern(
            String.raw`\b(?:verhuisd|verhuizen|verhuis|verhuisde|nieuw (?:huis|adres|appartement)|nieuwe (?:woning|flat)|gaan wonen|getrokken)\b`,
          ),
          others: pattern(
            String.raw`\b(?:database|servers?|kantoor|back-?up|gegevens|vergadering|overleg|website|domein|rekening|afdeling|team|bedrijf|project|code|dienst|${PRODUCTS})\b`,
          ),
        },
        {
          words: 'werk werkt baan functie ontslag begonnen',
          states: pattern(String.raw`\b(?:werk|werkt|werken|in dienst|ben (?:een )?\p{L}+(?:er|eur|ist|ige|aar))\b`),
          changes: pattern(
            String.raw`\b(?:nieuwe (?:baan|functie|werkgever|job)|van (?:baan|werk|werkgever) (?:veranderd|gewisseld)|ontslag genomen|ontslagen|opgezegd|begonnen (?:bij|als)|met pensioen|voor mezelf begonnen|overgestapt)\b`,
          ),
          others: pattern(
            String.raw`\b(?:bank|rekening|abonnement|verzekering|vereniging|sportschool|koor|${PRODUCTS})\b`,
          ),
        },
      ],
      replaces: pattern(
        String.raw`\b(?:overgestapt|overgeschakeld|gewisseld|verzet|verplaatst|verschoven|vervroegd|verhoogd|verlaagd|verlengd|vervangen|ingeruild|overgenomen|hernoemd|veranderd|gewijzigd|geruild|gemigreerd|verhuisd|in plaats van|niet (?:meer|langer)|geen \S+ meer|vanaf nu|voortaan|inmiddels|tegenwoordig|nu|sinds kort|nieuwe?|gestopt|verkocht|gekocht|begonnen)\b`,
      ),
      ordered: /\b(?:liever|verkies\w*|boven|dan|voor|schuldig)\b/i,
      purposes: setOf('voor'),
      over: [
        pattern(String.raw`\bin plaats van\s+(?:de |het |een |in |met |bij )*([\p{L}\p{N}.-]+)`),
        pattern(String.raw`\bvan\s+([\p{L}\p{N}.-]+)\s+(?:naar|op)\b.*\b(?:overgestapt|gewisseld|gemigreerd|verhuisd)`),
        pattern(
          String.raw`\b((?:[\p{L}\p{N}.-]+\s+){1,4}?)(?:niet meer|verkocht|afgeschaft|opgezegd|ingeruild|vervangen|gestopt)\b`,
        ),
        pattern(String.raw`\bgeen\s+([\p{L}\p{N}.-]+)\s+(?:\S+\s+){0,2}?meer\b`),
        pattern(String.raw`\bgestopt met\s+(?:de |het )?([\p{L}\p{N}.-]+)`),
        pattern(
          String.raw`\b((?:[\p{L}\p{N}.-]+\s+){1,4}?)(?:overleden|gestolen|kapot|gesloten|failliet|met pensioen|vertrokken|opgedoekt|begeven|de geest gegeven|uit elkaar)\b`,
        ),
      ],
    },
    search: dutchWords(),
    said: {
      explicit: pattern(
        String.raw`\b(?:(?:alsjeblieft |a\.?u\.?b\.? )?(?:onthoud|denk eraan|vergeet niet|noteer|let op|voor (?:de toekomst|later|de volgende keer)|ter info|fyi|vanaf nu|voortaan)\b[,:]?\s*(?:dat\s+)?)(.+)$`,
      ),
      rules: [
        pattern(String.raw`^(?:alsjeblieft |en |maar |dus )*(?:altijd|nooit)\s+\S+\s+\S+`),
        pattern(String.raw`^(?:antwoord|schrijf|gebruik|noem)\b.*\b(?:altijd|nooit|alleen)\b`),
      ],
      stated: [
        pattern(
          String.raw`^(?:ik|wij|we)(?:\s+(?:altijd|nooit|meestal|alleen|ook|hier|nu))*\s+(?:hou|houd|haat|gebruik|gebruiken|werk|werken|woon|wonen|leef|spreek|spreken|speel|spelen|rijd|rijden|eet|eten|drink|drinken|schrijf|studeer|geef|heb|hebben|ben|zijn|draag|betaal|betalen|leer|kook|loop|lees|verzamel|ga|gaan|wil|neem|bewaar|heet|kom)\b.+`,
        ),
        pattern(
          String.raw`^(?:mijn|onze|ons)\s+(?:[\p{L}\p{N}'’./-]+\s+){1,5}?(?:is|zijn|woont|werkt|heeft|hebben|heet|begint|opent|sluit|kost|gaat|komt|wil|spreekt|speelt|eet|drinkt|houdt|haat|gebruikt|studeert|rijdt|kan|mag)\b`,
        ),
        pattern(String.raw`^(?:sinds|elke|iedere|op|bij)\s+\S+(?:\s+\S+)?\s+\p{L}+\s+(?:ik|we|wij)\b.+`),
        pattern(
          String.raw`^(?:we|wij|ik)\s+(?:hebben|heb|zijn|ben)\s+.*\b(?:besloten|afgesproken|overgestapt|verhuisd|gekozen|gewisseld)\b`,
        ),
      ],
      notKept: pattern(
        String.raw`\?|\b(?:(?:stuur|geef) je|je (?:antwoord|hulp|idee)|(?:eerste|tweede|derde|laatste|andere) (?:optie|versie|variant)|een (?:vraag|probleem)|als ik|als we|zou|zouden|misschien|stel je voor|vandaag|gisteren|morgen|vanavond|net|op dit moment|daarnet|deze (?:week|fout|functie|keer)|dit (?:bestand|weekend)|probeer|geprobeerd|mislukt|kapot|fout|bedankt|dank je|sorry|ik (?:denk|geloof|hoop|vraag|bedoel|vind dat)|kun je|kan je|weet je|moe)\b`,
      ),
      asks: pattern(
        String.raw`^(?:maak|schrijf|geef|leg|vertaal|toon|laat|zoek|help|vat|corrigeer|verbeter|zeg|controleer)\b|\bal(?:s?je|stu)blieft\b`,
      ),
      points: pattern(String.raw`\b(?:dit|dat|deze|die|hier|daar|het)\b`),
      refers: pattern(String.raw`^(?:het|dat|dit|ze|hij|zij|deze|die|daar)\b`),
      clauses: pattern(
        String.raw`\s*(?:[;:(–—]|,\s+(?:(?:omdat|want|en|maar|dus|trouwens)\b)?\s*|\s-+\s|\bomdat\b|\btrouwens\b,?)\s*`,
      ),
      follows: pattern(String.raw`,\s+(?:dus|daarom)\b.*$`),
      leading: pattern(
        String.raw`^(?:trouwens|en|maar|dus|oh|nou|hé|hoi|hallo|oké|ok|omdat|want|ter info|ja|nee|let op|bedankt)[,:!]?\s+`,
      ),
    },
  }),
);
