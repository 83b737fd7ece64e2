/** The most memories about the same that the answer to a new one lists. */
export const MAX_RELATED = 10;
/** What tools of models ask for: each costs the model's attention. Free of schemas, because the client reads it too. */
export const ASKED_RELATED = 3;
