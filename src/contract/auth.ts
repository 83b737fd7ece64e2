import { type Static, Type } from 'typebox';
import { strict } from './common.ts';

export const MagicLinkRequest = Type.Object(
  {
    email: Type.String({ minLength: 3, maxLength: 1000 }),
    login: Type.Optional(
      Type.Object(
        {
          codeChallenge: Type.String({
            pattern: '^[A-Za-z0-9_-]{43}$',
            description: 'SHA-256 of the code verifier, base64url-encoded (PKCE, S256)',
          }),
          redirectPort: Type.Optional(Type.Integer({ minimum: 1024, maximum: 65535 })),
          device: Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]+$' }),
        },
        { ...strict, description: 'Present if the sign-in was started from a terminal' },
      ),
    ),
  },
  strict,
);
export type MagicLinkRequest = Static<typeof MagicLinkRequest>;

export const MagicLinkAnswer = Type.Object({
  status: Type.Literal('sent'),
  expiresAt: Type.String({ format: 'date-time' }),
});
export type MagicLinkAnswer = Static<typeof MagicLinkAnswer>;

export const CallbackQuery = Type.Object({ token: Type.Optional(Type.String({ maxLength: 200 })) });
export const CallbackForm = Type.Object(
  {
    token: Type.String({ maxLength: 200 }),
    code: Type.Optional(
      Type.String({ maxLength: 40, description: 'Only for the link of a device: the code that its terminal shows' }),
    ),
  },
  strict,
);

/** An HTML page. */
export const Page = { description: 'A page', content: { 'text/html': { schema: Type.String() } } };
export const Redirect = Type.Null({ description: 'Redirect to the dashboard' });

export const TokenRequest = Type.Object(
  {
    code: Type.String({ minLength: 1, maxLength: 40 }),
    codeVerifier: Type.String({ pattern: '^[A-Za-z0-9._~-]{43,128}$' }),
  },
  strict,
);
export type TokenRequest = Static<typeof TokenRequest>;
