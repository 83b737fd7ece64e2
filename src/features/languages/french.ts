import { stemmer } from '@orama/stemmers/french';
import { frenchWords } from './french-words.ts';
import {
  counted,
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
  ...counted(`zéro _ deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize`),
  ['vingt', 20],
  ['trente', 30],
  ['quarante', 40],
  ['cinquante', 50],
  ['soixante', 60],
  ['cent', 100],
]);

const rootOf = withoutAccents(stemmer);

const OWN = `(?:mon|ma|mes|notre|nos)`;

export const french = whenRead(
  {
    code: 'fr',
    spelling: /[àâçèêëîïôûùœ]|(?:es|ez|eux|tion|ment|ais|ait|eau|eur|ue)$/,
    functionWords:
      setOf(`quel quelle quels quelles comment combien où pourquoi quand qui quoi est-ce lequel laquelle ai as avons avez le la les l un une des du de d et ou mais je j tu il elle on nous vous ils elles me m te t se s lui leur y en
    est sont était suis es êtes sommes a ai as ont avons avez à au aux dans sur sous chez avec pour par vers entre ce c cet cette
    ces qui que qu quoi dont où si comme car donc ne n pas plus mon ma mes ton ta tes son sa ses notre nos votre vos très bien
    aussi alors là ça cela depuis h heures heure`),
    wordsOf: (text) => withNumbers(spacedWords(text), NUMBERS),
    rootOf,
  },
  () => ({
    present: pattern("\\b(?:maintenant|actuellement|en ce moment|désormais|à présent|aujourd['’]hui)\\b", 'g'),
    statements: {
      limits:
        setOf(`pas jamais plus aucun aucune personne rien sans sauf seulement que peut pourrait doit devrait faut si peut-être
      probablement souvent parfois rarement avant après jusqu jusque depuis ancien ancienne prévu prévoit veut veux espère presque environ
      demi demie au-lieu plutôt mais encore aussi autre autres deuxième troisième second seconde prochain prochaine dernier dernière
      ex futur future guère déteste évite contre non`),
      negations: setOf('pas jamais plus aucun aucune personne rien ni'),
      singleValued:
        setOf(`est était suis s'appelle appelle habite habitons habitent vis vit vivons travaille travaillons bosse coûte commence
      débute ouvre ferme finit termine dure roule conduis conduit pèse mesure fait tient reçoit arrive part dort couche se lieu
      s'élève élève`),
      copulas: setOf('est était appelle'),
      prepositions: setOf('à au aux en dans sur sous chez avec par de du vers entre derrière devant près après avant'),
      determiners: setOf(
        'le la les l un une des du mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce cet cette ces',
      ),
      possessives: setOf('mon ma mes notre nos son sa ses leur leurs'),
      lightWords:
        setOf(`a ai ont avons avez avoir appelle appellent être utilise utilisons fait faire fais va vais aller met mettre mets prend prendre peu très bien vraiment
      toujours chaque tout tous toute toutes chose fois lieu faut fixe taper il`),
      qualifiers: [
        setOf('matin matins midi après-midi soir soirs nuit'),
        setOf(
          'lundi lundis mardi mardis mercredi mercredis jeudi jeudis vendredi vendredis samedi samedis dimanche dimanches',
        ),
        setOf('préproduction staging production test recette local'),
        setOf('gauche droite haut bas avant arrière'),
        setOf('premier première deuxième troisième second seconde dernier dernière'),
      ],
      relatives:
        setOf(`mère père maman papa sœur soeur frère fils fille femme mari épouse époux cousin cousine tante oncle mamie papi
      grand-mère grand-père neveu nièce parents ami amie copain copine voisin voisine colocataire collègue collègues patron patronne
      compagnon compagne conjoint belle-mère beau-père jumeaux`),
      speakers: setOf('je j nous on me m moi'),
      synonyms: synonymsOf(
        `commence débute lieu|habite vis vit loge|travaille bosse|voiture auto bagnole|téléphone portable smartphone|chef patron responsable|
      allergique allergie|déteste horreur supporte|aime adore|court bref concis|réunion réu|ordinateur ordi pc|code taper|
      ouvre ouverture|ferme fermé fermée`,
        rootOf,
      ),
      transitions: [
        {
          words: 'habite habitons vis vit déménagé installé emménagé appartement',
          states: pattern(
            String.raw`\b(?:habit(?:e|ons|ent)|vi(?:s|t|vons)|loge|domicile est)\b(?=.{0,40}\b(?:à|au|aux|en|dans|chez|avec|près)\b)`,
          ),
          changes: pattern(
            String.raw`\b(?:déménag(?:é|ée|és|e|eons)|emménag(?:é|ée|és)|(?:installé|installée|installés) (?:à|au|en|dans|chez)|nouvel appart\w*|(?:pris|trouvé|loué|acheté) une? (?:studio|appart\w*|maison)|nouvelle (?:adresse|maison)|parti(?:e|s|es)? (?:vivre|habiter))\b`,
          ),
          others: pattern(
            String.raw`\b(?:base|données|serveurs?|bureaux?|sauvegardes?|réunions?|équipe|site|domaine|hébergement|entreprise|société|projet|code|dépôt|compte|service|${PRODUCTS})\b`,
          ),
        },
        {
          words: 'travaille bosse employé poste embauché démissionné quitté',
          states: pattern(
            String.raw`\b(?:travaill(?:e|ons|ent)|boss(?:e|ons)|employée?|salariée?|poste est)\b(?=.{0,40}\b(?:à|au|aux|en|dans|chez|comme|pour)\b)`,
          ),
          changes: pattern(
            String.raw`\b(?:nouveau (?:poste|boulot|travail|job|employeur)|nouvelle boîte|démissionné|(?<=(?:été|suis|m['’]a|m['’]ont) )(?:embauchée?|licenciée?)|changé de (?:travail|boulot|boîte|poste|métier)|quitté (?:mon|le|la) (?:poste|travail|boulot|boîte|boulot)|retraite|à mon compte)\b`,
          ),
          others: pattern(
            String.raw`\b(?:poste de travail|club|salle|chorale|association|banque|compte en|fournisseur|forfait|${PRODUCTS})\b`,
          ),
        },
      ],
      replaces: pattern(
        String.raw`\b(?:désormais|dorénavant|maintenant|à présent|à partir de|ne .{1,40} plus|n['’].{1,40} plus|au lieu d\w*|plutôt que|remplacée?s?|remplace|passée?s? (?:à|au|en|de)|est passé|déplacée?s?|décalée?s?|reportée?s?|avancée?s? (?:à|au)|augmentée?s?|baissée?s?|réduite?s?|montée?s? à|changée?s?|migrée?s?|montée?s?|partie?s?|abandonnée?s?|arrêtée?s?|quittée?s?|vendue?s?|rebaptisée?s?|renommée?s?|repris(?:e|es)?|succède|nouveau|nouvel|nouvelle|ont basculé|basculé)\b`,
      ),
      ordered: /préf[éè]r|plutôt|\b(?:avant|après|dois|doit)\b/i,
      purposes: setOf('pour'),
      over: [
        pattern(String.raw`\bau lieu (?:de |du |d['’]|des )(?:la |le |l['’])?([\p{L}\p{N}.-]+)`),
        pattern(
          String.raw`\b(?:rendu|remplacé|troqué|échangé|lâché|abandonné|vendu|quitté|résilié|supprimé|jeté)e?s?\s+(?:(?:le|la|les|mon|ma|mes|notre|nos|son|sa|ses)\s+|l['’])?(?:vieille?\s+|ancien(?:ne)?\s+)?([\p{L}\p{N}.-]+)`,
        ),
        pattern(
          String.raw`\b(?:arrêté|stoppé|cessé|fini)\s+(?:complètement |totalement )?(?:de |d['’]|avec )?(?:le |la |les |l['’])?([\p{L}\p{N}.-]+)`,
        ),
        pattern(String.raw`\b(?:passée?s?|migrée?s?|basculée?s?)\s+de\s+([\p{L}\p{N}.-]+)\s+(?:à|vers|sur)`),
        pattern(
          String.raw`\bn(?:e |['’])(?:\p{L}+ )?\p{L}+ plus (?:(?:de |d['’]|le |la |les |l['’]|du |des |chez |avec |à |au |sur |dans |en )+)?([\p{L}\p{N}.-]+)`,
        ),
        pattern(String.raw`\bplus (?:de |d['’]|chez |le |la )?([\p{L}\p{N}.-]+)`),
        pattern(
          String.raw`\b([\p{L}\p{N}.-]+)\s+(?:a (?:rendu l['’]âme|raccroché|fermé|démissionné|déménagé|pris sa retraite|fait faillite|coulé|lâché)|est (?:mort|morte|décédée?|partie?|en retraite|à la retraite|fichue?|foutue?|tombée? en panne)|s['’]est cassée?|ferme définitivement)\b`,
        ),
        pattern(
          String.raw`\b(?:volé|piqué|cassé|perdu|noyé)\s+(?:le |la |les |mon |ma |mes |notre |l['’])([\p{L}\p{N}.-]+)`,
        ),
        pattern(String.raw`\b(?:adieu|exit|on oublie|terminé)\s+(?:le |la |les |l['’])?([\p{L}\p{N}.-]+)`),
      ],
    },
    search: frenchWords(),
    said: {
      explicit: pattern(
        String.raw`\b(?:(?:s['’]il (?:te|vous) pla[iî]t,? )?(?:souviens-toi|rappelle-toi|retiens|note(?: bien)?|n['’]oublie pas|garde en tête|pour (?:la prochaine fois|info|rappel|mémoire|la suite)|fyi|à partir de maintenant|désormais|dorénavant)\b\s*[,:]?\s*(?:bien\s+)?(?:que\s+|qu['’])?)(.+)$`,
      ),
      rules: [
        pattern(String.raw`^(?:et |mais |donc )*(?:toujours|jamais)\s+\S+\s+\S+`),
        pattern(String.raw`^(?:au \S+ |chez \S+ |ici )?(?:on|nous|je|j['’]\s*)\s?\S+\s+(?:toujours|jamais)\b`),
        pattern(
          String.raw`^(?:mets|écris|réponds|donne|utilise|tutoie|signe|fais)(?:-\p{L}+)*\b.*\b(?:toujours|jamais)\b`,
        ),
      ],
      stated: [
        pattern(
          String.raw`^(?:au \S+,? |chez (?:moi|nous),? |ici,? |en \S+,? )?(?:je|on|nous)\s+(?:ne |n['’]|me |m['’]|y |en |se |s['’])*\p{L}{2,}.*`,
        ),
        pattern(
          String.raw`^(?:j['’]|je n['’]|on n['’])(?:y |en )?(?:ai|suis|habite|utilise|adore|aime|enseigne|élève|héberge|écris|apprends|évite|achète|ouvre|a)\b.+`,
        ),
        pattern(
          String.raw`^(?!fais|donne|mets|rédige|corrige|trouve|propose|peux|relis|traduis)\p{L}+.*\b(?:tous les \S+|toutes les \S+|chaque \S+|chez (?:nous|moi)|le (?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche))\b`,
        ),
        pattern(
          String.raw`^${OWN}\s+(?:[\p{L}\p{N}'’./-]+\s+){1,5}?(?:est|sont|s['’]|c['’]est|a|ont|habite\w*|vit|travaille\w*|fait|commence\w*|ouvre\w*|ferme\w*|utilise\w*|préfère\w*|aime\w*|déteste\w*|mange\w*|parle\w*|joue\w*|coûte\w*|tourne\w*|va|vient|ne|n['’])`,
        ),
        pattern(
          String.raw`^(?:la|le|les|l['’])\s*(?:[\p{L}\p{N}'’./-]+\s+){1,4}?(?:est|sont|fait|se fait|ouvre|ferme|commence|tourne|coûte|a lieu|appartient)\s+\S+`,
        ),
      ],
      notKept: pattern(
        String.raw`\?|\b(?:je (?:te|vous)|t(?:on|a) (?:réponse|aide|idée)|\p{L}+(?:ère|ième|onde) (?:option|version|solution|variante)|une? (?:question|problème)|si (?:je|on|j|nous)|\p{L}+(?:rais|rait|rions|raient)|peut-être|imaginons|admettons|suppose|aujourd['’]hui|hier|demain|ce (?:matin|soir|midi)|cette (?:semaine|fois|nuit|fonction|erreur)|tout à l['’]heure|en ce moment|là maintenant|tout de suite|je (?:peux|pense|crois|trouve|vois|comprends|cherche|me demande|veux bien|voulais|dois|fais quoi|sais pas|suis (?:fatigué|crevé|lessivé|épuisé|mort|sous l|en train|perdu|bloqué))|j['’](?:espère|essaie|hésite|en ai|ai (?:besoin|envie|faim|oublié|essayé|lu|vu|reçu|ça|eu))|il (?:me )?faut|merci|désolée?|erreur|bug|plante|marche pas|fais-moi|donne-moi|peux-tu|tu peux|vous m|voici|voilà|dit que|m['’]a dit)\b`,
      ),
      asks: pattern(
        String.raw`^(?:fais|donne|mets|écris|rédige|corrige|trouve|propose|peux|relis|traduis|explique|résume|montre|aide|crée|(?!(?:ch|ass)ez\b)\p{L}{2,}ez|\p{L}+-(?:moi|nous|les?|la))\b|\bs['’]il (?:te|vous) pla[iî]t\b`,
      ),
      points: pattern(String.raw`\b(?:ça|cela|ceci|celui-ci|celle-ci|ce|ici|là)\b`),
      refers: pattern(String.raw`^(?:il|elle|ils|elles|c['’]est|ce|cela|ça|celui|celle|qui|dont)\b`),
      clauses: pattern(
        String.raw`\s*(?:[;:(–—]|,\s+(?:parce qu['e’]\s*|car |puisqu['e’]\s*|comme |et |mais |donc |sachant qu['e’]\s*|vu qu['e’]\s*)?|\s-+\s|\bparce qu(?:e |['’])|\bcar\b|\bsachant qu(?:e |['’])|\bvu qu(?:e |['’])|\bau fait\b,?)\s*`,
      ),
      follows: pattern(String.raw`,?\s+(?:donc|du coup|alors)\b.*$`),
      leading: pattern(
        String.raw`^(?:au fait|et|mais|donc|alors|ah|oh|bon|ok|oui|non|merci|pour info|pour rappel|parce qu(?:e|['’])|car|puisqu(?:e|['’])|sachant qu(?:e|['’])|vu qu(?:e|['’])|en fait|sinon|bref|attention|par contre|d['’]ailleurs|comme)[,:!]?\s*(?=\s|\p{L})`,
      ),
    },
  }),
);
