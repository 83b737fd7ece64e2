import { type Static, Type } from 'typebox';
import { ERROR_CODES } from './errors.ts';
import { SCOPES } from './scopes.ts';

export const ErrorCodeName = Type.Enum(ERROR_CODES);

/** Events that end an API key or the token of a device. */
const KEY_ENDINGS = ['webSignIn', 'terminalSignIn', 'revocation', 'deviceRevocation'];

/**
 * RFC 9457 problem details. Separate from the table of codes, so that code that only reads errors (the CLI at startup)
 * does not load the schema library.
 */
export const Problem = Type.Object(
  {
    type: Type.String({ description: '`urn:svc:problem:` followed by the code' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: ErrorCodeName,
    requestId: Type.String(),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'JSON pointer into the body, or the name of a parameter' }),
          message: Type.String(),
        }),
      ),
    ),
    quota: Type.Optional(Type.String({ description: 'The quota that is used up, with the three below' })),
    limit: Type.Optional(Type.Integer()),
    used: Type.Optional(Type.Integer()),
    resetsAt: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
    scope: Type.Optional(Type.Enum([...SCOPES], { description: 'The scope that the operation needs' })),
    endedAt: Type.Optional(Type.String({ format: 'date-time', description: 'When the API key or token ended' })),
    endedBy: Type.Optional(Type.Enum(KEY_ENDINGS, { description: 'What ended the API key or token' })),
  },
  { description: 'RFC 9457 problem details', additionalProperties: true },
);
export type Problem = Static<typeof Problem>;
