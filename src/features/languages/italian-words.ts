import { pattern, type SearchWords } from './language.ts';

export const italianWords = (): SearchWords => ({
  framing: `dove quando chi che cosa quale quali come perché quanto quanta quanti quante dimmi dire detto raccontato menzionato ricordi
    ricorda ricordo sai sapere puoi potresti esattamente adesso ora attualmente momento attuale chiama chiamano chiamo chiami nome nomi
    faccio fa fare fai facciamo ho hai ha abbiamo avevo sono è era devo deve tipo genere ultima volta davvero ancora proprio qualche
    cos dov com qual po solito`,
  common: `giorno giorni settimana mese mesi anno anni ora ore minuto tempo mattina sera notte mezzogiorno buono buona nuovo nuova grande
    piccolo primo prima ultimo prossimo vado va andare vengo viene prendo prende uso usa usiamo utilizzo bisogno resto resta trovo sempre
    mai ogni tutto tutti tutta due tre uno uomo donna gente persona parte lato luogo posto numero inizio presto tardi meglio importante
    insieme metto mette passo passa più meno circa volte do dà avere tengo`,
  asks: {
    place: pattern(String.raw`\b(?:dove|dov['’]è|quale (?:città|via|indirizzo|paese|quartiere)|che città)\b`),
    time: pattern(String.raw`\b(?:quando|a che ora|che (?:ora|ore|giorno|data|mese|anno)|da quando|quale giorno)\b`),
    number: pattern(String.raw`\b(?:quant[oaie]|che (?:età|numero|taglia))\b`),
    name: pattern(String.raw`\b(?:chi|come si chiama(?:no)?|nomi?)\b`),
  },
  past: pattern(
    String.raw`\b(?:prima|precedente(?:mente)?|un tempo|originariamente|all['’]inizio|ex|vecchi[oa]|abitavo|vivevo|lavoravo)\b`,
  ),
  meanings: `
    live: abito abita abitare abitiamo vivo vive vivere viviamo domicilio indirizzo risiedo residenza trasferito trasferita traslocato trasloco trasferiti
    flat: appartamento casa alloggio monolocale
    work: lavoro lavora lavorare lavoriamo impiego mestiere professione posto azienda ditta assunto assunta impiegato società occupo
    boss: capo responsabile superiore direttore direttrice manager titolare
    colleague: collega colleghi colleghe
    study: studio studia studiare studi università laurea facoltà magistrale triennale laureata laureato corso
    school: scuola alunno liceo classe asilo elementare
    partner: compagno compagna marito moglie ragazzo ragazza fidanzato fidanzata sposato sposata coniuge
    child: bambini prole > figlio figlia figli figlie bebè gemelli
    mother: madre mamma
    father: padre papà babbo
    parents: genitori > madre padre
    sibling: fratelli > sorella fratello
    grandmother: nonna
    grandfather: nonno
    family: famiglia parenti > madre padre sorella fratello figlio figlia zio zia cugino
    pet: animale animali domestico > cane cagna gatto gatta criceto coniglio pappagallo uccello pesce tartaruga cavallo
    dog: cane cagna cucciolo > labrador barboncino pastore
    cat: gatto gatta gattino
    birthday: compleanno nato nata nascita
    age: età anni
    phone: telefono cellulare smartphone telefonino numero > iphone pixel galaxy
    mail: mail email posta
    car: auto macchina automobile vettura guido guidare > fiat panda tesla alfa toyota volvo renault
    bike: bici bicicletta
    commute: tragitto vado > metro autobus treno bici tram
    like: piace piacciono adoro preferisco preferito preferita amo
    hate: odio detesto sopporto
    eat: mangio mangiare cibo piatto cena pranzo mangiato > pizza pasta zuppa insalata risotto sushi lasagne gnocchi tortellini
    drink: bevo bere bevanda > caffè tè birra vino acqua succo
    breakfast: colazione > cornetto cereali brioche
    allergy: allergia allergico allergica intollerante intolleranza allergie
    diet: vegetariano vegetariana vegano vegana dieta alimentazione carne
    doctor: medico dottore dottoressa curante > dentista cardiologo dermatologa pediatra oculista
    dentist: dentista
    medicine: medicina medicine farmaco farmaci pastiglia pastiglie pillola cura inalatore medicinale
    illness: malattia malato soffro diagnosi > diabete asma emicrania ipertensione
    sport: sport allenamento alleno palestra > corro correre nuoto nuotare calcio tennis arrampicata yoga pallavolo padel boxe canottaggio escursionismo
    run: corro correre corsa maratona
    hobby: hobby passatempo passione libero > dipingo pittura fotografia ceramica maglia colleziono giardinaggio scacchi arrampicata trekking ballo
    instrument: strumento suono suonare suona > pianoforte chitarra violino violoncello flauto batteria tromba sassofono fisarmonica
    music: musica gruppo canzone cantante ascolto concerto
    read: leggo leggere libro libri romanzo autore autrice lettura leggendo
    film: film serie cinema guardo
    game: gioco giochi videogioco giocare
    language: lingua lingue parlo parlare imparo > italiano inglese francese tedesco spagnolo portoghese polacco russo cinese giapponese
    travel: vacanza vacanze viaggio viaggiare viaggi volo aereo meta
    money: stipendio guadagno reddito paga
    price: costa costo prezzo pago pagare euro affitto quota canone
    bank: banca conto
    insurance: assicurazione assicurato polizza
    rent: affitto contratto padrone proprietario
    meeting: riunione appuntamento incontro
    deadline: scadenza consegna consegnare termine scade
    begin: inizia comincia iniziare inizio cominciare
    end: finisce termina fine finire
    open: apre aperto orario apertura chiude
    wake: alzo alzarmi sveglia sveglio
    sleep: dormo dormire letto sonno
    wedding: matrimonio sposato sposata sposarmi nozze sposati
    buy: comprato compro comprare acquistato acquisto
    gift: regalo regalato regalare
    clothes: vestiti abbigliamento > scarpe pantaloni camicia giacca vestito
    size: taglia altezza alto misura cm porto
    color: colore > rosso blu verde giallo turchese nero bianco viola arancione azzurro
    computer: computer portatile pc > macbook thinkpad
    editor: editor ide > vim neovim emacs vscode
    system: sistema operativo > linux ubuntu windows macos debian
    programming: programmazione programmo codice linguaggio sviluppo > python rust typescript java go kotlin javascript
    database: database dati > postgresql postgres mysql sqlite mariadb
    server: server hosting ospitato > hetzner aws azure
    password: password codice
    wifi: wifi internet router
    project: progetto
    customer: cliente clienti
    weekday: giorno > lunedì martedì mercoledì giovedì venerdì sabato domenica
    garden: giardino orto balcone piante > pomodori rose
    meat: carne > pollo manzo maiale
    alcohol: alcol alcolici > birra vino
    fruit: frutta frutto > mela fragola banana kiwi
    city: città
    country: paese origine
    grow: cresciuto cresciuta infanzia nato nata origine
    club: club associazione coro membro
    volunteer: volontario volontaria volontariato
    course: corso lezione lezioni imparo
    glasses: occhiali lenti vista
    fear: paura temo fobia
    smoke: fumo fumare sigarette
    hairdresser: parrucchiere parrucchiera barbiere
    therapist: terapeuta fisioterapista psicologa psicologo terapia
    repair: officina riparazione meccanico
    key: chiave chiavi copia
    office: ufficio telelavoro smart
    parking: parcheggio garage parcheggio posto
    cook: cucino cucinare ricetta
    collect: colleziono collezione
    neighbor: vicino vicina vicini
    sick: malato malattia infortunio rotto operato operazione
    restaurant: ristorante trattoria bar osteria
    shop: negozio supermercato mercato panetteria
    teacher: insegnante professore professoressa maestro maestra allenatore
    newspaper: giornale abbonato abbonamento abbonata rivista
    save: risparmio risparmiare risparmi
    religion: religione fede chiesa > cattolico protestante musulmano ebreo buddista
    license: patente passaporto carta
    blood: sangue sanguigno
    weight: peso chili
    goal: obiettivo meta voglio piano
    leader: dirigo dirige responsabile guida
    profession: professione lavoro lavora mestiere vivere vita impiego occupo > infermiere infermiera medico insegnante professore professoressa maestra ingegnere falegname cuoco cuoca panettiere avvocato avvocata contabile commercialista programmatore programmatrice sviluppatore architetto grafico grafica giornalista commessa ostetrica logopedista veterinario veterinaria farmacista elettricista giardiniere fotografo fotografa poliziotto parrucchiera bibliotecario bibliotecaria ricercatore ricercatrice traduttore traduttrice libraia impiegata restauratrice autonomo freelance
    tax: tasse dichiarazione redditi commercialista fisco
    notes: note appunti taccuino > obsidian notion
    backup: backup copia copie disco nas
    nickname: soprannome chiamano nomignolo
    shift: turno turni orario notte
    snack: spuntino merenda dolce > cioccolato patatine biscotti
    dessert: dolce dessert torta > tiramisù gelato
    podcast: podcast ascolto
    donate: dono donazione beneficenza sostengo
    team: squadra tifo tifoso tifosa
    together: coinquilino coinquilina convivo
    thesis: tesi dottorato laurea
    injury: infortunio ginocchio schiena spalla frattura rotto operato
    train: treno stazione frecciarossa
    delivery: pacco consegna ordine
    answer: risposta risposte rispondi breve conciso`,
});
