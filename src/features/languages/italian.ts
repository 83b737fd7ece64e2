import { stemmer } from '@orama/stemmers/italian';
import { italianWords } from './italian-words.ts';
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

const NUMBERS = new Map<string, number>([
  ...counted(`zero _ due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette
    diciotto diciannove`),
  ...listOf('venti trenta quaranta cinquanta sessanta settanta ottanta novanta').map(
    (word, at) => [word, 20 + 10 * at] as const,
  ),
  ['ventiquattro', 24],
  ['trentasei', 36],
  ['cento', 100],
]);

const rootOf = withoutAccents(stemmer);

export const italian = whenRead(
  {
    code: 'it',
    spelling: /[àèìòù]|^ch[ei]|(?:zione|tà|are|ere|ire|gli|i|o|a)$/,
    functionWords:
      setOf(`quale quali quanto quanta quanti quante quando perché chi cosa dove come che il lo la i gli le l un uno una di del dello della dei degli delle da dal dalla a al alla ai agli alle in nel nella
    nei nelle su sul sulla con per tra fra e ed o ma io tu lui lei noi voi loro mi ti si ci vi ne è sono era sei siamo ho ha hai
    hanno abbiamo c che chi cui come dove quando se non né più già anche molto bene mio mia miei mie tuo tua suo sua suoi sue
    nostro nostra nostri nostre questo questa questi queste quello quella perché poi qui ogni sono adesso ora fa fanno sta stanno loro`),
    wordsOf: (text) => withNumbers(spacedWords(text), NUMBERS),
    rootOf,
  },
  () => ({
    present: pattern('\\b(?:adesso|attualmente|al momento|ormai|oggigiorno)\\b', 'g'),
    statements: {
      limits:
        setOf(`non mai nessuno nessuna niente nulla senza tranne eccetto solo soltanto può potrebbe deve dovrebbe se forse
      probabilmente spesso volte raramente prima dopo fino da ex vecchio vecchia previsto vuole voglio spera quasi mezzo mezza invece
      ma ancora anche altro altra altri altre secondo seconda terzo terza prossimo prossima ultimo ultima più già appena odio odia detesto detesta evito evita contro`),
      negations: setOf('non mai nessuno nessuna niente nulla né'),
      singleValued:
        setOf(`è era chiama chiamo abita abito abitiamo vive vivo viviamo lavora lavoro lavoriamo costa inizia comincia apre
      chiude finisce dura sta pesa misura guida guido tiene dorme dormo riunisce passa fa`),
      copulas: setOf('è era chiama'),
      prepositions: setOf(
        'a al alla ai agli alle in nel nella con di del della da dal dalla per su sul sulla tra fra sotto',
      ),
      determiners: setOf(
        'il lo la i gli le l un uno una mio mia miei mie tuo tua suo sua suoi sue nostro nostra nostri nostre questo questa',
      ),
      possessives: setOf('mio mia miei mie nostro nostra nostri nostre suo sua suoi sue'),
      lightWords:
        setOf(`usa uso usiamo utilizza utilizziamo ha ho hanno abbiamo avere fa faccio fare va vado andare mette metto molto bene sempre ogni tutto tutta tutti tutte cosa
      volta favore chiama chiamano c`),
      qualifiers: [
        setOf('mattina mattino pomeriggio sera notte mezzogiorno'),
        setOf('lunedì martedì mercoledì giovedì venerdì sabato domenica'),
        setOf('primo prima secondo seconda terzo terza ultimo ultima'),
        setOf('staging produzione test locale'),
        setOf('sinistra sinistro destra destro superiore inferiore anteriore posteriore'),
      ],
      relatives:
        setOf(`madre padre mamma papà sorella fratello figlio figlia moglie marito cugino cugina zia zio nonna nonno nipote genitori
      amico amica vicino vicina coinquilino coinquilina collega colleghi capo fidanzato fidanzata compagno compagna suocera suocero
      cognato cognata genero nuora`),
      speakers: setOf('io mi noi ci'),
      synonyms: synonymsOf(
        `inizia comincia|abita vive abito vivo|macchina auto automobile|telefono cellulare|capo responsabile|allergico allergica
      allergia|odio detesto sopporto|corto breve conciso|riunione meeting|computer pc portatile|apre apertura|chiude chiuso chiusa`,
        rootOf,
      ),
      transitions: [
        {
          words: 'abito abita vivo vive viviamo trasferito trasferiti traslocato casa',
          states: pattern(
            String.raw`\b(?:abit(?:o|a|iamo|ano)|viv(?:o|e|iamo|ono)|risied(?:o|e))\b(?=.{0,40}\b(?:a|ad|in|con|da|al|nel|vicino)\b)`,
          ),
          changes: pattern(
            String.raw`\b(?:trasferit[oaie]|traslocat[oaie]|andat[oaie] (?:a|ad) (?:vivere|abitare|stare)|nuova casa|(?:preso|comprato|affittato) una? (?:casa|appartamento|monolocale)|nuovo (?:appartamento|indirizzo))\b`,
          ),
          others: pattern(
            String.raw`\b(?:database|server|uffici?o?|dati|backup|riunion[ei]|team|sito|dominio|azienda|ditta|codice|progetto|servizio|conto|${PRODUCTS})\b`,
          ),
        },
        {
          words: 'lavoro lavora impiego posto assunto assunta licenziato',
          states: pattern(
            String.raw`\b(?:lavor(?:o|a|iamo)|impiegat[oa]|dipendente)\b(?=.{0,40}\b(?:in|a|al|alla|da|per|come|presso|nel|nella)\b)`,
          ),
          changes: pattern(
            String.raw`\b(?:nuovo (?:lavoro|impiego|posto)|cambiato (?:lavoro|azienda|ditta|mestiere)|lasciato (?:il|la|lo) (?:lavoro|posto|ditta|azienda|studio)|(?<=\b(?:stat[oa]|sono|mi hanno|mi ha) )(?:assunt[oa]|licenziat[oa])|in pensione|messa? in proprio)\b`,
          ),
          others: pattern(String.raw`\b(?:palestra|club|coro|associazione|banca|fornitore|tariffa|${PRODUCTS})\b`),
        },
      ],
      replaces: pattern(
        String.raw`\b(?:adesso|ora|da ora in poi|d['’]ora in poi|a partire da|non .{1,40} più|invece d\p{L}+|al posto d\p{L}+|sostitui\p{L}+|cambiat[oaie]|passat[oaie] (?:a|al|alla|da)|spostat[oaie]|rimandat[oaie]|anticipat[oaie]|aumentat[oaie]|alzat[oaie]|salit[oaie]|sces[oaie]|abbassat[oaie]|ridott[oaie]|migrat[oaie]|lasciat[oaie]|smess[oaie]|vendut[oaie]|rinominat[oaie]|subentrat[oaie]|dismess[oaie]|portat[oaie] su|nuov[oaie]|ormai|ultimamente)\b`,
      ),
      ordered: /prefer|\b(?:prima|dopo|piuttosto|devo|deve)\b/i,
      dropsPronouns: true,
      purposes: setOf('per'),
      over: [
        pattern(String.raw`\b(?:invece|al posto)\s+(?:di|del|della|dello|dell['’]|dei)\s*([\p{L}\p{N}.-]+)`),
        pattern(
          String.raw`\bnon\s+(?:\p{L}+\s+){0,2}più\s+(?:(?:il|lo|la|i|gli|le|in|a|con|da|al|alla|di|nel|nella|su|sul|sulla)\s+)*([\p{L}\p{N}.-]+)`,
        ),
        pattern(
          String.raw`\b(?:restituito|smesso|lasciato|abbandonato|venduto|sostituito|cambiato|mollato|buttato)\s+(?:di |con |a )?(?:il |lo |la |i |gli |le |l['’]|mia |mio )*([\p{L}\p{N}.-]+)`,
        ),
        pattern(String.raw`\bpassat[oaie]\s+da\s+([\p{L}\p{N}.-]+)\s+a`),
        pattern(
          String.raw`\b((?:[\p{L}\p{N}.-]+\s+){1,3}?)(?:(?:è|sono) (?:stat[oaie] )?(?:dismess|elimina|spent|abbandona|sostitui|vendut|chius|rimoss)\p{L}+|ha lasciato|è andat[oa] in pensione|se n['’]è andat[oa]|ha chiuso|è mort[oa])\b`,
        ),
        pattern(
          String.raw`\b([\p{L}\p{N}.-]+)\s+(?:è (?:mort[oa]|fallit[oa]|partit[oa]|andat[oa] via)|ha (?:smesso|lasciato|cambiato lavoro)|si è (?:rott|trasferit|licenziat)[oa]|s['’]è (?:rott|trasferit)[oa]|m['’]è (?:cadut|mort|rott)[oa]|l['’]ho (?:dat[oa] (?:dentro|via)|vendut[oa]|buttat[oa]|res[oa])|mi ha mandato in pensione)\b`,
        ),
        pattern(String.raw`\brubato\s+(?:il |lo |la |l['’]|mia |mio )*([\p{L}\p{N}.-]+)`),
      ],
    },
    search: italianWords(),
    said: {
      explicit: pattern(
        String.raw`\b(?:(?:per favore )?(?:ricorda(?:ti)?|tieni (?:presente|a mente|conto)|segnati|annota|non dimenticare|per (?:la prossima volta|il futuro|tua informazione)|fyi|d['’]ora in (?:poi|avanti)|da ora in poi|da adesso)\b\s*[,:]?\s*(?:che\s+)?)(.+)$`,
      ),
      rules: [
        pattern(String.raw`^(?:e |ma |quindi )*(?:sempre|mai)\s+\S+\s+\S+`),
        pattern(String.raw`\b(?:lascia\p{L}*|scrivi\p{L}*|metti\p{L}*|usa\p{L}*|rispondi\p{L}*|dammi)\s+sempre\b`),
      ],
      stated: [
        pattern(
          String.raw`^(?:(?:io|noi|qui|da noi|il \p{L}+(?: \p{L}+)?|la \p{L}+|i \p{L}+|ogni \p{L}+|ora|adesso|sempre|già|anche|solo|non|dall['’]\p{L}+(?: al \p{L}+)?)\s+(?:lo |la |li |le |mi |ci |non |sempre |già ){0,2}){0,2}(?:abito|abitiamo|vivo|viviamo|lavoro|lavoriamo|uso|usiamo|utilizzo|utilizziamo|preferisco|preferiamo|odio|detesto|ho|abbiamo|tengo|teniamo|insegno|studio|studiamo|parlo|parliamo|gioco|guido|mangio|mangiamo|bevo|beviamo|scrivo|scriviamo|vendo|vendiamo|apro|apriamo|chiudo|chiudiamo|prendo|prendiamo|do|diamo|faccio|facciamo|suono|canto|coltivo|allevo|pago|paghiamo|gestisco|gestiamo|curo|sopporto|organizzo|vado|andiamo|esco|fatturo|programmo|sviluppo|mi \p{L}+o|ci \p{L}+iamo|sono (?:un|una|allergic|vegetarian|vegan|celiac|mancin|di|nat|sposat|intollerant|daltonic)\p{L}*|siamo (?:in|un|una|chius|apert)\p{L}*)\b.+`,
        ),
        pattern(
          String.raw`^(?:il |la |i |le )?(?:mio|mia|miei|mie|nostro|nostra|nostri|nostre)\s+(?:[\p{L}\p{N}'’./-]+\s+){1,5}?(?:è|sono|si|ha|hanno|abita|vive|lavora|usa|apre|chiude|inizia|costa|sta|va|non|mangia|parla|gioca|studia|compie|preferisce|odia|vuole|viene|fa)(?!\p{L})`,
        ),
        pattern(
          String.raw`^(?:(?:in|a|con|per|da|di|ai|al|alla|nel|nella|dal)\s+(?:l['’]|il |la |i |le )?\p{L}+(?:\s+\p{L}+){0,4}?,?\s+)(?:non |mi |ci |lo |la )*(?:uso|usiamo|do|diamo|faccio|facciamo|lavoro|prendo|ho|abbiamo|scrivo|leggo|mangio|bevo|seguo|tengo|metto|vado)\b`,
        ),
        pattern(String.raw`^(?:sono|siamo)\s+(?:iscritt|specializzat|abilitat|responsabil|alt|cresciut)\p{L}+`),
        pattern(
          String.raw`^(?:non )?(?:leggo|seguo|curo|tratto|visito|seguiamo|visitiamo|riceviamo|ricevo|\p{L}+iamo)\s+\S+`,
        ),
        pattern(
          String.raw`^\p{L}+.*\b(?:ogni \S+|tutti i \S+|tutte le \S+|da noi|il (?:lunedì|martedì|mercoledì|giovedì|venerdì|sabato))(?!\p{L})`,
        ),
        pattern(String.raw`^(?:abbiamo|ho)\s+(?:deciso|scelto|concordato|cambiato)\b.+`),
        pattern(
          String.raw`^(?:il|lo|la|i|gli|le|l['’])\s*(?:[\p{L}\p{N}'’./-]+\s+){1,5}?(?:è|sono|apre|chiude|inizia|costa|si chiama|si riunisce|la prendo|lo prendo|le prendo|li prendo|la faccio|lo faccio|l['’]ho)(?!\p{L})\s+\S+`,
        ),
      ],
      notKept: pattern(
        String.raw`\?|(?<!\p{L})(?:ti \p{L}+o|tu[ao] (?:risposta|aiuto|idea)|(?:prim|second|terz|ultim|altr)a (?:opzione|versione|variante)|una? (?:domanda|dubbio|problema)|se (?:\p{L}+)?ss[ie]|\p{L}{2,}r(?:ei|ebbe|emmo|ebbero)|forse|magari|immagina|supponiamo|oggi|ieri|domani|stamattina|stasera|stanotte|questa (?:settimana|volta|funzione)|questo (?:errore|test|mese|file)|in questo momento|per ora|adesso|sto \p{L}+ndo|credo|penso|suppongo|mi chiedo|mi serve|ho (?:bisogno|fame|provato|visto|letto|dimenticato)|voglio|volevo|spero|provo|grazie|scusa|errore|non funziona|mi (?:ha detto|dice|sento|sembra)|fammi|dammi|puoi|potresti|ecco|guardi)(?!\p{L})`,
      ),
      asks: pattern(
        String.raw`^(?:fai|dammi|dimmi|scrivi|metti|cerca|trova|prepara|traduci|spiega|riassumi|correggi|crea|genera|aiuta|mostra)(?:mi|ci|l[aeio])?\b|\bper (?:favore|piacere)\b`,
      ),
      points: pattern(String.raw`\b(?:questo|questa|quello|quella|ciò|qui|lì|là)\b`),
      refers: pattern(String.raw`^(?:questo|questa|quello|quella|ciò|lui|lei|loro|che|cui|il quale)\b`),
      clauses: pattern(
        String.raw`\s*(?:[;:(–—]|,\s+(?:(?:perché|che|poiché|e|ma|quindi|però|anzi|siccome)\b)?\s*|\s-+\s|\bperché\b|\bpoiché\b|\be (?=io |mi[ao]|nostr|lo |la |il )|\ba proposito\b,?)\s*`,
      ),
      follows: pattern(String.raw`,?\s+(?:quindi|perciò|dunque)\b.*$`),
      leading: pattern(
        String.raw`^(?:a proposito|e|ma|però|quindi|allora|beh|bene|ok|ah|ciao|sì|no,|grazie|perché|poiché|che|anzi|comunque|inoltre|cioè|attenzione|guarda|tra l['’]altro)[,:!.]?\s+`,
      ),
    },
  }),
);
