import { counted, PRODUCTS, pattern, setOf, spacedWords, synonymsOf, whenRead, withNumbers } from './language.ts';
import { polishWords } from './polish-words.ts';

const NUMBERS = new Map<string, number>([
  ...counted(`zero jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście trzynaście czternaście
    piętnaście szesnaście siedemnaście osiemnaście dziewiętnaście dwadzieścia`),
  ...counted('_ _ dwie'),
  ...(
    [
      'trzydzieści',
      'czterdzieści',
      'pięćdziesiąt',
      'sześćdziesiąt',
      'siedemdziesiąt',
      'osiemdziesiąt',
      'dziewięćdziesiąt',
    ] as const
  ).map((word, at): [string, number] => [word, 30 + 10 * at]),
  ['sto', 100],
]);

/** Endings of nouns, adjectives and verbs without accents, longest first: Snowball has no Polish. */
const ENDINGS =
  /(?:owalismy|iwalismy|iejszy|owania|owanie|owych|owymi|owego|owemu|iscie|ilismy|alismy|ylismy|owany|owana|iemy|ujemy|iami|iach|iego|iemu|alem|alam|ilem|ilam|ylem|ylam|ujesz|ujac|owac|aniu|ania|anie|enia|eniu|enie|ami|ach|ymi|imi|ego|emu|ych|ich|owi|owy|owa|owe|iem|iom|ego|uje|amy|emy|imy|ymy|asz|esz|isz|ysz|aja|eja|iec|ala|ilo|alo|ila|yla|ali|ili|yli|al|il|yl|ac|ec|ic|yc|em|om|ow|ej|ym|im|ie|ia|iu|io|ii|aj|a|e|i|o|u|y)$/;
const SOFTENED: readonly (readonly [RegExp, string])[] = [
  [/(?:sz|ś)$/, 's'],
  [/(?:cz|c)$/, 'k'],
  [/dz$/, 'd'],
  [/(?:rz)$/, 'r'],
  [/ł$/, 'l'],
];
const MIN_ROOT = 3;

/** Removes endings, and what they soften before them. */
function rootOf(word: string): string {
  const plain = word.normalize('NFD').replace(/\p{M}/gu, '');
  const stem = plain.replace(ENDINGS, (ending) => (plain.length - ending.length < MIN_ROOT ? ending : ''));
  const hard = SOFTENED.reduce((root, [end, hardened]) => root.replace(end, hardened), stem);
  return hard.length < MIN_ROOT ? plain : hard.replaceAll('ł', 'l');
}

