/** Set for assistants that svc itself runs, so that its hooks neither recall nor store anything there. */
export const OWN_RUN_VARIABLE = 'SVC_OWN_RUN';
