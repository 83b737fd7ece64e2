/** English words that tell names from other capitalized words. */

/** Capitalized, and names of nothing that memories are about. */
export const NO_NAMES: ReadonlySet<string> =
  words(`i i'm i've i'd i'll monday tuesday wednesday thursday friday saturday
  sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays january february march april may june july august
  september october november december jan feb mar apr jun jul aug sep sept oct nov dec christmas easter new year eve english
  german french spanish italian portuguese dutch polish russian chinese japanese european american british irish am pm ok
  todo note fyi asap q1 q2 q3 q4 utc cet gmt est pst http https api url id pr ci cd ui ux json yaml xml csv pdf html css
  sql ssh tls dns cpu gpu ram usb eur usd kg km dont cant wont im ive ill thats doesnt didnt isnt arent wasnt lets whats
  theyre youre hes shes couldnt shouldnt wouldnt gonna wanna pls thx btw`);

/** Precede a name, and are not part of it. */
export const TITLES: ReadonlySet<string> = words(
  'dr mr mrs ms prof professor doctor sir aunt uncle sr sra herr frau monsieur madame',
);

/** Stand inside a name in lower case. */
export const PARTICLES: ReadonlySet<string> = words('de da do dos van von der den del di la le al bin ten');

/** Who somebody is to the speaker: "my sister Ada" and "my sister" are one. */
export const ROLES: ReadonlySet<string> =
  words(`sister brother mother father mum mom dad son daughter wife husband partner
  girlfriend boyfriend cousin aunt uncle grandma grandmother grandpa grandfather niece nephew friend neighbor neighbour
  flatmate roommate boss manager colleague coworker mentor dentist doctor therapist physio trainer coach teacher landlord
  landlady accountant lawyer vet dog cat horse parrot rabbit tortoise bike bicycle car van boat cofounder co-founder
  assistant intern client stepson stepdaughter stepfather stepmother fiance fiancee`);

export const POSSESSIVES: ReadonlySet<string> = words('my our');

/** Nouns that are too general to be a topic, though somebody says "my" of them. */
export const GENERAL_NOUNS: ReadonlySet<string> =
  words(`own first last next new old favorite favourite main usual current
  whole name life way time day days week month year home house work job place thing things birthday age mind head hands
  opinion plan plans goal rule default preference preferences phone number address email advice answer idea problem part
  side turn family friends parents kids children people team company`);

/** Ordinary words that people and animals are called, too. */
export const NAME_WORDS: ReadonlySet<string> =
  words(`rose will grace hope faith joy iris daisy lily ivy violet jade ruby pearl
  amber ginger basil mark bill bob pat art sue rob jack frank grant dean drew chase hunter mason carter parker cooper page
  paige summer dawn eve robin jay wren heather holly hazel olive melody harmony star penny max ray gene miles reed clay glen
  wade brook brooke chance lance chuck nick pierce rusty sandy sonny buddy shadow pepper cookie biscuit bramble peanut
  mocha honey luna bella`);

/** What a subject is followed by, besides verbs that end with "s". */
export const AFTER_SUBJECTS: ReadonlySet<string> =
  words(`is was has had does did can will would could should must may might
  isn't wasn't hasn't doesn't didn't can't won't wouldn't couldn't shouldn't and got came went said told gave took left moved
  wrote bought sold taught thought brought kept felt met knew saw ate drank drove rode grew flew wore won paid sent`);

export const ARTICLES: ReadonlySet<string> = words('the a an his her their this that');

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}
