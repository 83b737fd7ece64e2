/** The client under which activity lists the requests of the web app. */
export const WEB_APP_CLIENT = 'svc web app';
