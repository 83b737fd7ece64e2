import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3Usage } from '@ai-sdk/provider';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import type { JsonLimits } from '../../contract/json-scan.ts';
import { estimateTokens } from '../../lib/text.ts';
import { excessIn, parseJson } from '../parse-json.ts';
import { connectionOf, type ProviderAccess, type ProviderConnection } from './provider-connection.ts';
import { tokensOf } from './provider-embedding.ts';
import { SchemaRejected } from './provider-error-response.ts';
import { ProviderFault, type TokensSpent } from './provider-fault.ts';
import {
  fetchOrFault,
  type ProviderTransport,
  StreamingUnsupported,
  streamFault,
  toProviderFault,
  unusableResponse,
} from './provider-response.ts';
import type { Capabilities, KnownCapabilities } from './server-capabilities.ts';

// ajv-formats is CommonJS; its types put the function under `default`.
const addFormats = addFormatsModule.default;
const checks = new WeakMap<object, ValidateFunction>();

/** Far more than models write at once. */
const MAX_OUTPUT_CHARACTERS = 1024 * 1024;
const OUTPUT_JSON: JsonLimits = { depth: 32, objectMembers: 1000, members: 10_000, values: 20_000 };

/** Parses a model's output, completes and validates it, or returns what is wrong with it: "a response that …". */
function parseModelOutput(
  text: string,
  check: ValidateFunction,
  complete: (value: unknown) => unknown = (value) => value,
): { value: unknown } | string {
  if (text.length > MAX_OUTPUT_CHARACTERS) return `a response that exceeds ${MAX_OUTPUT_CHARACTERS} characters`;
  const output = stripWrapping(text);
  const excess = excessIn(output, OUTPUT_JSON);
  if (excess !== undefined) return `a response that ${excess}`;
  const value = complete(parseJson(output));
  return value !== undefined && check(value) ? { value } : 'a response that does not match the schema';
}

const FENCE = '```';

/**
 * Strips reasoning and code fences, which models emit even when told not to. The closing fence is found without a
 * regular expression: one that backtracks over megabytes of blanks from a hostile server would not finish.
 */