export const polish = whenRead(
  {
    code: 'pl',
    spelling: /[ąćęłńśźż]|(?:sz|cz|rz|ego|owi|owe|ych|iem|uję|owa|ią|je$|cie$|nie$|ówk)/,
    functionWords:
      setOf(`jaki jaka jakie jakim jakiego jakiej ile ilu czym czego kogo komu skąd dokąd dlaczego czemu jakich którym której którego mieliśmy miałem miałam co ma i a o w we z ze na do od po za przed przy pod nad dla bez przez u czy że żeby ale lub albo oraz więc bo gdy jeśli jak
    ja ty on ona ono my wy oni mnie mi mną ciebie ci tobą jego jemu mu jej ją nim nas nam nami was wam ich im się siebie sobie
    jest są był była było byli być jestem jesteś jesteśmy będę będzie mam ma mamy mają nie tak to ten ta te tego tej tym tych tu tam
    mój moja moje mojego mojej moim moją moi swój swoja swoje nasz nasza nasze naszego naszej twój twoja kto co gdzie kiedy który która
    które już tylko też także jeszcze bardzo`),
    wordsOf: (text) => withNumbers(spacedWords(text), NUMBERS),
    rootOf,
  },
  () => ({
    present: pattern(String.raw`\b(?:teraz|obecnie|aktualnie|w tej chwili|na razie|dzisiaj|ostatnio)\b`, 'g'),
    statements: {
      limits:
        setOf(`nie nigdy nikt nic żaden żadna żadne bez oprócz tylko może mógłby powinien jeśli chyba prawdopodobnie zwykle czasem często
      rzadko przed po do od stary stara dawny były była planuje chce ma prawie około pół zamiast jeszcze też drugi druga trzeci ostatni
      następny pierwszy inny inna oba ale ledwo nienawidzę nienawidzi unikam unika przeciw przeciwko`),
      negations: setOf('nie nigdy nikt nic żaden żadna żadne'),
      singleValued:
        setOf(`jest był nazywa mieszkam mieszka mieszkamy pracuję pracuje pracujemy kosztuje zaczyna otwiera zamyka kończy trwa jeździ jeżdżę
      waży ma mam śpi śpię`),
      copulas: setOf('jest był nazywa'),
      prepositions: setOf('w na z ze do od po przy pod nad dla bez przez o u za'),
      determiners: setOf('ten ta to te mój moja moje nasz nasza nasze twój twoja jego jej ich swój swoja'),
      possessives: setOf('mój moja moje mojego mojej moim moją nasz nasza nasze naszego naszej'),
      lightWords:
        setOf(`mam ma mamy używam używa używamy robię robi jest są nazywa idę idzie bardzo zawsze każdy każda każde cały coś rzecz raz około
      proszę chętnie`),
      qualifiers: [
        setOf('rano wieczorem popołudniu nocą'),
        setOf('poniedziałek wtorek środa środę czwartek piątek sobota sobotę niedziela niedzielę'),
        setOf('staging produkcja produkcji test lokalnie'),
        setOf('lewy lewa prawy prawa górny dolny przedni tylny'),
      ],
      relatives:
        setOf(`matka ojciec mama tata siostra brat syn córka żona mąż kuzyn kuzynka ciocia wujek babcia dziadek rodzice przyjaciel
      przyjaciółka sąsiad sąsiadka szef szefowa kolega koleżanka chłopak dziewczyna teściowa teść wnuk wnuczka mamy taty brata siostry
      żony męża syna córki`),
      speakers: setOf('ja my mnie mi nas nam'),
      synonyms: synonymsOf(
        `zaczyna rozpoczyna|mieszkam mieszka żyję|pracuję pracuje pracujemy|samochód auto|telefon komórka|szef przełożony kierownik|uczulony alergia uczulenie|
      spotkanie zebranie|komputer laptop`,
        rootOf,
      ),
      transitions: [
        {
          words: 'mieszkam mieszka mieszkamy przeprowadziłem przeprowadziłam przeprowadziliśmy mieszkanie',
          states: pattern(String.raw`\b(?:mieszkam|mieszka|mieszkamy|żyję)\b`),
          changes: pattern(
            String.raw`\b(?:przeprowadzi\p{L}+|przenios\p{L}+ się|wyprowadzi\p{L}+|wprowadzi\p{L}+ się|nowe (?:mieszkanie|miejsce)|nowy (?:dom|adres))\b`,
          ),
          others: pattern(
            String.raw`\b(?:serwer\p{L}*|baz\p{L} danych|biur\p{L}*|dane|spotkani\p{L}+|zespół|stron\p{L}|domen\p{L}|konto|projekt|kod|${PRODUCTS})\b`,
          ),
        },
        {
          words: 'pracuję pracuje praca pracę stanowisko firma zmieniłem zmieniłam odszedłem',
          states: pattern(
            String.raw`\b(?:pracuję|pracuje|pracujemy|zatrudnion\p{L}|jestem \p{L}+(?:em|ką|rką|istą))\b`,
          ),
          changes: pattern(
            String.raw`\b(?:now(?:a|ą|ej) (?:prac\p{L}|posad\p{L}|firm\p{L})|nowe stanowisko|zmieni\p{L}+ (?:pracę|firmę|zawód)|rzuci\p{L}+ pracę|zwolni\p{L}+|odesz\p{L}+ z|odszed\p{L}+ z|zatrudni\p{L}+ się|na emerytur\p{L}|zacz\p{L}+ (?:pracę|pracować))\b`,
          ),
          others: pattern(String.raw`\b(?:bank|konto|siłowni\p{L}|klub|chór|ubezpieczeni\p{L}|${PRODUCTS})\b`),
        },
      ],
      replaces: pattern(
        String.raw`\b(?:teraz|obecnie|od (?:teraz|dziś|poniedziałku|stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia|tygodnia|miesiąca)|już nie|zamiast|zamieni\p{L}+|zastąpi\p{L}+|zmieni\p{L}+|przesz(?:edłem|łam|liśmy|edł|ła|li) (?:na|do)|przenie\p{L}+|przenios\p{L}+|przesun\p{L}+|przełoż\p{L}+|podnie\p{L}+|podnios\p{L}+|wzrosł\p{L}*|obniż\p{L}+|zmniejsz\p{L}+|zwiększ\p{L}+|sprzeda\p{L}+|kupi\p{L}+|now[yaeą]|nowego|nowej|nowym|przeprowadzi\p{L}+|przesta\p{L}+|rzuci\p{L}+|zrezygnowa\p{L}+|od niedawna)\b`,
      ),
      ordered: /wol(?:ę|i|ą)|prefer|\b(?:niż|przed|po|zamiast)\b/iu,
      dropsPronouns: true,
      purposes: setOf('dla'),
      over: [
        pattern(String.raw`\bzamiast\s+(?:na |w |z |do )*([\p{L}\p{N}.-]+)`),
        pattern(String.raw`\bz\s+([\p{L}\p{N}.-]+)\s+(?:na|do)\s+.*`),
        pattern(String.raw`\bjuż nie\s+\p{L}+\s+(?:(?:w|na|z|do|u)\s+)*([\p{L}\p{N}.-]+)`),
        pattern(
          String.raw`\b(?:sprzeda\p{L}+|rzuci\p{L}+|przesta\p{L}+|zrezygnowa\p{L}+ z|zamieni\p{L}+|zastąpi\p{L}+)\s+(?:mój |moją |moje |swój |swoją )?([\p{L}\p{N}.-]+)`,
        ),
        pattern(
          String.raw`\b([\p{L}\p{N}.-]+)\s+(?:odeszł\p{L}+|odszedł|przesz\p{L}+ na emeryturę|pad(?:ł|ła|ło|ły)|zepsu\p{L}+ się|umar\p{L}+|zmar\p{L}+|zamkn\p{L}+|wyprowadzi\p{L}+ się|wyjecha\p{L}+|sprzeda\p{L}+|odda(?:łem|łam|liśmy)|posz\p{L}+ do kosza|zbankrutowa\p{L}+|zwolni\p{L}+ się)(?![\p{L}])`,
        ),
        pattern(String.raw`\bukradli\s+(?:mi |nam )?([\p{L}\p{N}.-]+)`),
        pattern(String.raw`\bnie tęsknię za\s+(?:tym |tą |starym |starą )?(?:\p{L}+(?:ym|ącym|im) )?([\p{L}\p{N}.-]+)`),
      ],
    },
    search: polishWords(),
    said: {
      explicit: pattern(
        String.raw`\b(?:(?:proszę,? )?(?:zapamiętaj|pamiętaj|zapisz|zanotuj|nie zapomnij|na przyszłość|fyi|od teraz|odtąd)\b[,:]?\s*(?:że\s+|aby\s+|żeby\s+)?)(.+)$`,
      ),
      rules: [
        pattern(String.raw`^(?:proszę |i |ale |więc )*(?:zawsze|nigdy)\s+\S+\s+\S+`),
        pattern(String.raw`^(?:odpowiadaj|pisz|używaj|mów)\b.*\b(?:zawsze|nigdy|tylko)\b`),
      ],
      stated: [
        pattern(
          String.raw`^(?:ja |my |zawsze |nigdy |zwykle |tylko |też |tu |nie )*(?:jestem|jesteśmy|mieszkam|mieszkamy|pracuję|pracujemy|używam|używamy|wolę|lubię|nienawidzę|mam|mamy|mówię|gram|jeżdżę|jem|piję|piszę|studiuję|uczę|płacę|noszę|gotuję|biegam|czytam|zbieram|prowadzę|trzymamy|korzystam|korzystamy)\b.+`,
        ),
        pattern(
          String.raw`^(?:mój|moja|moje|nasz|nasza|nasze)\s+(?:[\p{L}\p{N}'’./-]+\s+){1,5}?(?:jest|są|mieszka|pracuje|ma|mają|nazywa|zaczyna|otwiera|zamyka|kosztuje|idzie|chce|mówi|gra|je|pije|lubi|używa|studiuje|jeździ|nie)\b`,
        ),
        pattern(String.raw`^(?:co|w każd\p{L}+|od)\s+\S+.*\b\p{L}+(?:ę|my)\b`),
        pattern(
          String.raw`^(?:zdecydowaliśmy|ustaliliśmy|przeszliśmy|przeprowadziliśmy|przeprowadziłe?[mś]|przeprowadziłam|zmieniliśmy)\b.+`,
        ),
      ],
      notKept: pattern(
        String.raw`\?|\b(?:wysyłam ci|twoj[aąeę] (?:odpowied\p{L}+|pomoc)|(?:pierwsz|drug|trzeci|ostatni|inn)ą (?:opcję|wersję)|mam (?:\p{L}+ )?(?:pytanie|problem)|gdybym|gdyby|jeśli bym|\p{L}+(?:łbym|łabym)|może|chyba|wyobraź|dziś|dzisiaj|wczoraj|jutro|właśnie|w tej chwili|przed chwilą|ten (?:błąd|test|plik)|ta funkcja|tym razem|próbuję|próbowałe?m|nie działa|błąd|dzięki|dziękuję|przepraszam|myślę|sądzę|mam nadzieję|czy możesz|zmęczon\p{L})\b`,
      ),
      asks: pattern(
        String.raw`^(?:napisz|zrób|podaj|wyjaśnij|przetłumacz|pokaż|znajdź|pomóż|stwórz|streść|popraw|sprawdź|przygotuj|powiedz|daj)\b|\bproszę\b`,
      ),
      points: pattern(String.raw`\b(?:to|ten|ta|te|tego|tej|tu|tam)\b`),
      refers: pattern(String.raw`^(?:to|ten|ta|on|ona|ono|oni|one|tam|który|która)\b`),
      clauses: pattern(
        String.raw`\s*(?:[;:(–—]|,\s+(?:(?:bo|ponieważ|i|ale|więc|że|a propos)\b)?\s*|\s-+\s|\bbo\b|\bponieważ\b)\s*`,
      ),
      follows: pattern(String.raw`,\s+(?:więc|dlatego)\b.*$`),
      leading: pattern(
        String.raw`^(?:a propos|i|ale|więc|no|oh|ach|hej|cześć|ok|okej|bo|ponieważ|tak|nie,|uwaga|dzięki)[,:!]?\s+`,
      ),
    },
  }),
);
