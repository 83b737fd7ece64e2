import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3Usage } from '@ai-sdk/provider';
import type { ValidateFunction } from 'ajv';
import { parseModelOutput, compileSchema } from './json-output.ts';
import { languageModel } from './language-models.ts';
import { streamFault, fetchOrFault, StreamingUnsupported, unusableResponse, type ProviderTransport, toProviderFault } from './provider-response.ts';
import { connectionOf, type ProviderAccess, type ProviderConnection } from './provider-connection.ts';
import { tokensOf } from './provider-embedding.ts';
import { ProviderFault, type TokensSpent } from './provider-fault.ts';
import { SchemaRejected } from './provider-error-response.ts';
import type { Capabilities, KnownCapabilities } from './server-capabilities.ts';

/** JSON Schema. The strict modes of providers want every property required and `additionalProperties: false`. */
export type JsonSchema = object;

export interface GenerateRequest {
  model: string;
  system: string;
  prompt: string;
  schema: JsonSchema;
  /** Letters, digits, `_` and `-`. */
  schemaName: string;
  maxOutputTokens: number;
}

export interface Generated extends TokensSpent {
  value: unknown;
}

/** What a model wrote, in whichever way it was asked. */
interface Written {
  text: string;
  usage: LanguageModelV3Usage | undefined;
  /** `length`: it was cut; `content-filter`: the provider did not let it speak. */
  ending: string | undefined;
}

/** A value that keeps to the schema, by the way that the server is known to take. Throws `ProviderFault`. */
export async function generateObject(
  line: ProviderTransport,
  known: KnownCapabilities,
  access: ProviderAccess,
  request: GenerateRequest,
  signal?: AbortSignal,
): Promise<Generated> {
  const connection = connectionOf(access, line.http);
  const check = compileSchema(request.schema);
  const ways = known.of(connection.base, request.model);
  for (;;) {
    try {
      const written = await write(line, connection, request, ways, signal);
      // Only now it is known that the other way was the reason.
      known.remember(connection.base, request.model, ways);
      return valueIn(written, request, check);
    } catch (error) {
      const fault = toProviderFault(error, line);
      if (fault instanceof StreamingUnsupported && ways.streams) ways.streams = false;
      else if (fault instanceof SchemaRejected && ways.keepsToSchema) ways.keepsToSchema = false;
      else throw fault;
    }
  }
}

async function write(
  line: ProviderTransport,
  connection: ProviderConnection,
  request: GenerateRequest,
  { streams, keepsToSchema }: Capabilities,
  signal: AbortSignal | undefined,
): Promise<Written> {
  const model = await languageModel(connection, request.model, fetchOrFault(line, streams ? 'stream' : 'whole'));
  const options = { ...optionsFor(request, keepsToSchema), ...(signal && { abortSignal: signal }) };
  if (streams) return readStream(model, options, line);
  const { content, usage, finishReason } = await model.doGenerate(options);
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return { text, usage, ending: finishReason.unified };
}

function optionsFor(request: GenerateRequest, keepsToSchema: boolean): LanguageModelV3CallOptions {
  const { schema, schemaName: name, maxOutputTokens } = request;
  const instruction = `\n\nAnswer with nothing but JSON that keeps to this JSON schema:\n${JSON.stringify(schema)}`;
  return {
    prompt: [
      { role: 'system', content: keepsToSchema ? request.system : request.system + instruction },
      { role: 'user', content: [{ type: 'text', text: request.prompt }] },
    ],
    maxOutputTokens,
    ...(keepsToSchema && { responseFormat: { type: 'json', schema, name } }),
  };
}

async function readStream(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions,
  line: ProviderTransport,
): Promise<Written> {
  const { stream } = await model.doStream(options);
  const written: Written = { text: '', usage: undefined, ending: undefined };
  for await (const part of stream) {
    if (part.type === 'text-delta') written.text += part.delta;
    if (part.type === 'error') throw streamFault(part.error, line);
    if (part.type === 'finish') {
      written.usage = part.usage;
      written.ending = part.finishReason.unified;
    }
  }
  return written;
}

function valueIn({ text, usage, ending }: Written, request: GenerateRequest, check: ValidateFunction): Generated {
  const asked = [request.system, request.prompt, JSON.stringify(request.schema)];
  const spent: TokensSpent = {
    inputTokens: tokensOf(usage?.inputTokens.total, asked),
    outputTokens: tokensOf(usage?.outputTokens.total, [text]),
  };
  const answer = parseModelOutput(text, check);
  if (answer) return { ...answer, ...spent };
  if (ending === 'content-filter') {
    throw new ProviderFault('input', 'The provider does not let its model answer this input.', { spent });
  }
  const what =
    ending === 'length' ? 'less than all: its model may not write that much' : 'something else than was asked for';
  throw unusableResponse(what, true, spent);
}
