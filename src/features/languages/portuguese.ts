import { stemmer } from '@orama/stemmers/portuguese';
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
import { portugueseWords } from './portuguese-words.ts';

const NUMBERS = new Map<string, number>([
  ...counted(`zero _ dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezasseis dezassete dezoito
    dezanove vinte`),
  ...counted('_ _ duas'),
  ...(['trinta', 'quarenta', 'cinquenta', 'sessenta', 'setenta', 'oitenta', 'noventa'] as const).map(
    (word, at): [string, number] => [word, 30 + 10 * at],
  ),
  ['dezesseis', 16],
  ['dezessete', 17],
  ['dezenove', 19],
  ['cem', 100],
  ['cento', 100],
]);

const rootOf = withoutAccents(stemmer);

export const portuguese = whenRead(
  {
    code: 'pt',
    spelling: /[ãõâêôç]|(?:ão|ões|ção|inho|inha|os|as|dade|ar|er|ir|mente|o|a|ei)$|ei[rx]/,
    functionWords:
      setOf(`qual quais quanto quanta quantos quantas porquê aonde ando anda tenho temos têm vou vai faço minha fica ficou tinha foram pelos pelas pra dessa desse deste desta o a os as um uma uns umas de do da dos das e ou mas eu tu você vocês ele ela eles elas nós me te se nos lhe lhes
    é são era sou és somos está estão estou estamos foi há em no na nos nas num numa com por pelo pela para sobre entre até desde sem que
    quê quem qual quais onde quando como se não nem já mais muito bem também meu minha meus minhas teu tua seu sua seus suas nosso
    nossa nossos nossas este esta isto esse essa isso porque pois sim aqui aí cada agora ser assim à às ao aos dela dele tem ter tenho`),
    wordsOf: (text) => withNumbers(spacedWords(text), NUMBERS, 'e'),
    rootOf,
  },
  () => ({
    present: pattern(
      String.raw`\b(?:agora|atualmente|hoje em dia|neste momento|no momento|de momento|ultimamente)\b`,
      'g',
    ),
    statements: {
      limits:
        setOf(`não nunca jamais ninguém nada nenhum nenhuma sem salvo exceto só somente apenas pode poderia deve deveria se talvez
      provavelmente costuma vezes antes depois até desde antigo antiga ex previsto quer quero espero quase meio meia mas ainda também
      outro outra outros outras segundo segunda terceiro terceira próximo próxima último última já mal raramente odeio odeia detesto detesta evito evita contra`),
      negations: setOf('não nunca jamais ninguém nada nenhum nenhuma nem'),
      singleValued:
        setOf(`é era sou chama chamo vive vivo mora moro trabalha trabalho custa começa abre fecha acaba termina dura fica pesa mede
      conduz conduzo dirijo dorme durmo`),
      copulas: setOf('é era chama'),
      prepositions: setOf('a ao em no na com de do da por pelo pela para sobre entre desde até'),
      determiners: setOf(
        'o a os as um uma uns umas meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos nossas este esta esse essa',
      ),
      possessives: setOf('meu minha meus minhas nosso nossa nossos nossas seu sua'),
      lightWords:
        setOf(`uso usa usamos utilizo chama chamam chamo tem tenho têm temos ter faço faz fazer há vou vai vamos ir ponho pôr muito bem
      sempre cada tudo todo toda todos todas coisa vez vezes favor`),
      qualifiers: [
        setOf('manhã manhãs tarde tardes noite noites'),
        setOf('segunda terça quarta quinta sexta sábado sábados domingo domingos'),
        setOf('primeiro primeira segundo terceira terceiro último última'),
        setOf('staging produção testes local'),
        setOf('esquerda esquerdo direita direito superior inferior'),
      ],
      relatives:
        setOf(`mãe pai mamã papá irmã irmão filho filha mulher marido esposa esposo primo prima tia tio avó avô sobrinho sobrinha pais
      amigo amiga vizinho vizinha colega chefe namorado namorada sogra sogro cunhado cunhada neto neta`),
      speakers: setOf('eu me nós nos mim'),
      synonyms: synonymsOf(
        `começa inicia|vivo moro resido vive mora|carro automóvel|telemóvel celular telefone|chefe patrão|alérgico alérgica alergia|
      odeio detesto|curto breve conciso|computador portátil|renda aluguel`,
        rootOf,
      ),
      transitions: [
        {
          words: 'vivo moro mora mudei mudança casa apartamento',
          states: pattern(String.raw`\b(?:viv(?:o|e|emos)|mor(?:o|a|amos)|resid(?:o|e))\b`),
          changes: pattern(
            String.raw`\b(?:mud(?:ei|ou|ámos|amos|ado|ada)(?:-me|-nos)?|fui (?:viver|morar)|fomos (?:viver|morar)|nova (?:casa|morada)|novo apartamento)\b(?! de (?:emprego|trabalho|empresa))`,
          ),
          others: pattern(
            String.raw`\b(?:servidor(?:es)?|bases? de dados|banco de dados|escritório|dados|reunião|reuniões|equipa|equipe|site|domínio|conta|empresa|código|projeto|serviço|${PRODUCTS})\b`,
          ),
        },
        {
          words: 'trabalho trabalha emprego cargo contratado demiti',
          states: pattern(
            String.raw`\b(?:trabalh(?:o|a|amos)|empregad[oa]|sou \p{L}+(?:or|ora|eiro|eira|ista|ente))\b`,
          ),
          changes: pattern(
            String.raw`\b(?:novo (?:emprego|trabalho|cargo)|mud(?:ei|ou|ado) de (?:emprego|trabalho|empresa)|deixei (?:o|de) (?:emprego|trabalho|trabalhar)|despedi|demiti|fui contratad[oa]|contratad[oa]|reform(?:ei|ado|ada)|aposentei|comecei a trabalhar|comecei na)\b`,
          ),
          others: pattern(String.raw`\b(?:ginásio|academia|clube|coro|associação|banco|${PRODUCTS})\b`),
        },
      ],
      replaces: pattern(
        String.raw`\b(?:agora|a partir de|já não|deixei|deixou|deixámos|em vez de|no lugar de|substitu\p{L}+|troqu\p{L}+|troc(?:ou|ado|ámos|amos)|mud(?:ei|ou|ado|ada|ámos|amos|aram)|pass(?:ei|ou|ámos|amos|aram|ado) (?:a|para|de)|adi(?:ei|ou|ado|ada)|aument\p{L}+|sub(?:iu|iram)|baix(?:ou|aram|ei)|reduz\p{L}+|vend(?:i|eu|ido|emos)|comprei|novo|nova|não .{1,30} mais|desde (?:ontem|janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|a semana passada|há)|parei de|desisti)\b`,
      ),
      ordered: /prefir|prefer|\b(?:antes|depois|devo|deve)\b/i,
      dropsPronouns: true,
      purposes: setOf('para'),
      over: [
        pattern(String.raw`\b(?:em vez|no lugar|ao invés) d[eoa]s?\s+(?:o |a |os |as )?([\p{L}\p{N}.-]+)`),
        pattern(String.raw`\bjá não\s+\p{L}+\s+(?:(?:em|com|a|o|os|as|de|do|da|na|no)\s+)*([\p{L}\p{N}.-]+)`),
        pattern(
          String.raw`\b(?:deixei|deixou|deixámos|abandon\p{L}+|vendi|vendeu|vendemos|substituí|troquei|troc(?:ou|ámos|amos)|parei|desisti)\s+(?:de |do |da )?(?:o |a |os |as |meu |minha )*([\p{L}\p{N}.-]+)`,
        ),
        pattern(
          String.raw`\b(?:passámos|passamos|passei|mudei|mudámos|mudamos)\s+d[eoa]s?\s+([\p{L}\p{N}.-]+)\s+para\b`,
        ),
        pattern(
          String.raw`\b([\p{L}\p{N}.-]+)\s+(?:(?:já )?se (?:aposentou|mudou|demitiu)|(?:aposentou|mudou|reformou|demitiu)-se|foi embora|morreu|pifou|quebrou|fechou|faliu|estragou|avariou|pediu demissão|entrou de licença\S*)(?![\p{L}])`,
        ),
        pattern(
          String.raw`\b(?:afoguei|perdi|quebrei|parti|aposentei|larguei|cancelei|roubaram|vendi|doei)\s+(?:o |a |os |as |meu |minha )*([\p{L}\p{N}.-]+)`,
        ),
        pattern(String.raw`\b(?:adeus|tchau),?\s+(?:o |a |ao |à )?([\p{L}\p{N}.-]+)`),
      ],
    },
    search: portugueseWords(),
    said: {
      explicit: pattern(
        String.raw`\b(?:(?:por favor,? )?(?:lembra-te(?: de)?|lembre-se(?: de)?|tem em conta|tenha em conta|anota|anote|não te esqueças|não esqueça|para o futuro|fyi|a partir de agora|de agora em diante|daqui em diante)\b\s*[,:]?\s*(?:que\s+)?)(.+)$`,
      ),
      rules: [
        pattern(String.raw`^(?:e |mas |então )*(?:sempre|nunca|jamais)\s+\S+\s+\S+`),
        pattern(String.raw`^(?:responde|responda|escreve|escreva|usa|use|põe|trata-me)\b.*\b(?:sempre|nunca)\b`),
      ],
      stated: [
        pattern(
          String.raw`^(?:eu |nós |aqui |também |só |não |nunca |sempre |já |agora )*(?:sou|somos|vivo|vivemos|moro|moramos|trabalho|trabalhamos|uso|usamos|utilizo|prefiro|preferimos|odeio|detesto|gosto|adoro|tenho|temos|guardo|estudo|falo|falamos|jogo|toco|conduzo|dirijo|como|bebo|pago|pagamos|escrevo|ensino|dou aulas|cozinho|treino|corro|leio|coleciono)\b.+`,
        ),
        pattern(
          String.raw`^(?:o |a |os |as )?(?:meu|minha|meus|minhas|nosso|nossa|nossos|nossas)\s+(?:[\p{L}\p{N}'’./-]+\s+){1,5}?(?:é|são|se|chama|chama-se|vive|mora|trabalha|tem|têm|usa|abre|fecha|começa|custa|está|estão|vai|vão|não|come|fala|joga|estuda|prefere|odeia|quer|precisa)\b`,
        ),
        pattern(
          String.raw`^\p{L}+.*\b(?:todos os \S+|todas as \S+|cada \S+|às (?:segundas|terças|quartas|quintas|sextas)|aos (?:sábados|domingos))\b`,
        ),
        pattern(String.raw`^(?:decidimos|decidi|combinámos|passámos|mudámos|mudei|passei|mudei-me|mudámo-nos)\b.+`),
      ],
      notKept: pattern(
        String.raw`\?|^como (?:te|se|faço|posso|\p{L}+[aei]r)\b|\b(?:te \p{L}+o|tua (?:resposta|ajuda|ideia)|(?:primeir|segund|terceir|últim|outr)a (?:opção|versão|variante)|uma? (?:pergunta|dúvida|problema)|se (?:eu )?\p{L}+(?:sse|ssem)|\p{L}{2,}ria|talvez|imagina|suponha|hoje|ontem|amanhã|esta (?:manhã|tarde|noite|semana|vez|função)|este (?:erro|teste|ficheiro|arquivo)|neste momento|agora mesmo|acabei de|estou (?:cansad|fart|a tentar|tentando|a ver|presa|preso)\p{L}*|acho que|penso que|espero que|obrigad[oa]|desculpa|podes|pode me|ajuda-me|erro|falha|falhou)\b`,
      ),
      asks: pattern(
        String.raw`^(?:faça|escrev[ae]|traduza?|expli(?:ca|que)|resum[ae]|corri[gj][ae]|cri[ae]|ger[ae]|ajud[ae]|mostr[ae]|prepar[ae]|diga|\p{L}*[^o]-me)\b|\bpor favor\b`,
      ),
      points: pattern(String.raw`\b(?:isto|isso|aquilo|este|esta|esse|essa|aqui|ali|lá)\b`),
      refers: pattern(String.raw`^(?:isso|isto|esse|essa|este|esta|ele|ela|eles|elas|que|quem)\b`),
      clauses: pattern(
        String.raw`\s*(?:[;:(–—]|,\s+(?:(?:porque|que|já que|e|mas|pois|como|então)\b)?\s*|\s-+\s|\bporque\b|\bjá que\b|\baliás\b,?)\s*`,
      ),
      follows: pattern(String.raw`,?\s+(?:por isso|então|portanto)\b.*$`),
      leading: pattern(
        String.raw`^(?:aliás|e|mas|pois|bem|olha|ah|olá|sim|não,|ok|claro|porque|já que|que|além disso|ou seja|atenção|a propósito)[,:!.]?\s+`,
      ),
    },
  }),
);
