import { pattern, type SearchWords } from './language.ts';

export const frenchWords = (): SearchWords => ({
  framing: `où quand qui que quoi quel quelle quels quelles comment pourquoi combien lequel laquelle depuis est-ce qu quelqu dis dire dit
    raconté mentionné rappelle rappelles souviens sais savoir connais peux pourrais exactement déjà actuellement moment actuel actuelle
    maintenant appelle appelles appelé nom prénom fait faire fais faites y a-t-il ai as avons avez ont avais sont suis était dois doit
    faut sorte type genre dernière fois vraiment encore propre mes tes quelque chose`,
  common: `jour jours semaine mois an ans année heure heures minute temps matin soir nuit midi bon bonne nouveau nouvelle nouvel grand
    grande petit petite premier dernière dernier prochain vais va aller viens vient venir prends prend prendre utilise utilisons besoin
    reste trouve toujours jamais chaque tout tous toute deux trois une homme femme gens personne chose partie côté lieu place numéro
    début tôt tard mieux important ensemble met mets mettre passe faire fait plus moins environ souvent donne avoir`,
  asks: {
    place: pattern(String.raw`\b(?:où|quelle (?:ville|rue|adresse)|quel (?:pays|endroit|quartier))\b`),
    time: pattern(String.raw`\b(?:quand|quelle (?:heure|date|année)|quel (?:jour|mois)|depuis combien)\b`),
    number: pattern(String.raw`\b(?:combien|quel âge|quelle (?:taille|pointure)|quel numéro)\b`),
    name: pattern(String.raw`\b(?:qui|comment s['’]appell\p{L}+|noms?|prénom)\b`),
  },
  past: pattern(
    String.raw`\b(?:avant|autrefois|auparavant|jadis|à l['’]origine|au début|ancien(?:ne)?s?|précédent\p{L}*|habitais|travaillais)\b`,
  ),
  meanings: `
    live: habite habiter habitons vis vivre vivons vit domicile logement adresse loge déménagé déménagement installé installée emménagé réside
    flat: appartement maison logement studio
    work: travaille travailler travail emploi métier boulot profession poste employeur entreprise bosse embauché société gagne boîte
    boss: chef cheffe patron patronne responsable manager supérieur supérieure directrice directeur
    colleague: collègue collègues
    study: étudie études étudiant étudiante université fac licence master diplôme filière
    school: école élève lycée collège classe crèche maternelle
    partner: compagnon compagne mari femme épouse époux conjoint copain copine fiancé fiancée marié mariée partenaire
    child: enfant enfants gosse > fils fille filles bébé jumeaux
    mother: mère maman
    father: père papa
    parents: parents > mère père
    sibling: frères fratrie > soeur sœur frère
    grandmother: grand-mère mamie mémé
    grandfather: grand-père papi pépé
    family: famille > mère père soeur sœur frère fils fille oncle tante cousin
    pet: animal animaux compagnie > chien chienne chat chatte hamster lapin perroquet oiseau poisson tortue cheval
    dog: chien chienne chiot > labrador caniche berger teckel
    cat: chat chatte chaton
    birthday: anniversaire né née naissance
    age: âge ans
    phone: téléphone portable mobile smartphone numéro > iphone pixel galaxy
    mail: mail email courriel e-mail
    car: voiture auto véhicule conduis conduire roule > renault peugeot clio tesla citroën toyota volvo dacia
    bike: vélo bicyclette > vtt
    commute: trajet transport vais > métro bus train vélo tram rer
    like: aime adore préfère préféré préférée favori favorite plaît
    hate: déteste horreur supporte
    eat: mange manger plat repas nourriture cuisine dîner déjeuner mangé > pizza pâtes soupe salade curry sushi ratatouille fromage gratin couscous
    drink: bois boire boisson boit > café thé bière vin eau jus
    breakfast: petit-déjeuner matin > croissant tartine céréales
    allergy: allergie allergique intolérant intolérante intolérance supporte
    diet: végétarien végétarienne végane végan régime alimentation viande
    doctor: médecin docteur docteure généraliste cabinet > dentiste cardiologue dermatologue pédiatre ophtalmo
    dentist: dentiste
    medicine: médicament médicaments comprimé comprimés traitement pilule remède inhalateur
    illness: maladie malade souffre diagnostic > diabète asthme migraine hypertension
    sport: sport entraîne entraînement sportif sportive gym salle > cours courir natation nage football tennis escalade yoga volley rugby boxe aviron randonnée
    run: cours courir course footing marathon jogging
    hobby: loisir loisirs passion passe-temps libre > peins peinture photo poterie tricot collectionne jardinage échecs escalade randonnée danse
    instrument: instrument joue > piano guitare violon violoncelle flûte batterie trompette saxophone accordéon
    music: musique groupe chanson chanteur écoute concert
    read: lis lire lu livre livres roman auteur auteure lecture
    film: film films série séries cinéma regarde
    game: jeu jeux joue
    language: langue langues parle parler maternelle apprends > français anglais allemand espagnol italien portugais polonais russe chinois japonais arabe
    travel: vacances voyage voyager partir parti séjour vol avion destination
    money: salaire gagne revenu paie paye
    price: coûte coût prix paie paye payer euros loyer tarif montant
    bank: banque compte
    insurance: assurance assuré mutuelle assureur
    rent: loyer bail propriétaire
    meeting: réunion rendez-vous rencontre point
    deadline: échéance délai rendre remise date
    begin: commence commencer début démarre
    end: finit fin termine terminer
    open: ouvre ouvert ouverture horaires ferme
    wake: lève lever réveil réveille
    sleep: dors dormir couche lit sommeil
    wedding: mariage marié mariée marier épousé noces
    buy: acheté achète acheter achat
    gift: cadeau offert offrir offre
    clothes: vêtements > chaussures pantalon chemise veste robe
    size: taille pointure mesure cm
    color: couleur > rouge bleu vert jaune turquoise noir blanc violet orange
    computer: ordinateur pc portable > macbook thinkpad
    editor: éditeur ide > vim neovim emacs vscode
    system: système exploitation > linux ubuntu windows macos debian
    programming: programmation programme code développe langage > python rust typescript java go kotlin javascript
    database: base données > postgresql postgres mysql sqlite mariadb
    server: serveur hébergement héberge hébergé > ovh hetzner aws
    password: mot passe code
    wifi: wifi internet box
    project: projet
    customer: client cliente clients
    weekday: jour > lundi mardi mercredi jeudi vendredi samedi dimanche
    garden: jardin potager balcon plantes > tomates roses
    meat: viande > poulet boeuf bœuf porc
    alcohol: alcool > bière vin
    fruit: fruit fruits > pomme fraise banane kiwi
    city: ville
    country: pays origine originaire
    grow: grandi enfance originaire né née origine
    club: club association chorale membre
    volunteer: bénévole bénévolat
    course: cours formation leçon apprends stage
    glasses: lunettes lentilles vue
    fear: peur crains phobie
    smoke: fume fumer tabac cigarettes
    hairdresser: coiffeur coiffeuse
    therapist: thérapeute kiné psychologue psy
    repair: garage réparation garagiste mécanicien
    key: clé clef clés double
    office: bureau télétravail
    parking: parking garage gare
    cook: cuisine cuisiner recette
    collect: collectionne collection
    neighbor: voisin voisine voisins
    sick: malade maladie blessé blessure cassé opéré opération
    restaurant: restaurant resto bistrot café
    shop: magasin boutique supermarché marché boulangerie
    teacher: professeur prof enseignant enseignante coach entraîneur
    newspaper: journal abonné abonnement abonnée magazine
    save: économise épargne économies
    religion: religion foi église > catholique protestant musulman juif bouddhiste
    license: permis passeport carte
    blood: sanguin groupe
    weight: poids pèse kilos
    goal: but objectif projette prévois veux
    leader: dirige responsable charge
    profession: métier profession travail travaille boulot vie gagne > infirmier infirmière médecin professeur enseignante institutrice ingénieur ingénieure menuisier cuisinier cuisinière boulanger boulangère avocat avocate comptable développeur développeuse architecte graphiste journaliste vendeur vendeuse sage-femme orthophoniste vétérinaire pharmacien pharmacienne électricien jardinier photographe policier coiffeuse bibliothécaire chercheur chercheuse traducteur traductrice libraire fonctionnaire indépendant freelance restauratrice apiculteur
    tax: impôt impôts déclaration comptable fiscal
    notes: notes note carnet > obsidian notion
    backup: sauvegarde sauvegardes disque nas
    nickname: surnom surnomme surnommé
    shift: horaires horaire équipe nuit garde
    snack: grignote goûter friandise > chocolat chips biscuits
    dessert: dessert gâteau sucré > tiramisu glace tarte
    podcast: podcast écoute
    donate: don dons association soutiens
    team: équipe supporter supportrice club
    together: colocataire colocation vis
    thesis: mémoire thèse doctorat soutenance
    injury: blessure blessé genou dos épaule fracture cassé opéré
    train: train tgv gare
    delivery: colis livraison commande
    answer: réponse réponses réponds court concis détaillé tutoie vouvoie`,
});
