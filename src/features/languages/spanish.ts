import { stemmer } from '@orama/stemmers/spanish';
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
import { spanishWords } from './spanish-words.ts';

const NUMBERS = new Map<string, number>([
  ...counted(`cero _ dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho
    diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve
    treinta`),
  ['cuarenta', 40],
  ['cincuenta', 50],
  ['sesenta', 60],
  ['setenta', 70],
  ['ochenta', 80],
  ['noventa', 90],
  ['cien', 100],
  ['ciento', 100],
]);

const rootOf = withoutAccents(stemmer);

export const spanish = whenRead(
  {
    code: 'es',
    spelling: /[áíóúñ]|(?:os|as|ción|dad|ar|er|ir|mente|o|a)$/,
    functionWords:
      setOf(`dónde cuándo cuál cuáles cómo cuánto cuánta cuántos cuántas quién quiénes adónde tengo tiene tenemos hago mío el la los las un una unos unas de del al y e o u pero yo tú él ella nosotros ustedes ellos ellas me te se nos lo le
    les es son era soy eres somos está están estoy estamos ha he han hemos hay a en con por para sobre entre hasta desde sin que
    qué quien cual donde cuando como si no ni ya más muy bien también mi mis tu tus su sus nuestro nuestra nuestros nuestras este
    esta esto estos estas ese esa eso porque pues sí aquí ahí cada ahora desde hace ser así ese esa cuando`),
    wordsOf: (text) => withNumbers(spacedWords(text), NUMBERS, 'y'),
    rootOf,
  },
  () => ({
    present: pattern('\\b(?:ahora(?: mismo)?|actualmente|hoy en día|en este momento|últimamente)\\b', 'g'),
    statements: {
      limits:
        setOf(`no nunca jamás nadie nada ningún ninguna ninguno sin salvo excepto solo sólo puede podría debe debería si quizá quizás
      probablemente suele veces antes después hasta desde antiguo antigua exnovio ex previsto quiere quiero espera casi medio media
      vez pero sino todavía aún también otro otra otros otras segundo segunda tercer tercero próximo próxima último última ya apenas raramente odio odia detesto detesta evito evita contra`),
      negations: setOf('no nunca jamás nadie nada ningún ninguna ninguno ni'),
      singleValued:
        setOf(`es era soy llama llamo vive vivo vivimos trabaja trabajo trabajamos cuesta empieza comienza abre cierra acaba
      termina dura está pesa mide conduce conduzco pasa duerme duermo queda lleva celebra reúne guarda guardo guardamos`),
      copulas: setOf('es era llama'),
      prepositions: setOf('a al en con de del por para sobre bajo entre tras desde hasta'),
      determiners: setOf(
        'el la los las un una unos unas mi mis tu tus su sus nuestro nuestra nuestros nuestras este esta ese esa',
      ),
      possessives: setOf('mi mis nuestro nuestra nuestros nuestras su sus'),
      lightWords:
        setOf(`usa uso usamos utiliza utilizo utilizamos llama llaman llamo tiene tengo tienen tenemos tener hace hago hacer hay va voy vamos ir pone pongo poner muy bien siempre cada todo toda
      todos todas cosa vez veces favor toma tomo`),
      qualifiers: [
        setOf('mañana mañanas tarde tardes noche noches mediodía'),
        setOf('lunes martes miércoles jueves viernes sábado sábados domingo domingos'),
        setOf('primer primero primera segundo segunda tercer tercero tercera último última'),
        setOf('staging producción pruebas local preproducción'),
        setOf('izquierda izquierdo derecha derecho superior inferior delantero trasero'),
      ],
      relatives:
        setOf(`madre padre mamá papá hermana hermano hijo hija mujer marido esposa esposo primo prima tía tío abuela abuelo sobrino
      sobrina padres amigo amiga vecino vecina compañero compañera jefe jefa novio novia pareja suegra suegro cuñado cuñada nieto
      nieta`),
      speakers: setOf('yo me nosotros nosotras nos'),
      synonyms: synonymsOf(
        `empieza comienza|vive vivo reside|trabaja curra curro|coche carro auto|móvil celular teléfono|jefe jefa responsable|
      alérgico alérgica alergia|odio detesto soporto|corto breve conciso|reunión junta|ordenador computadora portátil|
      cuota precio mensualidad|abre apertura|cierra cerrado`,
        rootOf,
      ),
      transitions: [
        {
          words: 'vivo vive vivimos mudado mudamos mudé piso casa',
          states: pattern(
            String.raw`\b(?:viv(?:o|e|imos|en)|resid(?:o|e)|domicilio es)\b(?=.{0,40}\b(?:en|con|cerca)\b)`,
          ),
          changes: pattern(
            String.raw`\b(?:mud(?:é|ó|ado|ada|amos|aron|ados)|me fui a vivir|nos fuimos a vivir|nuevo piso|(?:comprado|alquilado|comprado) una? (?:piso|casa|caserío|apartamento)|nueva (?:casa|dirección)|trasladé|trasladado|trasladamos)\b`,
          ),
          others: pattern(
            String.raw`\b(?:servidor(?:es)?|bases? de datos|oficinas?|datos|copias|reunión|reuniones|equipo|web|dominio|cuenta|empresa|código|repositorio|proyecto|servicio|${PRODUCTS})\b`,
          ),
        },
        {
          words: 'trabajo trabaja empleo puesto dejé contratado fichado',
          states: pattern(
            String.raw`\b(?:trabaj(?:o|a|amos)|curro|empleado|empleada)\b(?=.{0,40}\b(?:en|de|como|para)\b)`,
          ),
          changes: pattern(
            String.raw`\b(?:nuevo (?:trabajo|empleo|puesto|curro)|cambi(?:é|ado) de (?:trabajo|empresa|curro|puesto)|dej(?:é|ado) (?:el|mi|la|de) (?:trabajo|empleo|curro|puesto|trabajar|empresa)|(?<=\bme (?:han?|había[n]?) |\b(?:fui|sido|estoy) )(?:contratad[oa]|fichad[oa])|jubil(?:é|ado|ada)|despidieron)\b`,
          ),
          others: pattern(String.raw`\b(?:gimnasio|club|coro|asociación|banco|proveedor|tarifa|${PRODUCTS})\b`),
        },
      ],
      replaces: pattern(
        String.raw`\b(?:ahora|desde ahora|a partir de|ya no|en (?:vez|lugar) de|sustitu\p{L}+|reemplaz\p{L}+|cambi(?:ó|é|ado|ada|aron|amos|an)|pas(?:a|an|ó|amos|ado|aron|é) (?:a|al|de)|ni lo abro|dado de (?:alta|baja)|mov(?:ió|ido|ieron)|traslad\p{L}+|aplaz\p{L}+|salen? este|suman|adelant(?:ó|ado|aron)|retras(?:ó|ado|aron)|sub(?:ió|ido|ieron|en)|baj(?:ó|ado|aron)|aument\p{L}+|redu(?:jo|cido|jeron)|dej(?:é|ó|ado|amos|aron)|migr(?:ó|amos|ado)|vend(?:í|ió|ido|imos)|renombr\p{L}+|nuevo|nueva|últimamente)\b`,
      ),
      ordered: /prefier|prefer|\b(?:antes|después|debo|debe)\b/i,
      dropsPronouns: true,
      purposes: setOf('para'),
      over: [
        pattern(
          String.raw`\b((?:[\p{L}\p{N}.-]+\s+){1,4}?)(?:lo|la|los|las)\s+(?:he\s+|hemos\s+)?(?:cambi|vend|dej|sustitu|reemplaz|tir|devolv|devuelt)\p{L}+`,
        ),
        pattern(String.raw`\ben (?:vez|lugar) de\s+(?:en |con |a |el |la |los |las |mi )*([\p{L}\p{N}.-]+)`),
        pattern(String.raw`\bya no\s+\p{L}+\s+(?:(?:en|con|a|el|la|los|las|de|del|por|al)\s+)*([\p{L}\p{N}.-]+)`),
        pattern(
          String.raw`\b(?:dejé|dejó|dejado|dejamos|abandon\p{L}+|vendí|vendió|vendido|vendimos|sustituí|sustituido|cambié|cambiado|cambiamos|tiré)\s+(?:de |a |por )?(?:el |la |los |las |mi |mis |nuestro |nuestra )?([\p{L}\p{N}.-]+)`,
        ),
        pattern(String.raw`\b(?:pasamos|pasado|pasé|migramos|cambiamos)\s+de\s+([\p{L}\p{N}.-]+)\s+a\b`),
        pattern(
          String.raw`\b((?:[\p{L}\p{N}.-]+\s+){1,3})(?:ya (?:ni|no) (?:lo|la|los|las) \p{L}+|se jubiló|se ha jubilado|se fue|se marchó|cerró|murió)\b`,
        ),
        pattern(
          String.raw`\b([\p{L}\p{N}.-]+)\s+(?:se (?:me |nos )?(?:(?:ha|han) (?:ido|marchado|jubilado|roto|estropeado|mudado)|fue|marchó|jubiló|rompió|estropeó|mudó)|(?:ha|han) (?:muerto|cerrado|chapado|dimitido|quebrado|palmado)|murió|cerró|dimitió|palmó|quebró)\b`,
        ),
        pattern(
          String.raw`\b(?:me|nos) (?:han )?(?:robaron|robado|mangaron|mangado)\s+(?:el |la |los |las |mi )?([\p{L}\p{N}.-]+)`,
        ),
        pattern(String.raw`\b(?:adiós|se acabó)\s+(?:a )?(?:al |el |la |los |las )?([\p{L}\p{N}.-]+)`),
      ],
    },
    search: spanishWords(),
    said: {
      explicit: pattern(
        String.raw`\b(?:(?:por favor,? )?(?:recuerda|acuérdate(?: de)?|ten en cuenta|apunta|anota|no olvides|para (?:la próxima|que lo sepas|el futuro)|fyi|de ahora en adelante|a partir de ahora|desde ahora|en adelante)\b\s*[,:]?\s*(?:que\s+)?)(.+)$`,
      ),
      rules: [
        pattern(String.raw`^(?:y |pero |así que )*(?:siempre|nunca|jamás)\s+\S+\s+\S+`),
        pattern(
          String.raw`^(?:responde|escribe|escríbeme|usa|pon|ponme|contesta|tutéame|firma)\w*\b.*\b(?:siempre|nunca)\b`,
        ),
      ],
      stated: [
        pattern(
          String.raw`^(?:(?:aquí|en \p{L}+(?: \p{L}+)?|los \p{L}+|las \p{L}+|yo|nosotros|ya|siempre|nunca|ahora|también|solo|no)\s+(?:los |las |lo |la |me |nos |se |mi |no |siempre |nunca |ya ){0,2}){0,2}(?:soy|somos|vivo|vivimos|trabajo|trabajamos|uso|usamos|utilizo|utilizamos|prefiero|preferimos|odio|detesto|tengo|tenemos|llevo|llevamos|guardo|guardamos|salgo|salimos|voy|vamos|estudio|estudiamos|hablo|hablamos|juego|conduzco|como|comemos|bebo|bebemos|escribo|escribimos|vendo|vendemos|abro|abrimos|cierro|cerramos|cobro|cobramos|doy|damos|toco|desplegamos|alojamos|programo|programamos|cuido|cultivo|pago|pagamos|hago|hacemos|me \p{L}+o|nos \p{L}+mos|me \p{L}+(?:a|an)|soporto|aguanto|puedo comer|bebo|facturo|facturamos|curro|entreno|dirijo|llamo|monto|atiendo|atendemos|quiero (?:siempre|nunca|que)|reparto|crío)\b.+`,
        ),
        pattern(String.raw`^(?:soy|somos)\s+\S+`),
        pattern(
          String.raw`^(?:(?:en|a|con|para|por|desde|de)\s+(?:el |la |los |las |mi |nuestro |nuestra )?\p{L}+(?: \p{L}+)?,?\s+)?(?:nos |me |los |las |lo |la |no )*\p{L}+(?:amos|emos|imos)\b\s+\S+`,
        ),
        pattern(String.raw`^.{3,40}\s(?:me|nos) (?:da|dan|gusta|gustan|encanta|molesta|sienta|sientan)\b`),
        pattern(
          String.raw`^(?!haz|dame|pon|busca|escribe|prepara|organiza|redacta)(?:el|la|los|las)\s+.{3,60}\s(?:los|las|lo|la|se)\s+\p{L}+`,
        ),
        pattern(
          String.raw`^\p{L}+.*\b(?:todos los \S+|todas las \S+|cada \S+|los (?:lunes|martes|miércoles|jueves|viernes|sábados|domingos)|por las (?:mañanas|tardes|noches))\b`,
        ),
        pattern(
          String.raw`^(?:mi|mis|nuestro|nuestra|nuestros|nuestras)\s+(?:[\p{L}\p{N}'’./-]+\s+){1,5}?(?:es|son|se|vive|viven|trabaja|tiene|tienen|usa|abre|cierra|empieza|cuesta|está|están|va|van|no|come|habla|juega|estudia|cumple|escucha|prefiere|odia|quiere|necesita|viene|lleva|le)\b`,
        ),
        pattern(
          String.raw`^(?:nos|me)\s+(?:pasamos|cambiamos|mudamos|decidimos|quedamos)\b.+|^(?:decidimos|acordamos|hemos (?:decidido|acordado|pasado|cambiado))\b.+`,
        ),
        pattern(
          String.raw`^(?:el|la|los|las)\s+(?:[\p{L}\p{N}'’./-]+\s+){1,5}?(?:es|son|está|están|abre|cierra|empieza|cuesta|se llama|la llevamos|las llevamos|los llevamos|lo llevamos|las guardamos|los guardamos|la hacemos|los hacemos|corre|vive)\s+\S+`,
        ),
      ],
      notKept: pattern(
        String.raw`\?|^como (?:te|se|\p{L}+[aei]r)\b|\b(?:te \p{L}+o|tu (?:respuesta|ayuda|idea)|(?:primer|segund|tercer|últim|otr)a (?:opción|versión|variante)|un[ao]? (?:pregunta|duda|problema)|si (?:yo )?\p{L}+(?:ra|ras|ramos|se)|\p{L}{2,}r(?:ía|ías|íamos|ían)|quizás?|tal vez|a lo mejor|imagina|supongamos|hoy|ayer|mañana (?:por|tengo|voy|salgo)|esta (?:mañana|tarde|noche|semana|vez|función)|este (?:finde|error|test|lunes|mes|archivo)|ahora mismo|justo|de momento|en este momento|estoy (?:cansad|hart|liad|intentando|probando|viendo|atascad)\p{L}*|creo|pienso que|supongo|me pregunto|necesito|quiero que|quería|espero|intento|he (?:probado|intentado|visto|leído)|leí|gracias|perdón|perdona|error|falla|fallo|roto|me (?:sale|da|suelta|dijo|ha dicho|parece)|hazme|dame|puedes|podrías|explícame|ponme|menudo|vaya|puf)\b`,
      ),
      asks: pattern(
        String.raw`^(?:haz|dame|dime|pon|busca|escribe|prepara|organiza|redacta|traduce|explica|resume|corrige|crea|genera|ayuda|muestra)(?:me|nos|l[aeo]s?)?\b|\bpor favor\b`,
      ),
      points: pattern(String.raw`\b(?:esto|eso|aquello|este|esta|ese|esa|aquí|ahí|allí)\b`),
      refers: pattern(String.raw`^(?:eso|esto|ese|esa|este|esta|él|ella|ellos|ellas|que|lo cual|quien)\b`),
      clauses: pattern(
        String.raw`\s*(?:[;:(–—]|,\s+(?:(?:porque|que|ya que|y|pero|pues|como|así que|es que)\b)?\s*|\s-+\s|\bporque\b|\bya que\b|\by (?=mi|nuestr|vivo|tengo|soy|los |las |el |la )|\bpor cierto\b,?)\s*`,
      ),
      follows: pattern(String.raw`,?\s+(?:así que|por eso|o sea que)\b.*$`),
      leading: pattern(
        String.raw`^(?:por cierto|y|pero|pues|bueno|vale|oye|ah|hola|sí|no,|ok|claro|genial|porque|ya que|que|es que|además|es decir|o sea|aviso|ojo|ya|total|luego|una cosa más|de paso|para que conste)[,:!.]?\s+`,
      ),
    },
  }),
);
