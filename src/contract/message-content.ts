import { type Static, Type } from 'typebox';
import { Name, strict, Text } from './common.ts';

/** The longest text of a message. */
export const MAX_CONTENT_CHARACTERS = 100_000;
/** The largest array of parts, as JSON: about what the longest text takes in UTF-8. */
export const MAX_PARTS_BYTES = 400 * 1024;
const MAX_PARTS = 256;

const CallId = Type.String({ minLength: 1, maxLength: 256 });

export const TextPart = Type.Object({ type: Type.Literal('text'), text: Text(MAX_CONTENT_CHARACTERS) }, strict);

export const ToolCallPart = Type.Object(
  {
    type: Type.Literal('tool_call'),
    id: CallId,
    name: Name,
    arguments: Type.Unknown({ description: 'Any JSON: an object, or the text that the model wrote' }),
  },
  strict,
);

export const ToolResultPart = Type.Object(
  { type: Type.Literal('tool_result'), toolCallId: CallId, content: Type.Unknown({ description: 'Any JSON' }) },
  strict,
);

export const ImagePart = Type.Object(
  {
    type: Type.Literal('image_url'),
    url: Type.String({
      minLength: 1,
      maxLength: MAX_CONTENT_CHARACTERS,
      pattern: '^[A-Za-z][A-Za-z0-9+.-]*:\\S+$',
      description: 'An absolute URL, stored as a reference and never fetched',
    }),
    detail: Type.Optional(Type.Enum(['auto', 'low', 'high'])),
  },
  strict,
);

export type MessagePart = Static<typeof TextPart | typeof ToolCallPart | typeof ToolResultPart | typeof ImagePart>;
/** `discriminator` reports the errors of the named type alone. */
export const MessagePart = Type.Unsafe<MessagePart>({
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: [TextPart, ToolCallPart, ToolResultPart, ImagePart],
});

export const MessageParts = Type.Array(MessagePart, { minItems: 1, maxItems: MAX_PARTS });

/** The content of a message: text, or parts. One schema without `anyOf`, so that errors name the fault itself. */
export type MessageContent = string | MessagePart[];
export const MessageContent = Type.Unsafe<MessageContent>({
  ...Text(MAX_CONTENT_CHARACTERS),
  ...MessageParts,
  // Arrays first: the serializer of responses takes an array for a string that can be converted.
  type: ['array', 'string'],
  description: 'Text, or an array of parts, at most 400 KiB as JSON',
});