function stripWrapping(text: string): string {
  const output = text.replace(/^\s*<think>[\s\S]*?<\/think>/, '').trim();
  const opening = /^```[a-z]*\s*\n/i.exec(output)?.[0];
  if (opening === undefined || !output.endsWith(FENCE)) return output;
  return output.slice(opening.length, -FENCE.length).trim();
}

/**
 * Compiles a JSON schema and caches the validator for the lifetime of the schema object. Throws if it is not a valid
 * schema.
 */
function compileSchema(schema: object): ValidateFunction {
  const known = checks.get(schema);
  if (known) return known;
  const ajv = new Ajv({ strict: false, logger: false });
  addFormats(ajv);
  const check = ajv.compile(schema);
  checks.set(schema, check);
  return check;
}

/** JSON Schema. Providers' strict modes require every property to be required, and `additionalProperties: false`. */
type JsonSchema = object;

export interface GenerateRequest {
  model: string;
  system: string;
  prompt: string;
  schema: JsonSchema;
  /** Letters, digits, `_` and `-`. */
  schemaName: string;
  /** Fills in what the value may lack, before it is checked. `undefined` stays. */
  complete?: (value: unknown) => unknown;
  maxOutputTokens: number;
}

export interface Generated extends TokensSpent {
  value: unknown;
}

/** A model's output, streamed or not. */
interface ModelOutput {
  text: string;
  usage: LanguageModelV3Usage | undefined;
  /** `length`: truncated; `content-filter`: blocked by the provider; `tool-calls`: a call of a tool, not text. */
  finishReason: string | undefined;
}

/**
 * Returns a value that matches the schema, using only capabilities that the server is known to support. Throws
 * `ProviderFault`.
 */
export async function generateObject(
  transport: ProviderTransport,
  known: KnownCapabilities,
  access: ProviderAccess,
  request: GenerateRequest,
  signal?: AbortSignal,
): Promise<Generated> {
  const connection = connectionOf(access, transport.http);
  const check = compileSchema(request.schema);
  const capabilities = known.of(connection.base, request.model);
  for (;;) {
    try {
      const output = await requestOutput(transport, connection, request, capabilities, signal);
      // The fallback worked, so the missing capability was the reason.
      known.remember(connection.base, request.model, capabilities);
      return valueIn(output, request, check);
    } catch (error) {
      const fault = toProviderFault(error, transport);
      if (fault instanceof StreamingUnsupported && capabilities.streams) capabilities.streams = false;
      else if (fault instanceof SchemaRejected && capabilities.schemaEnforced) capabilities.schemaEnforced = false;
      else throw fault;
    }
  }
}

async function requestOutput(
  transport: ProviderTransport,
  connection: ProviderConnection,
  request: GenerateRequest,
  { streams, schemaEnforced }: Capabilities,
  signal: AbortSignal | undefined,
): Promise<ModelOutput> {
  const model = await languageModel(connection, request.model, fetchOrFault(transport, streams ? 'stream' : 'whole'));
  const options = { ...optionsFor(request, schemaEnforced), ...(signal && { abortSignal: signal }) };
  if (streams) return readStream(model, options, request, transport);
  const { content, usage, finishReason } = await model.doGenerate(options);
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return { text, usage, finishReason: finishReason.unified };
}

function optionsFor(request: GenerateRequest, schemaEnforced: boolean): LanguageModelV3CallOptions {
  const { schema, schemaName: name, maxOutputTokens } = request;
  const instruction = `\n\nRespond with nothing but JSON that conforms to this JSON schema:\n${JSON.stringify(schema)}`;
  return {
    prompt: [
      { role: 'system', content: schemaEnforced ? request.system : request.system + instruction },
      { role: 'user', content: [{ type: 'text', text: request.prompt }] },
    ],
    maxOutputTokens,
    ...(schemaEnforced && { responseFormat: { type: 'json', schema, name } }),
  };
}

async function readStream(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions,
  request: GenerateRequest,
  transport: ProviderTransport,
): Promise<ModelOutput> {
  const { stream } = await model.doStream(options);
  const output: ModelOutput = { text: '', usage: undefined, finishReason: undefined };
  let characters = 0;
  try {
    for await (const part of stream) {
      if (part.type === 'text-delta' || part.type === 'reasoning-delta') characters += part.delta.length;
      if (part.type === 'text-delta' && output.text.length <= MAX_OUTPUT_CHARACTERS) output.text += part.delta;
      if (part.type === 'error') throw streamFault(part.error, transport);
      // Not read to its end: the AI SDK would parse its arguments.
      if (part.type.startsWith('tool-')) return { ...output, finishReason: 'tool-calls' };
      if (part.type === 'finish') {
        output.usage = part.usage;
        output.finishReason = part.finishReason.unified;
      }
    }
  } catch (error) {
    const fault = toProviderFault(error, transport);
    if (characters === 0) throw fault;
    const spent = { inputTokens: tokensOf(undefined, inputsOf(request)), outputTokens: estimateTokens(characters) };
    throw new ProviderFault(fault.reason, fault.message, { ...fault, spent });
  }
  return output;
}

function inputsOf({ system, prompt, schema }: GenerateRequest): string[] {
  return [system, prompt, JSON.stringify(schema)];
}

const REASONS: Partial<Record<string, string>> = {
  length: 'an incomplete response: the model reached its output limit',
  'tool-calls': 'a call of a tool, which svc did not offer',
};

function valueIn(
  { text, usage, finishReason }: ModelOutput,
  request: GenerateRequest,
  check: ValidateFunction,
): Generated {
  const spent: TokensSpent = {
    inputTokens: tokensOf(usage?.inputTokens.total, inputsOf(request)),
    outputTokens: tokensOf(usage?.outputTokens.total, [text]),
  };
  const answer = parseModelOutput(text, check, request.complete);
  if (typeof answer !== 'string') return { ...answer, ...spent };
  if (finishReason === 'content-filter') {
    throw new ProviderFault('input', 'The provider blocked the response of its model to this input.', { spent });
  }
  throw unusableResponse(REASONS[finishReason ?? ''] ?? answer, true, spent);
}

/** Creates the AI SDK's model for a provider; each package is loaded on first use. */
async function languageModel(
  { provider, key, base }: ProviderConnection,
  model: string,
  fetch: typeof globalThis.fetch,
): Promise<LanguageModelV3> {
  const settings = { apiKey: key, baseURL: base, fetch };
  switch (provider) {
    case 'openai':
      // Not the Responses API: servers at custom base URLs rarely support it.
      return (await import('@ai-sdk/openai')).createOpenAI(settings).chat(model);
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(settings)(model);
    case 'google':
      return (await import('@ai-sdk/google')).createGoogleGenerativeAI(settings)(model);
    case 'mistral':
      return (await import('@ai-sdk/mistral')).createMistral(settings)(model);
    case 'cohere':
      return (await import('@ai-sdk/cohere')).createCohere(settings)(model);
    case 'voyage':
      throw new ProviderFault('input', 'This provider only has embedding models. Choose another provider.');
    default:
      return (await import('@ai-sdk/openai-compatible')).createOpenAICompatible({
        ...settings,
        baseURL: provider === 'ollama' ? `${base}/v1` : base,
        name: provider,
        includeUsage: true,
        supportsStructuredOutputs: true,
      })(model);
  }
}
