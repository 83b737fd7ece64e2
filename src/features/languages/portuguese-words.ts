import { pattern, type SearchWords } from './language.ts';

export const portugueseWords = (): SearchWords => ({
  framing: `onde aonde quando quem que quê qual quais como porque porquê quanto quanta quantos quantas diz diga dizer disse contei mencionei
    lembra lembras lembro sabe sabes saber pode podes poderia exatamente agora atualmente momento atual chama chamam chamo chamas nome
    nomes faço faz fazer fazes há tenho tem tens temos tinha sou é está estou era devo deve tipo última vez realmente ainda próprio algum
    alguma algo costumo costuma meu`,
  common: `dia dias semana mês meses ano anos hora horas minuto tempo manhã tarde noite bom boa novo nova grande pequeno primeiro primeira
    último próximo vou vai ir venho vem tomo toma uso usa usamos utilizo preciso fico fica encontro sempre nunca cada tudo todos toda dois
    duas três um homem mulher gente pessoa coisa parte lado lugar sítio número início cedo melhor importante juntos ponho põe passo passa
    mais menos cerca vezes dou dá ter levo leva`,
  asks: {
    place: pattern(String.raw`\b(?:a?onde|(?:que|qual) (?:a )?(?:cidade|rua|morada|endereço|país|bairro|lugar))\b`),
    time: pattern(String.raw`\b(?:quando|(?:a )?que horas?|que (?:dia|data|mês|ano)|desde quando)\b`),
    number: pattern(String.raw`\b(?:quant[oa]s?|qual (?:a )?(?:idade|número))\b`),
    name: pattern(String.raw`\b(?:quem|como se chamam?|nomes?)\b`),
  },
  past: pattern(
    String.raw`\b(?:antes|anteriormente|antigamente|originalmente|no início|antig[oa]s?|anterior(?:es)?|morava|vivia|trabalhava)\b`,
  ),
  meanings: `
    live: moro mora morar moramos vivo vive viver vivemos morada endereço resido residência mudei mudado mudança mudámos mudamos domicílio
    flat: apartamento casa habitação
    work: trabalho trabalha trabalhar trabalhamos emprego profissão empresa cargo contratado firma empregado ofício ganho posto
    boss: chefe patrão patroa supervisor supervisora gerente diretor diretora gestor
    colleague: colega colegas
    study: estudo estuda estudar estudos universidade faculdade licenciatura mestrado graduação curso
    school: escola aluno liceu turma creche infantário colégio
    partner: parceiro parceira marido mulher esposa esposo namorado namorada casado casada noivo noiva companheiro companheira
    child: crianças miúdos > filho filha filhos filhas bebé bebê gémeos gêmeos
    mother: mãe mamã
    father: pai papá
    parents: pais > mãe pai
    sibling: irmãos > irmã irmão
    grandmother: avó vovó
    grandfather: avô vovô
    family: família parentes > mãe pai irmã irmão filho filha tio tia primo
    pet: animal animais estimação bicho mascote > cão cadela cachorro cachorra gato gata hamster coelho papagaio pássaro peixe tartaruga cavalo
    dog: cão cadela cachorro cachorra > labrador caniche pastor
    cat: gato gata gatinho
    birthday: aniversário nasci nascimento anos
    age: idade anos
    phone: telefone telemóvel celular número > iphone pixel galaxy
    mail: email correio e-mail
    car: carro automóvel veículo conduzo conduzir dirijo guio > renault tesla fiat toyota volvo peugeot clio
    bike: bicicleta bike
    commute: trajeto vou transporte > metro metrô autocarro ônibus comboio trem bicicleta carro
    like: gosto adoro prefiro favorito favorita preferido preferida amo gosta
    hate: odeio detesto suporto
    eat: como comer comida prato jantar almoço refeição comido > pizza massa sopa salada bacalhau sushi feijoada francesinha
    drink: bebo beber bebida > café chá cerveja vinho água sumo suco
    breakfast: pequeno-almoço almoço café > torrada cereais aveia
    allergy: alergia alérgico alérgica intolerante intolerância alergias
    diet: vegetariano vegetariana vegano vegana dieta alimentação carne
    doctor: médico médica doutor doutora consulta > dentista cardiologista dermatologista pediatra oftalmologista
    dentist: dentista
    medicine: medicamento medicamentos remédio remédios comprimido comprimidos medicação inalador tratamento
    illness: doença doente sofro diagnóstico > diabetes asma enxaqueca hipertensão
    sport: desporto esporte treino treinar ginásio academia > corro correr natação nado futebol ténis tênis escalada ioga voleibol boxe remo caminhada surf
    run: corro correr corrida maratona
    hobby: passatempo hobby livres lazer > pinto pintura fotografia cerâmica tricô coleciono jardinagem xadrez escalada caminhadas danço
    instrument: instrumento toco tocar toca > piano guitarra violão violino violoncelo flauta bateria trompete saxofone acordeão
    music: música banda canção cantor ouço concerto
    read: leio ler livro livros romance autor autora leitura lendo
    film: filme filmes série séries cinema vejo assisto
    game: jogo jogos videojogo jogar
    language: língua línguas idioma falo falar aprendo aprender > português inglês francês alemão espanhol italiano polaco russo chinês japonês mandarim
    travel: férias viagem viajar viajei voo avião viajo destino
    money: salário ordenado ganho rendimento vencimento
    price: custa custo preço pago pagar euros reais renda aluguel mensalidade
    bank: banco conta
    insurance: seguro segurado seguradora apólice
    rent: renda aluguel contrato senhorio arrendamento
    meeting: reunião encontro consulta marcação
    deadline: prazo entrega entregar data limite
    begin: começa começo começar início inicia
    end: termina acaba fim terminar
    open: abre aberto horário abertura fecha
    wake: levanto acordo acordar despertador
    sleep: durmo dormir deito cama sono
    wedding: casamento casei casámos casar casado
    buy: comprei comprado compro comprar compra
    gift: presente prenda ofereci ofereceu oferecer
    clothes: roupa > sapatos calças camisa casaco vestido
    size: tamanho altura meço calço cm
    color: cor > vermelho azul verde amarelo turquesa preto branco roxo laranja
    computer: computador portátil notebook pc > macbook thinkpad
    editor: editor ide > vim neovim emacs vscode
    system: sistema operativo operacional > linux ubuntu windows macos debian
    programming: programação programo código linguagem desenvolvo > python rust typescript java go kotlin javascript
    database: base banco dados > postgresql postgres mysql sqlite mariadb
    server: servidor alojamento hospedado > hetzner aws azure
    password: senha palavra-passe código
    wifi: wifi internet router
    project: projeto
    customer: cliente clientes
    weekday: dia > segunda terça quarta quinta sexta sábado domingo segunda-feira terça-feira quarta-feira quinta-feira sexta-feira
    garden: jardim horta varanda plantas > tomates rosas
    meat: carne > frango vaca porco
    alcohol: álcool > cerveja vinho
    fruit: fruta frutas > maçã morango banana kiwi
    city: cidade
    country: país origem
    grow: cresci infância nasci criado criada origem
    club: clube associação coro membro sócio
    volunteer: voluntário voluntária voluntariado
    course: curso aulas aprendo formação
    glasses: óculos lentes visão
    fear: medo receio fobia
    smoke: fumo fumar tabaco cigarros
    hairdresser: cabeleireiro cabeleireira barbeiro
    therapist: terapeuta fisioterapeuta psicóloga psicólogo terapia
    repair: oficina reparação conserto mecânico
    key: chave chaves cópia
    office: escritório teletrabalho
    parking: estacionamento garagem estaciono
    cook: cozinho cozinhar receita
    collect: coleciono coleção
    neighbor: vizinho vizinha vizinhos
    sick: doente doença lesão parti operado operação cirurgia
    restaurant: restaurante café bar
    shop: loja supermercado mercado padaria
    teacher: professor professora treinador treinadora
    newspaper: jornal assinatura assino revista subscrição
    save: poupo poupar poupança economizo
    religion: religião fé igreja > católico protestante muçulmano judeu budista
    license: carta carteira passaporte cartão
    blood: sangue sanguíneo
    weight: peso quilos
    goal: objetivo meta plano quero
    leader: dirijo lidero responsável chefio
    profession: profissão trabalho trabalha emprego vida ganho ofício > enfermeiro enfermeira médico médica professor professora engenheiro engenheira carpinteiro cozinheiro cozinheira padeiro advogado advogada contabilista contador programador programadora arquiteto arquiteta designer jornalista vendedora parteira fisioterapeuta terapeuta veterinário veterinária farmacêutico farmacêutica eletricista jardineiro fotógrafo fotógrafa polícia cabeleireira bibliotecário bibliotecária investigador investigadora pesquisador tradutor tradutora livreira funcionária freelancer apicultor restauradora
    tax: impostos irs finanças contabilista declaração
    notes: notas apontamentos caderno > obsidian notion
    backup: cópia cópias segurança disco nas
    nickname: alcunha apelido tratam
    shift: turno turnos horário noite
    snack: petisco lanche doce > chocolate batatas bolachas
    dessert: sobremesa bolo doce > tiramisu gelado pudim
    podcast: podcast ouço
    donate: doação doo apoio
    team: equipa equipe adepto adepta torço clube
    together: colega casa partilho divido
    thesis: tese mestrado doutoramento dissertação
    injury: lesão joelho costas ombro fratura parti operado
    train: comboio trem estação
    delivery: encomenda entrega pacote
    answer: resposta respostas responde curto conciso`,
});
