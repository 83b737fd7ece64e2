import type { IncomingHttpHeaders } from 'node:http';
import type { LocatedOperation, ServedDocument } from './openapi.ts';

/** An answer, as on the wire. */
export interface WireAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

interface HeaderObject {
  required?: boolean;
  schema: { type: string };
}

interface ResponseObject {
  headers: Record<string, HeaderObject | { $ref: string }>;
  content?: Record<string, { schema: object }>;
}

/** Headers of HTTP itself, which OpenAPI does not declare. */
const TRANSPORT = ['date', 'connection', 'keep-alive', 'content-length', 'content-type', 'transfer-encoding'];

/** Compares answers with what the document declares. Each function returns the differences. */
export function createAnswerCheck(served: ServedDocument) {
  const { resolve, faultsOf } = served;

  /** Checks the answer to a request for an operation. */
  function checkAnswer({ route, responses }: LocatedOperation, answer: WireAnswer): string[] {
    const declared = responses[answer.status];
    if (answer.status >= 500) return [`${route} answers ${answer.status}`];
    if (declared === undefined) return [`${route} answers ${answer.status}, which it does not declare`];
    const response = resolve<ResponseObject>(declared as ResponseObject);
    const names = Object.keys(response.headers).map((name) => name.toLowerCase());
    const undeclared = Object.keys(answer.headers).filter((name) => !names.includes(name) && !TRANSPORT.includes(name));
    return [
      ...undeclared.map((name) => `has the header ${name}, which it does not declare`),
      ...Object.entries(response.headers).flatMap(([name, header]) => checkHeader(name, resolve(header), answer)),
      ...checkBody(response, answer),
    ].map((fault) => `${route} ${answer.status} ${fault}`);
  }

  function checkHeader(name: string, { required, schema }: HeaderObject, { headers }: WireAnswer): string[] {
    const text = headers[name.toLowerCase()];
    if (text === undefined) return required ? [`lacks the header ${name}`] : [];
    const value = schema.type === 'integer' ? Number(text) : String(text);
    const fault = faultsOf(schema, value);
    return fault === '' ? [] : [`has ${name}: ${text}, which ${fault}`];
  }

  function checkBody({ content }: ResponseObject, { headers, text }: WireAnswer): string[] {
    if (content === undefined) return text === '' ? [] : ['has a body, but declares none'];
    const type = (headers['content-type'] ?? '').split(';')[0]!;
    const media = content[type];
    if (media === undefined) return [`has the media type ${type || 'none'}, which it does not declare`];
    if (!/[/+]json$/.test(type)) return [];
    const fault = faultsOf(media.schema, JSON.parse(text));
    return fault === '' ? [] : [`has a body that does not fit its schema: ${fault}`];
  }

  /** Checks the answer to a request that addresses no operation. */
  function checkOther(what: string, { status, headers, text }: WireAnswer): string[] {
    const common = Object.entries(served.document.components.headers as Record<string, HeaderObject>)
      .filter(([name, { required }]) => required && /^(X-|RateLimit)/.test(name))
      .map(([name]) => name);
    const missing = common.filter((name) => headers[name.toLowerCase()] === undefined);
    const isProblem = status >= 400 && text !== '';
    const fault = isProblem ? faultsOf({ $ref: '#/components/schemas/Problem' }, JSON.parse(text)) : '';
    return [
      ...(status >= 500 || status < 200 ? [`answers ${status}`] : []),
      ...missing.map((name) => `answers ${status} without ${name}`),
      ...(isProblem && headers['content-type'] !== 'application/problem+json' ? [`answers ${status} otherwise`] : []),
      ...(fault === '' ? [] : [`answers ${status} with a problem that ${fault}`]),
    ].map((found) => `${what} ${found}`);
  }

  return { checkAnswer, checkOther };
}
