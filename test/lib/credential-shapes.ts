// Credential shapes for measuring masking. Every secret is composed from a prefix and a random body, so this file holds no
// string that looks like a live credential. Formats follow the providers' docs, gitleaks, TruffleHog and the GitHub secret
// scanning partner list.

export type Random = () => number;

interface CredentialShape {
  provider: string;
  name: string;
  /** The exact substring that must not survive masking. */
  secret: string;
  sort: 'token' | 'password' | 'key' | 'url' | 'header' | 'assignment';
  /** Snippet around the secret, for secrets that only their surroundings identify. Contains `secret` exactly once. */
  text?: string;
  /** Names of the contexts that make sense. Default: all, or prose, JSON and cut off for shapes with `text`. */
  only?: string[];
}

interface Context {
  name: string;
  wrap(secret: string, name: string): string;
  /** What `wrap` leaves visible of the secret: escaped, encoded or cut. Default: the whole secret. */
  visible?(secret: string): string;
}

export interface CredentialCase {
  provider: string;
  name: string;
  sort: CredentialShape['sort'];
  context: string;
  text: string;
  /** The substring of `text` that must not survive masking. */
  secret: string;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const HEX = '0123456789abcdef';
const LETTERS = LOWER + UPPER;
const LOWER36 = LOWER + DIGITS;
const UPPER36 = UPPER + DIGITS;
const ALNUM = LETTERS + DIGITS;
const BASE64 = `${ALNUM}+/`;
const BASE64URL = `${ALNUM}-_`;
const BASE32 = `${UPPER}234567`;
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BECH32 = 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L';

const WORDS = ['Falcon', 'river', 'Winter', 'orchid', 'Basalt', 'copper', 'Lantern', 'meadow', 'Saffron', 'thunder'];
const SEED_WORDS =
  'abandon ability able about above absent absorb abstract absurd abuse access accident account accuse achieve acid acoustic across action actor'.split(
    ' ',
  );

const TEXT_CONTEXTS = ['prose', 'JSON', 'cut off'];
const CUT_AFTER = 0.7;

const contexts: Context[] = [
  {
    name: 'prose',
    wrap: (secret, name) => `For the demo I used the ${name} here: ${secret}\nPlease rotate it once the tests pass.`,
  },
  {
    name: 'code',
    wrap: (secret) =>
      `import { createClient } from './client.ts';\n\nconst client = createClient('${secret}', { retries: 3 });\n`,
  },
  {
    name: 'JSON',
    wrap: (secret, name) =>
      JSON.stringify({ server: { command: 'npx', env: { [constantCase(name)]: secret } }, port: 8080 }),
    visible: (secret) => JSON.stringify(secret).slice(1, -1),
  },
  {
    name: 'env file',
    wrap: (secret, name) => `NODE_ENV=production\n${constantCase(name)}=${secret}\nPORT=3000\n`,
  },
  {
    name: 'header',
    wrap: (secret) => `GET /v1/items HTTP/1.1\nHost: api.example.com\nAuthorization: Bearer ${secret}\nAccept: */*\n`,
  },
  {
    name: 'URL',
    wrap: (secret) => `curl "https://api.example.com/v2/items?api_key=${encodeURIComponent(secret)}&limit=20"`,
    visible: (secret) => encodeURIComponent(secret),
  },
  {
    name: 'cut off',
    wrap: (secret, name) => `Output of the last command, for the ${name}: ${cut(secret)}`,
    visible: cut,
  },
];

/** Returns every shape in every context that makes sense for it. */
export function credentialCases(random: Random): CredentialCase[] {
  return credentialShapes(random).flatMap(({ provider, name, secret, sort, text, only }) => {
    const allowed = only ?? (text === undefined ? undefined : TEXT_CONTEXTS);
    return contexts
      .filter((context) => allowed?.includes(context.name) ?? true)
      .map((context) => ({
        provider,
        name,
        sort,
        context: context.name,
        text: inContext(context, name, secret, text),
        secret: context.visible?.(secret) ?? secret,
      }));
  });
}

/** True if the secret is still readable: all of it, its second half, or a whole line of it. */
export function survives(masked: string, secret: string): boolean {
  const half = secret.slice(Math.floor(secret.length / 2));
  const lines = secret.split(/\n|\\n/).map((line) => line.trim());
  const parts = [half, ...(lines.length > 1 ? lines : [])].filter((part) => part.length >= 8);
  return masked.includes(secret) || parts.some((part) => masked.includes(part));
}

function inContext(context: Context, name: string, secret: string, text: string | undefined): string {
  if (text === undefined) return context.wrap(secret, name);
  if (context.name === 'cut off') return text.slice(0, text.indexOf(secret)) + cut(secret);
  if (context.name === 'JSON') return JSON.stringify({ type: 'user', message: { role: 'user', content: text } });
  if (context.name === 'prose')
    return `I am stuck with the setup. This is what I have so far:\n\n${text}\n\nWhat is wrong with it?`;
  return context.wrap(text, name);
}

function cut(secret: string): string {
  return secret.slice(0, Math.ceil(secret.length * CUT_AFTER));
}

function words(name: string): string[] {
  return name.split(/[^A-Za-z0-9]+/).filter(Boolean);
}

function constantCase(name: string): string {
  return words(name).join('_').toUpperCase();
}

function camelCase(name: string): string {
  return words(name)
    .map((word, index) =>
      index === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1).toLowerCase(),
    )
    .join('');
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

function base64url(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url');
}

/** Ways to assign a value to a name that ends in "key", "token", "secret" or "password". */
const ASSIGNMENTS: ((name: string, value: string) => string)[] = [
  (name, value) => `${constantCase(name)}=${value}`,
  (name, value) => `export ${constantCase(name)}="${value}"`,
  (name, value) => `services:\n  api:\n    environment:\n      ${constantCase(name)}: ${value}\n      PORT: 8080`,
  (name, value) => `{\n  "region": "eu-west-1",\n  "${camelCase(name)}": "${value}"\n}`,
  (name, value) => `const options = {\n  ${camelCase(name)}: '${value}',\n  timeout: 5000,\n};`,
  (name, value) => `${constantCase(name).toLowerCase()} = "${value}"`,
  (name, value) => `docker run --rm -e ${constantCase(name)}=${value} -p 8080:8080 example/api:latest`,
  (name, value) => `os.environ["${constantCase(name)}"] = "${value}"`,
  (name, value) => `example-cli deploy --${words(name).join('-').toLowerCase()} ${value} --region eu`,
  (name, value) => `example-cli deploy --${words(name).join('-').toLowerCase()}=${value}`,
  (name, value) => `$env:${constantCase(name)} = '${value}'`,
  (name, value) => `set ${constantCase(name)}=${value}`,
  (name, value) => `FROM node:22\nENV ${constantCase(name)}=${value}\nCMD ["node", "main.js"]`,
  (name, value) => `${words(name).join('.').toLowerCase()}=${value}\nserver.port=8080`,
  (name, value) => `${constantCase(name).toLowerCase()}: "${value}"`,
  (name, value) => `<add key="${camelCase(name)}" value="${value}" />`,
  (name, value) => `private static final String ${constantCase(name)} = "${value}";`,
  (name, value) => `fly secrets set ${constantCase(name)}=${value}`,
  (name, value) => `+  ${camelCase(name)}: "${value}",\n-  ${camelCase(name)}: process.env.${constantCase(name)},`,
  (name, value) => `my ${words(name).join(' ').toLowerCase()} is ${value}, does it still work?`,
];

/** Returns the same shapes in the same order for the same random sequence. */
function credentialShapes(random: Random): CredentialShape[] {
  const shapes: CredentialShape[] = [];

  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const body = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join('');
  const prefixed = (prefix: string, alphabet: string, length: number) => prefix + body(alphabet, length);
  const hex = (length: number) => body(HEX, length);
  const alnum = (length: number) => body(ALNUM, length);
  const digits = (length: number) => body('123456789', 1) + body(DIGITS, length - 1);
  const url64 = (length: number) => body(BASE64URL, length);
  const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-${body('89ab', 1)}${hex(3)}-${hex(12)}`;
  const password = () =>
    `${pick(WORDS)}${pick(['!', '-', '_', '.', '+', '*'])}${body(DIGITS, 3)}${pick(WORDS)}${body(LETTERS, 2)}`;
  const word = () => `${pick(WORDS)}${pick(WORDS).toLowerCase()}`;
  const jwt = (claims: object) =>
    `${base64url('{"alg":"HS256","typ":"JWT"}')}.${base64url(JSON.stringify(claims))}.${url64(43)}`;
  const base64Lines = (start: string, lines: number, end = '') =>
    [start + body(BASE64, 64 - start.length), ...Array.from({ length: lines - 2 }, () => body(BASE64, 64))]
      .concat(body(BASE64, 42) + end)
      .join('\n');

  const token = (provider: string, name: string, secret: string, only?: string[]) =>
    shapes.push({ provider, name: `${provider} ${name}`, secret, sort: 'token', ...(only ? { only } : {}) });
  const snippet = (
    sort: CredentialShape['sort'],
    provider: string,
    name: string,
    secret: string,
    around: (secret: string) => string,
  ) => shapes.push({ provider, name: `${provider} ${name}`, secret, sort, text: around(secret) });
  let assignments = 0;
  const assigned = (provider: string, name: string, secret: string) => {
    const assign = ASSIGNMENTS[assignments++ % ASSIGNMENTS.length]!;
    snippet('assignment', provider, name, secret, (value) => assign(`${provider} ${name}`, value));
  };

  // Models and AI services
  token('Anthropic', 'API key', `${prefixed('sk-ant-api03-', BASE64URL, 93)}AA`);
  token('Anthropic', 'OAuth token', `${prefixed('sk-ant-oat01-', BASE64URL, 93)}AA`);
  token('Anthropic', 'OAuth refresh token', `${prefixed('sk-ant-ort01-', BASE64URL, 93)}AA`);
  token('Anthropic', 'admin key', `${prefixed('sk-ant-admin01-', BASE64URL, 93)}AA`);
  token('Anthropic', 'session key', `${prefixed('sk-ant-sid01-', BASE64URL, 86)}AA`);
  token('OpenAI', 'legacy API key', `${prefixed('sk-', ALNUM, 20)}${prefixed('T3BlbkFJ', ALNUM, 20)}`);
  token('OpenAI', 'plain API key', prefixed('sk-', ALNUM, 48));
  token('OpenAI', 'project key', `${prefixed('sk-proj-', BASE64URL, 74)}${prefixed('T3BlbkFJ', BASE64URL, 74)}`);
  token('OpenAI', 'short project key', `${prefixed('sk-proj-', ALNUM, 20)}${prefixed('T3BlbkFJ', ALNUM, 20)}`);
  token(
    'OpenAI',
    'service account key',
    `${prefixed('sk-svcacct-', BASE64URL, 58)}${prefixed('T3BlbkFJ', BASE64URL, 58)}`,
  );
  token('OpenAI', 'admin key', `${prefixed('sk-admin-', BASE64URL, 58)}${prefixed('T3BlbkFJ', BASE64URL, 58)}`);
  token('OpenAI', 'session key', prefixed('sess-', ALNUM, 40));
  token('DeepSeek', 'API key', prefixed('sk-', HEX, 32));
  token('Moonshot', 'API key', prefixed('sk-', ALNUM, 48));
  token('Kimi', 'coding key', prefixed('sk-kimi-', ALNUM, 64));
  token('DashScope', 'API key', prefixed('sk-', HEX, 32));
  token('SiliconFlow', 'API key', prefixed('sk-', LOWER, 48));
  token('Stability', 'API key', prefixed('sk-', ALNUM, 48));
  token('LiteLLM', 'virtual key', prefixed('sk-', BASE64URL, 22));
  token('Braintrust', 'API key', prefixed('sk-', ALNUM, 48));
  token('Dust', 'API key', prefixed('sk-', HEX, 32));
  token('Langfuse', 'secret key', `sk-lf-${uuid()}`);
  token('Helicone', 'API key', `sk-helicone-${Array.from({ length: 4 }, () => body(LOWER36, 7)).join('-')}`);
  token('OpenRouter', 'API key', prefixed('sk-or-v1-', HEX, 64));
  token('Groq', 'API key', `${prefixed('gsk_', ALNUM, 20)}${prefixed('WGdyb3FY', ALNUM, 24)}`);
  token('xAI', 'API key', prefixed('xai-', ALNUM, 80));
  token('Perplexity', 'API key', prefixed('pplx-', ALNUM, 48));
  token('Fireworks', 'API key', prefixed('fw_', ALNUM, 24));
  token('Together', 'API key', prefixed('tgp_v1_', BASE64URL, 43));
  assigned('Together', 'legacy API key', hex(64));
  token('Replicate', 'API token', prefixed('r8_', ALNUM, 37));
  token('Hugging Face', 'access token', prefixed('hf_', LETTERS, 34));
  token('Hugging Face', 'organization token', prefixed('api_org_', LETTERS, 34));
  token('Cerebras', 'API key', prefixed('csk-', LOWER36, 48));
  token('NVIDIA', 'API key', prefixed('nvapi-', BASE64URL, 64));
  token('Voyage', 'API key', prefixed('pa-', BASE64URL, 43));
  token('Jina', 'API key', `${prefixed('jina_', HEX, 32)}${body(BASE64URL, 28)}`);
  token('Pinecone', 'API key', `${prefixed('pcsk_', ALNUM, 5)}_${body(ALNUM, 63)}`);
  token('ElevenLabs', 'API key', prefixed('sk_', HEX, 48));
  token('LangSmith', 'personal token', `${prefixed('lsv2_pt_', HEX, 32)}_${hex(10)}`);
  token('LangSmith', 'service key', `${prefixed('lsv2_sk_', HEX, 32)}_${hex(10)}`);
  token('Tavily', 'API key', prefixed('tvly-', ALNUM, 32));
  token('Tavily', 'development key', prefixed('tvly-dev-', ALNUM, 32));
  token('Firecrawl', 'API key', prefixed('fc-', HEX, 32));
  token('Brave Search', 'API key', prefixed('BSA', BASE64URL, 28));
  token('RunPod', 'API key', prefixed('rpa_', UPPER36, 46));
  token('Anyscale', 'API key', prefixed('esecret_', LOWER36, 26));
  token('Mem0', 'API key', prefixed('m0-', ALNUM, 40));
  token('E2B', 'API key', prefixed('e2b_', HEX, 40));
  token('Browserbase', 'API key', prefixed('bb_live_', BASE64URL, 27));
  token('Apify', 'API token', prefixed('apify_api_', ALNUM, 36));
  token('LlamaCloud', 'API key', prefixed('llx-', ALNUM, 48));
  token('Cursor', 'API key', prefixed('key_', HEX, 64));
  token('Context7', 'API key', `ctx7sk-${uuid()}`);
  token('Portkey', 'virtual key', prefixed('pk-live-', ALNUM, 32), ['env file', 'JSON', 'header', 'URL']);
  assigned('Mistral', 'API key', alnum(32));
  assigned('Cohere', 'API key', alnum(40));
  assigned('Zhipu', 'API key', `${hex(32)}.${alnum(16)}`);
  assigned('AssemblyAI', 'API key', hex(32));
  assigned('Deepgram', 'API key', hex(40));
  assigned('Wandb', 'API key', hex(40));
  assigned('SerpApi', 'API key', hex(64));
  assigned('Serper', 'API key', hex(40));
  assigned('Exa', 'API key', uuid());
  assigned('Baseten', 'API key', `${alnum(8)}.${alnum(32)}`);
  assigned('Modal', 'token secret', prefixed('as-', ALNUM, 22));

  // Google
  token('Google', 'API key', prefixed('AIza', BASE64URL, 35));
  token('Google', 'Gemini key', prefixed('AQ.Ab8R', BASE64URL, 46));
  token('Google', 'OAuth client secret', prefixed('GOCSPX-', BASE64URL, 28));
  token('Google', 'OAuth access token', prefixed('ya29.a0', BASE64URL, 180));
  token('Google', 'OAuth refresh token', prefixed('1//0', BASE64URL, 99));
  token('Google', 'FCM server key', `${prefixed('AAAA', BASE64URL, 7)}:${prefixed('APA91b', BASE64URL, 134)}`);
  assigned('Google', 'HMAC secret', body(BASE64, 40));
  assigned('Google', 'recaptcha secret key', `${prefixed('6L', BASE64URL, 6)}AAAAA${url64(27)}`);

  // AWS
  token('AWS', 'access key id', prefixed('AKIA', BASE32, 16));
  token('AWS', 'temporary access key id', prefixed('ASIA', BASE32, 16));
  token('AWS', 'Bedrock API key', `${prefixed('ABSK', BASE64, 128)}`);
  token('AWS', 'MWS token', `amzn.mws.${uuid()}`);
  token('AWS', 'LWA client secret', prefixed('amzn1.oa2-cs.v1.', HEX, 64));
  for (const variable of ['secret access key', 'secret key', 'production secret access key'])
    assigned('AWS', variable, body(BASE64, 40));
  snippet(
    'assignment',
    'AWS',
    'credentials file',
    body(BASE64, 40),
    (secret) => `[default]\nregion = eu-west-1\naws_secret_access_key = ${secret}\noutput = json`,
  );
  snippet(
    'assignment',
    'AWS',
    'STS answer',
    body(BASE64, 40),
    (secret) => `{ "Credentials": { "SecretAccessKey": "${secret}", "Expiration": "2026-01-02T03:04:05Z" } }`,
  );
  snippet(
    'assignment',
    'AWS',
    'session token',
    `${prefixed('FwoGZXIvYXdzE', BASE64, 255)}==`,
    (secret) => `export AWS_SESSION_TOKEN=${secret}`,
  );
  snippet(
    'url',
    'AWS',
    'presigned URL',
    hex(64),
    (secret) =>
      `https://reports.s3.eu-west-1.amazonaws.com/2026/q1.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20260102T030405Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host&X-Amz-Signature=${secret}`,
  );
  assigned('AWS', 'SES SMTP password', prefixed('B', BASE64, 43));

  // Azure and Microsoft
  snippet(
    'assignment',
    'Azure',
    'storage account key',
    `${body(BASE64, 86)}==`,
    (secret) =>
      `DefaultEndpointsProtocol=https;AccountName=reports;AccountKey=${secret};EndpointSuffix=core.windows.net`,
  );
  snippet(
    'assignment',
    'Azure',
    'Cosmos account key',
    `${body(BASE64, 86)}==`,
    (secret) => `AccountEndpoint=https://orders.documents.azure.com:443/;AccountKey=${secret};`,
  );
  snippet(
    'assignment',
    'Azure',
    'Service Bus key',
    `${body(BASE64, 43)}=`,
    (secret) =>
      `Endpoint=sb://events.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=${secret}`,
  );
  snippet(
    'assignment',
    'Azure',
    'IoT device key',
    `${body(BASE64, 43)}=`,
    (secret) => `HostName=plant.azure-devices.net;DeviceId=pump-7;SharedAccessKey=${secret}`,
  );
  snippet(
    'assignment',
    'Azure',
    'App Configuration secret',
    `${body(BASE64, 43)}=`,
    (secret) => `Endpoint=https://flags.azconfig.io;Id=ab1c-l0-s0:x;Secret=${secret}`,
  );
  snippet(
    'url',
    'Azure',
    'SAS signature',
    `${body(ALNUM, 20)}%2F${body(ALNUM, 20)}%3D`,
    (secret) =>
      `https://reports.blob.core.windows.net/q1/report.pdf?sv=2024-11-04&ss=b&srt=sco&sp=rl&se=2026-12-31T23:59:59Z&spr=https&sig=${secret}`,
  );
  token('Azure', 'AD client secret', `${body(ALNUM, 3)}8Q~${body(`${ALNUM}_.~-`, 34)}`);
  token('Azure', 'DevOps PAT', `${alnum(76)}AZDO${alnum(4)}`);
  token('Azure', 'Functions key', `${url64(44)}AzFu${url64(5)}A==`);
  token('Azure', 'search key', `${alnum(42)}AzSe${prefixed('A', ALNUM, 5)}`);
  token('Azure', 'registry password', `${alnum(42)}+ACR${prefixed('A', ALNUM, 5)}`);
  token(
    'Azure',
    'cognitive key',
    `${alnum(52)}JQQJ99${body(UPPER36, 4)}ACYeBjFXJ3w3AAAB${body(UPPER36, 3)}${alnum(4)}`,
  );
  assigned('Azure', 'OpenAI API key', hex(32));
  snippet(
    'header',
    'Azure',
    'subscription key',
    hex(32),
    (secret) => `POST /translate HTTP/1.1\nOcp-Apim-Subscription-Key: ${secret}\nContent-Type: application/json`,
  );
  snippet(
    'url',
    'Microsoft Teams',
    'webhook URL',
    hex(32),
    (secret) => `https://acme.webhook.office.com/webhookb2/${uuid()}@${uuid()}/IncomingWebhook/${secret}/${uuid()}`,
  );

  // Git hosting
  for (const [prefix, name] of [
    ['ghp_', 'personal access token'],
    ['gho_', 'OAuth token'],
    ['ghu_', 'user token'],
    ['ghs_', 'server token'],
  ] as const) {
    token('GitHub', name, prefixed(prefix, ALNUM, 36));
  }
  token('GitHub', 'refresh token', prefixed('ghr_', ALNUM, 76));
  token('GitHub', 'fine-grained token', `${prefixed('github_pat_', ALNUM, 22)}_${alnum(59)}`);
  assigned('GitHub', 'client secret', hex(40));
  snippet(
    'url',
    'GitHub',
    'clone URL',
    prefixed('ghs_', ALNUM, 36),
    (secret) => `git clone https://x-access-token:${secret}@github.com/acme/api.git`,
  );
  snippet(
    'header',
    'GitHub',
    'legacy token header',
    hex(40),
    (secret) => `curl -H "Authorization: token ${secret}" https://api.github.com/user`,
  );
  for (const [prefix, length, name] of [
    ['glpat-', 20, 'personal access token'],
    ['gldt-', 20, 'deploy token'],
    ['glrt-', 20, 'runner token'],
    ['gloas-', 64, 'OAuth secret'],
    ['glcbt-', 23, 'CI job token'],
    ['glft-', 20, 'feed token'],
    ['glimt-', 25, 'incoming mail token'],
    ['glagent-', 50, 'agent token'],
    ['glsoat-', 20, 'SCIM token'],
    ['glffct-', 20, 'feature flag token'],
    ['GR1348941', 20, 'registration token'],
  ] as const) {
    token('GitLab', name, prefixed(prefix, BASE64URL, length));
  }
  token('GitLab', 'routable token', `${prefixed('glpat-', BASE64URL, 27)}.01.${body(LOWER36, 9)}`);
  token('GitLab', 'trigger token', prefixed('glptt-', HEX, 40));
  snippet(
    'header',
    'GitLab',
    'private token header',
    url64(20),
    (secret) => `curl --header "PRIVATE-TOKEN: ${secret}" https://gitlab.example.com/api/v4/projects`,
  );
  token('Bitbucket', 'app password', prefixed('ATBB', ALNUM, 32));
  token('Bitbucket', 'repository token', `${prefixed('ATCTT3xFfGN0', BASE64URL, 171)}=${hex(8).toUpperCase()}`);
  token('Atlassian', 'API token', `${prefixed('ATATT3xFfGF0', BASE64URL, 171)}=${hex(8).toUpperCase()}`);
  assigned('Jira', 'API token', alnum(24));
  token('Trello', 'API token', `${prefixed('ATTA', HEX, 64)}${hex(8).toUpperCase()}`);
  assigned('Gitea', 'access token', hex(40));
  token('Sourcegraph', 'access token', `${prefixed('sgp_', HEX, 16)}_${hex(40)}`);

  // Registries and builds
  token('npm', 'access token', prefixed('npm_', ALNUM, 36));
  snippet(
    'assignment',
    'npm',
    'npmrc auth token',
    uuid(),
    (secret) => `registry=https://registry.npmjs.org/\n//registry.npmjs.org/:_authToken=${secret}\nalways-auth=true`,
  );
  snippet(
    'assignment',
    'npm',
    'npmrc basic auth',
    base64(`deploy:${password()}`),
    (secret) => `//npm.example.com/:_auth=${secret}`,
  );
  token('PyPI', 'API token', prefixed('pypi-AgEIcHlwaS5vcmc', BASE64URL, 156));
  token('PyPI', 'test API token', prefixed('pypi-AgENdGVzdC5weXBpLm9yZw', BASE64URL, 150));
  snippet(
    'assignment',
    'PyPI',
    'pypirc password',
    password(),
    (secret) => `[internal]\nrepository = https://pypi.example.com/\nusername = deploy\npassword = ${secret}`,
  );
  token('RubyGems', 'API key', prefixed('rubygems_', HEX, 48));
  token('crates.io', 'API token', prefixed('cio', ALNUM, 32));
  token('Docker', 'personal access token', prefixed('dckr_pat_', BASE64URL, 27));
  token('Docker', 'organization token', prefixed('dckr_oat_', BASE64URL, 32));
  snippet(
    'assignment',
    'Docker',
    'config auth',
    base64(`deploy:${password()}`),
    (secret) => `{ "auths": { "registry.example.com": { "auth": "${secret}" } } }`,
  );
  snippet(
    'password',
    'Docker',
    'login password',
    password(),
    (secret) => `docker login registry.example.com -u deploy -p ${secret}`,
  );
  token('NuGet', 'API key', prefixed('oy2', LOWER36, 43));
  token('JFrog', 'API key', prefixed('AKCp', ALNUM, 69));
  token('JFrog', 'reference token', prefixed('cmVmdGtu', ALNUM, 56));
  token('Packagist', 'API key', prefixed('packagist_ack_', HEX, 60));
  token('Clojars', 'deploy token', prefixed('CLOJARS_', LOWER36, 60));
  token('Open VSX', 'access token', `ovsxp_${uuid()}`);
  token('SonarQube', 'user token', prefixed('squ_', HEX, 40));
  token('SonarQube', 'project token', prefixed('sqp_', HEX, 40));
  token('CircleCI', 'personal token', `${prefixed('CCIPAT_', ALNUM, 22)}_${hex(40)}`);
  token('CircleCI', 'project token', `${prefixed('CCIPRJ_', ALNUM, 22)}_${hex(40)}`);
  token('Buildkite', 'API token', prefixed('bkua_', HEX, 40));
  token('Terraform Cloud', 'API token', `${alnum(14)}.atlasv1.${body(BASE64URL, 67)}`);
  token('Pulumi', 'access token', prefixed('pul-', HEX, 40));
  token('Infracost', 'API key', prefixed('ico-', ALNUM, 32));
  token('Octopus Deploy', 'API key', prefixed('API-', UPPER36, 30));
  token('Harness', 'API key', `${prefixed('pat.', BASE64URL, 22)}.${hex(24)}.${alnum(20)}`);
  token('JetBrains', 'permanent token', `perm:${base64('anna')}.${base64('ci-agent')}.${alnum(30)}`);
  assigned('Jenkins', 'API token', prefixed('11', HEX, 32));
  assigned('Codecov', 'token', uuid());
  assigned('Snyk', 'token', uuid());
  snippet(
    'password',
    'Jenkins',
    'curl user',
    prefixed('11', HEX, 32),
    (secret) => `curl -X POST -u anna:${secret} https://ci.example.com/job/api/build`,
  );

  // Hosting
  token('DigitalOcean', 'personal token', prefixed('dop_v1_', HEX, 64));
  token('DigitalOcean', 'OAuth token', prefixed('doo_v1_', HEX, 64));
  token('DigitalOcean', 'refresh token', prefixed('dor_v1_', HEX, 64));
  assigned('Linode', 'token', hex(64));
  assigned('Hetzner', 'API token', alnum(64));
  assigned('Vultr', 'API key', body(UPPER36, 36));
  assigned('Scaleway', 'secret key', uuid());
  assigned('Cloudflare', 'API token', url64(40));
  assigned('Cloudflare', 'global API key', hex(37));
  token('Cloudflare', 'origin CA key', `${prefixed('v1.0-', HEX, 24)}-${hex(146)}`);
  token('Cloudflare', 'Turnstile secret', prefixed('0x4AAAAAAA', BASE64URL, 27), ['env file', 'JSON', 'header', 'URL']);
  snippet(
    'token',
    'Cloudflare',
    'tunnel token',
    base64(JSON.stringify({ a: hex(32), t: uuid(), s: body(BASE64, 44) })),
    (secret) => `cloudflared service install ${secret}`,
  );
  assigned('Fastly', 'API token', url64(32));
  token('Fly', 'deploy token', `FlyV1 ${prefixed('fm2_', BASE64, 180)}`, [
    'prose',
    'code',
    'JSON',
    'env file',
    'cut off',
  ]);
  token('Fly', 'organization token', prefixed('fo1_', BASE64URL, 43));
  token('Heroku', 'API key', prefixed('HRKU-AA', BASE64URL, 58));
  assigned('Heroku', 'legacy API key', uuid());
  token('Netlify', 'personal token', prefixed('nfp_', ALNUM, 36));
  token('Render', 'API key', prefixed('rnd_', ALNUM, 28));
  assigned('Railway', 'token', uuid());
  assigned('Vercel', 'token', alnum(24));
  token('Vercel', 'personal token', prefixed('vcp_', ALNUM, 56));
  token('Vercel', 'AI gateway key', prefixed('vck_', ALNUM, 56));
  token('Vercel', 'blob token', `${prefixed('vercel_blob_rw_', ALNUM, 16)}_${alnum(30)}`);
  token('Deno', 'deploy token', prefixed('ddp_', ALNUM, 36));
  token('Alibaba', 'access key id', prefixed('LTAI5t', ALNUM, 18));
  assigned('Alibaba', 'access key secret', alnum(30));
  token('Tencent', 'secret id', prefixed('AKID', ALNUM, 32));
  assigned('Tencent', 'secret key', alnum(32));
  token('Yandex', 'API key', prefixed('AQVN', BASE64URL, 35));
  token('Yandex', 'OAuth token', prefixed('y0_', BASE64URL, 55));
  assigned('IBM Cloud', 'API key', url64(44));
  assigned('Backblaze', 'application key', prefixed('K005', BASE64, 27));
  assigned('Bunny', 'access key', `${uuid()}-${hex(4)}`);
  token('Tailscale', 'auth key', `${prefixed('tskey-auth-k', ALNUM, 11)}CNTRL-${alnum(32)}`);
  token('Tailscale', 'API key', `${prefixed('tskey-api-k', ALNUM, 11)}CNTRL-${alnum(32)}`);
  token('Tailscale', 'client secret', `${prefixed('tskey-client-k', ALNUM, 11)}CNTRL-${alnum(32)}`);
  token('NetBird', 'access token', prefixed('nbp_', ALNUM, 36));
  snippet(
    'assignment',
    'ngrok',
    'auth token',
    `2${alnum(26)}_${alnum(21)}`,
    (secret) => `ngrok config add-authtoken ${secret}`,
  );

  // Databases
  token('Supabase', 'access token', prefixed('sbp_', HEX, 40));
  token('Supabase', 'secret key', `${prefixed('sb_secret_', BASE64URL, 22)}_${alnum(8)}`);
  token(
    'Supabase',
    'service role key',
    jwt({ iss: 'supabase', ref: body(LOWER, 20), role: 'service_role', iat: 1767225600 }),
  );
  token('PlanetScale', 'service token', prefixed('pscale_tkn_', BASE64URL, 43));
  token('PlanetScale', 'password', prefixed('pscale_pw_', BASE64URL, 43));
  token('PlanetScale', 'OAuth token', prefixed('pscale_oauth_', BASE64URL, 43));
  token('Neon', 'API key', prefixed('napi_', LOWER36, 64));
  token('Aiven', 'service password', prefixed('AVNS_', BASE64URL, 19));
  token('CockroachDB', 'API key', `${prefixed('CCDB1_', ALNUM, 22)}_${alnum(40)}`);
  token('ClickHouse', 'cloud key', prefixed('4b1d', ALNUM, 38), ['env file', 'JSON', 'header', 'URL']);
  token('Databricks', 'access token', prefixed('dapi', HEX, 32));
  token('Xata', 'API key', prefixed('xau_', ALNUM, 40));
  token('Fauna', 'secret', prefixed('fnAE', BASE64URL, 36), ['env file', 'JSON', 'header', 'URL']);
  token('Turso', 'database token', jwt({ a: 'rw', iat: 1767225600, id: uuid() }));
  token('MongoDB', 'service account secret', prefixed('mdb_sa_sk_', BASE64URL, 40));
  assigned('Upstash', 'Redis REST token', `${prefixed('AX', ALNUM, 52)}Q==`);
  assigned('Algolia', 'admin API key', hex(32));
  assigned('Meilisearch', 'master key', url64(43));
  assigned('Confluent', 'API secret', body(BASE64, 64));
  snippet(
    'header',
    'Elastic',
    'API key header',
    base64(`${url64(20)}:${url64(22)}`),
    (secret) => `Authorization: ApiKey ${secret}`,
  );
  const databaseUrls: [provider: string, name: string, secret: string, url: (secret: string) => string][] = [
    ['Postgres', 'URL', password(), (s) => `postgres://app:${s}@db.example.com:5432/orders`],
    [
      'Postgres',
      'URL with sslmode',
      alnum(24),
      (s) => `DATABASE_URL="postgresql://app:${s}@10.0.3.7/orders?sslmode=require"`,
    ],
    [
      'Postgres',
      'URL with dollar',
      `${alnum(5)}$${alnum(4)}$9`,
      (s) => `postgres://app:${s}@db.example.com:5432/orders`,
    ],
    [
      'Postgres',
      'URL with encoded at',
      `${alnum(6)}%40${alnum(5)}`,
      (s) => `psql postgresql://app:${s}@db.example.com/orders`,
    ],
    ['Postgres', 'URL with raw at', `${alnum(6)}@${alnum(5)}`, (s) => `postgres://app:${s}@db.example.com:5432/orders`],
    [
      'Postgres',
      'async URL',
      password(),
      (s) => `engine = create_engine("postgresql+asyncpg://app:${s}@db:5432/orders")`,
    ],
    [
      'Neon',
      'URL',
      prefixed('npg_', ALNUM, 12),
      (s) => `postgresql://neondb_owner:${s}@ep-calm-sea-a2.eu-central-1.aws.neon.tech/neondb`,
    ],
    [
      'Supabase',
      'URL',
      password(),
      (s) => `postgresql://postgres.ref:${s}@aws-0-eu-central-1.pooler.supabase.com:6543/postgres`,
    ],
    ['MySQL', 'URL', password(), (s) => `mysql://root:${s}@127.0.0.1:3306/shop`],
    ['MySQL', 'JDBC URL', alnum(16), (s) => `jdbc:mysql://db.example.com:3306/shop?user=app&password=${s}&useSSL=true`],
    [
      'MySQL',
      'URL with hash',
      `${alnum(6)}%23${alnum(4)}`,
      (s) => `mysql+pymysql://shop:${s}@mysql/shop?charset=utf8mb4`,
    ],
    ['MariaDB', 'URL', password(), (s) => `mariadb://shop:${s}@maria.internal/shop`],
    [
      'MongoDB',
      'srv URL',
      alnum(16),
      (s) => `mongodb+srv://app:${s}@cluster0.ab1cd.mongodb.net/?retryWrites=true&w=majority`,
    ],
    [
      'MongoDB',
      'replica set URL',
      password(),
      (s) => `mongodb://app:${s}@m1:27017,m2:27017,m3:27017/shop?replicaSet=rs0`,
    ],
    ['Redis', 'URL', hex(32), (s) => `REDIS_URL=redis://default:${s}@cache.example.com:6379/0`],
    ['Redis', 'URL without user', url64(40), (s) => `redis://:${s}@cache.example.com:6379`],
    ['Redis', 'TLS URL', prefixed('p', HEX, 64), (s) => `rediss://h:${s}@ec2-3-4-5-6.compute-1.amazonaws.com:20789`],
    ['Upstash', 'URL', alnum(40), (s) => `rediss://default:${s}@calm-crab-31337.upstash.io:6379`],
    ['RabbitMQ', 'URL', password(), (s) => `amqp://worker:${s}@rabbit:5672/%2Fjobs`],
    ['CloudAMQP', 'URL', url64(32), (s) => `amqps://abcdwxyz:${s}@kangaroo.rmq.cloudamqp.com/abcdwxyz`],
    ['NATS', 'URL', password(), (s) => `nats://worker:${s}@nats.example.com:4222`],
    ['ClickHouse', 'URL', password(), (s) => `clickhouse://default:${s}@ch.example.com:8443/logs?secure=true`],
    [
      'SQL Server',
      'connection string',
      password(),
      (s) => `Server=tcp:db.example.com,1433;Database=shop;User ID=app;Password=${s};Encrypt=True;`,
    ],
    [
      'SQL Server',
      'short connection string',
      alnum(14),
      (s) => `Data Source=db;Initial Catalog=shop;Uid=app;Pwd=${s};`,
    ],
    ['Neo4j', 'URL', url64(43), (s) => `neo4j+s://neo4j:${s}@1a2b3c4d.databases.neo4j.io`],
    ['LDAP', 'URL', password(), (s) => `ldap://cn=admin:${s}@ldap.example.com:389`],
    ['SMTP', 'URL', password(), (s) => `smtps://mailer%40example.com:${s}@smtp.example.com:465`],
    ['FTP', 'URL', password(), (s) => `ftp://upload:${s}@files.example.com/incoming`],
    ['SFTP', 'URL', alnum(12), (s) => `sftp://upload:${s}@files.example.com:2222/incoming`],
    ['HTTP', 'URL with password', password(), (s) => `wget https://anna:${s}@files.example.com/report.csv`],
    ['HTTP', 'proxy URL', alnum(10), (s) => `HTTPS_PROXY=http://proxyuser:${s}@proxy.example.com:3128`],
    ['Git', 'remote URL', alnum(18), (s) => `origin  https://anna:${s}@git.example.com/acme/api.git (fetch)`],
    ['Cloudinary', 'URL', url64(27), (s) => `CLOUDINARY_URL=cloudinary://123456789012345:${s}@acme`],
    ['RTSP', 'camera URL', alnum(10), (s) => `ffmpeg -i rtsp://admin:${s}@192.168.1.20:554/stream1 out.mp4`],
    ['MQTT', 'URL', password(), (s) => `mqtt://sensor:${s}@broker.example.com:1883`],
    ['Elastic', 'URL', alnum(24), (s) => `https://elastic:${s}@es.example.com:9200/_cat/indices`],
  ];
  for (const [provider, name, secret, around] of databaseUrls) snippet('url', provider, name, secret, around);

  // Payment and commerce
  token('Stripe', 'secret key', prefixed('sk_live_', ALNUM, 24));
  token('Stripe', 'long secret key', prefixed('sk_live_51', ALNUM, 97));
  token('Stripe', 'test secret key', prefixed('sk_test_51', ALNUM, 97));
  token('Stripe', 'restricted key', prefixed('rk_live_51', ALNUM, 97));
  token('Stripe', 'webhook secret', prefixed('whsec_', ALNUM, 32));
  token('Paddle', 'API key', `pdl_live_apikey_01${body(LOWER36, 24)}_${alnum(22)}_${alnum(3)}`);
  token('Polar', 'access token', prefixed('polar_oat_', ALNUM, 43));
  token('Square', 'access token', prefixed('sq0atp-', BASE64URL, 22));
  token('Square', 'OAuth secret', prefixed('sq0csp-', BASE64URL, 43));
  token('Square', 'production token', prefixed('EAAAE', BASE64URL, 59));
  assigned('PayPal', 'client secret', prefixed('E', BASE64URL, 79));
  token('PayPal', 'access token', prefixed('A21AA', BASE64URL, 92));
  token('Braintree', 'access token', `access_token$production$${body(LOWER36, 16)}$${hex(32)}`);
  token('Plaid', 'access token', `access-production-${uuid()}`);
  assigned('Plaid', 'secret', hex(30));
  token('Adyen', 'API key', `${prefixed('AQE', BASE64, 100)}-${body(BASE64, 43)}=-${alnum(16)}`, [
    'env file',
    'JSON',
    'code',
  ]);
  assigned('Razorpay', 'key secret', alnum(24));
  token('Mollie', 'API key', prefixed('live_', ALNUM, 30));
  token('GoCardless', 'access token', prefixed('live_', BASE64URL, 40));
  token('Flutterwave', 'secret key', `${prefixed('FLWSECK-', HEX, 32)}-X`);
  token('Paystack', 'secret key', prefixed('sk_live_', HEX, 40));
  token('Mercado Pago', 'access token', `APP_USR-${digits(16)}-${digits(6)}-${hex(32)}-${digits(9)}`);
  assigned('Binance', 'API secret', alnum(64));
  token('Mercury', 'API token', `secret-token:mercury_production_wma_${alnum(44)}_yrucrem`);
  token('Shopify', 'admin token', prefixed('shpat_', HEX, 32));
  token('Shopify', 'shared secret', prefixed('shpss_', HEX, 32));
  token('Shopify', 'private app password', prefixed('shppa_', HEX, 32));
  token('Shopify', 'custom app token', prefixed('shpca_', HEX, 32));
  token('WooCommerce', 'consumer secret', prefixed('cs_', HEX, 40));
  token('Klaviyo', 'private key', prefixed('pk_', HEX, 34));
  token('EasyPost', 'API key', prefixed('EZAK', ALNUM, 54));
  token('Shippo', 'API token', prefixed('shippo_live_', HEX, 40));
  token('Duffel', 'access token', prefixed('duffel_live_', BASE64URL, 43));
  token('Clerk', 'secret key', prefixed('sk_live_', ALNUM, 42));

  // Messaging
  token('Slack', 'bot token', `xoxb-${digits(12)}-${digits(13)}-${alnum(24)}`);
  token('Slack', 'user token', `xoxp-${digits(12)}-${digits(12)}-${digits(13)}-${hex(32)}`);
  token('Slack', 'client token', `xoxc-${digits(12)}-${digits(12)}-${digits(13)}-${hex(64)}`);
  token('Slack', 'client cookie', `xoxd-${alnum(30)}%2B${alnum(80)}%3D`, [
    'prose',
    'code',
    'JSON',
    'env file',
    'header',
    'cut off',
  ]);
  token('Slack', 'app token', `xapp-1-${prefixed('A0', UPPER36, 9)}-${digits(13)}-${hex(64)}`);
  token('Slack', 'refresh token', `xoxe-1-${alnum(146)}`);
  token('Slack', 'rotating token', `xoxe.xoxp-1-${alnum(163)}`);
  assigned('Slack', 'signing secret', hex(32));
  snippet(
    'url',
    'Slack',
    'webhook URL',
    alnum(24),
    (secret) =>
      `https://hooks.slack.com/services/${prefixed('T0', UPPER36, 8)}/${prefixed('B0', UPPER36, 9)}/${secret}`,
  );
  snippet(
    'url',
    'Slack',
    'workflow URL',
    alnum(24),
    (secret) => `https://hooks.slack.com/triggers/${prefixed('T0', UPPER36, 8)}/${digits(13)}/${secret}`,
  );
  token('Discord', 'bot token', `${base64url(digits(18))}.${prefixed('G', BASE64URL, 5)}.${url64(38)}`);
  snippet(
    'url',
    'Discord',
    'webhook URL',
    url64(68),
    (secret) => `https://discord.com/api/webhooks/${digits(19)}/${secret}`,
  );
  assigned('Discord', 'client secret', url64(32));
  token('Telegram', 'bot token', `${digits(10)}:${prefixed('AA', BASE64URL, 33)}`, [
    'prose',
    'code',
    'JSON',
    'env file',
    'header',
    'cut off',
  ]);
  snippet(
    'url',
    'Telegram',
    'bot URL',
    prefixed('AA', BASE64URL, 33),
    (secret) => `https://api.telegram.org/bot${digits(10)}:${secret}/sendMessage?chat_id=42&text=hi`,
  );
  snippet(
    'url',
    'Google Chat',
    'webhook URL',
    `${url64(43)}`,
    (secret) => `https://chat.googleapis.com/v1/spaces/AAAAabcdEFG/messages?threadKey=7&token=${secret}`,
  );
  token('Twilio', 'API key', prefixed('SK', HEX, 32));
  token('Twilio', 'account SID', prefixed('AC', HEX, 32));
  assigned('Twilio', 'auth token', hex(32));
  snippet(
    'password',
    'Twilio',
    'curl user',
    hex(32),
    (secret) => `curl https://api.twilio.com/2010-04-01/Accounts.json -u ${prefixed('AC', HEX, 32)}:${secret}`,
  );
  token('SendGrid', 'API key', `${prefixed('SG.', BASE64URL, 22)}.${url64(43)}`);
  token('Mailgun', 'legacy API key', prefixed('key-', HEX, 32));
  token('Mailgun', 'API key', `${hex(32)}-${hex(8)}-${hex(8)}`, ['env file', 'JSON', 'header', 'URL']);
  token('Mailchimp', 'API key', `${hex(32)}-us12`);
  token('Mandrill', 'API key', prefixed('md-', BASE64URL, 22));
  token('Brevo', 'API key', `${prefixed('xkeysib-', HEX, 64)}-${alnum(16)}`);
  token('Brevo', 'SMTP key', `${prefixed('xsmtpsib-', HEX, 64)}-${alnum(16)}`);
  token('Resend', 'API key', `${prefixed('re_', ALNUM, 8)}_${alnum(24)}`);
  snippet(
    'header',
    'Postmark',
    'server token header',
    uuid(),
    (secret) => `curl https://api.postmarkapp.com/email -H "X-Postmark-Server-Token: ${secret}"`,
  );
  assigned('Postmark', 'API token', uuid());
  assigned('Vonage', 'API secret', alnum(16));
  token('Intercom', 'access token', `${prefixed('dG9rO', ALNUM, 54)}=`);
  token('Facebook', 'access token', prefixed('EAA', ALNUM, 180));
  assigned('Facebook', 'app secret', hex(32));
  token('Twitter', 'bearer token', `${'A'.repeat(22)}${alnum(11)}%2B${alnum(10)}%3D${alnum(40)}`, [
    'env file',
    'JSON',
    'header',
    'code',
  ]);
  assigned('Twitter', 'access token secret', alnum(45));
  token('LinkedIn', 'client secret', `${prefixed('WPL_AP1.', ALNUM, 16)}.${alnum(6)}==`);
  assigned('Spotify', 'client secret', hex(32));
  snippet('token', 'Twitch', 'chat token', body(LOWER36, 30), (secret) => `PASS oauth:${secret}\nNICK examplebot`);
  token('Matrix', 'access token', `syt_${base64url('anna')}_${body(LETTERS, 20)}_${alnum(6)}`);
  token('Pinterest', 'access token', prefixed('pina_', UPPER36, 90));
  token('HubSpot', 'private app token', `pat-na1-${uuid()}`);
  token('Salesforce', 'session id', `${prefixed('00D', ALNUM, 12)}!${prefixed('AQ', `${ALNUM}._`, 94)}`);
  token('Typeform', 'access token', prefixed('tfp_', BASE64URL, 59));
  token('Cal.com', 'API key', prefixed('cal_live_', HEX, 32));
  token('OneSignal', 'API key', prefixed('os_v2_app_', `${LOWER}234567`, 103));
  token('Ably', 'API key', `${url64(6)}.${url64(6)}:${url64(43)}`, ['env file', 'JSON']);

  // Monitoring and flags
  assigned('Datadog', 'API key', hex(32));
  assigned('Datadog', 'application key', hex(40));
  snippet(
    'header',
    'Datadog',
    'API key header',
    hex(32),
    (secret) => `DD-API-KEY: ${secret}\nContent-Type: application/json`,
  );
  token('New Relic', 'user key', prefixed('NRAK-', UPPER36, 27));
  token('New Relic', 'insights key', prefixed('NRII-', BASE64URL, 32));
  token('New Relic', 'license key', `${hex(36)}FFFFNRAL`);
  token(
    'Sentry',
    'organization token',
    `sntrys_${base64(JSON.stringify({ iat: 1767225600.1, url: 'https://sentry.io', org: 'acme' }))}_${body(BASE64, 43)}`,
  );
  token('Sentry', 'user token', prefixed('sntryu_', HEX, 64));
  token('Grafana', 'service account token', `${prefixed('glsa_', ALNUM, 32)}_${hex(8)}`);
  token(
    'Grafana',
    'cloud token',
    `glc_${base64(JSON.stringify({ o: '123456', n: 'ci', k: alnum(24), m: { r: 'eu' } }))}`,
  );
  token('Grafana', 'legacy API key', base64(JSON.stringify({ k: alnum(32), n: 'ci', id: 1 })));
  token('Honeycomb', 'ingest key', `${prefixed('hcaik_01', LOWER36, 56)}`);
  token('Dynatrace', 'API token', `${prefixed('dt0c01.', BASE32, 24)}.${body(BASE32, 64)}`);
  token('Axiom', 'API token', `xaat-${uuid()}`);
  token('PostHog', 'personal key', prefixed('phx_', ALNUM, 43));
  token('LaunchDarkly', 'SDK key', `sdk-${uuid()}`);
  token('LaunchDarkly', 'API token', `api-${uuid()}`);
  token('ConfigCat', 'SDK key', `configcat-sdk-1/${alnum(22)}/${alnum(22)}`, [
    'prose',
    'code',
    'JSON',
    'env file',
    'cut off',
  ]);
  token('Statsig', 'secret key', prefixed('secret-', ALNUM, 43));
  token('Segment', 'public API token', prefixed('sgp_', ALNUM, 64));
  assigned('PagerDuty', 'API key', prefixed('u+', BASE64URL, 18));
  snippet(
    'header',
    'PagerDuty',
    'token header',
    url64(20),
    (secret) => `Authorization: Token token=${secret}\nAccept: application/vnd.pagerduty+json;version=2`,
  );
  assigned('Rollbar', 'access token', hex(32));
  token('Checkly', 'API key', prefixed('cu_', HEX, 32));

  // Productivity
  token('Linear', 'API key', prefixed('lin_api_', ALNUM, 40));
  token('Linear', 'OAuth token', prefixed('lin_oauth_', HEX, 64));
  token('Notion', 'legacy secret', prefixed('secret_', ALNUM, 43));
  token('Notion', 'integration token', `ntn_${digits(11)}${alnum(35)}`);
  token('Airtable', 'personal token', `${prefixed('pat', ALNUM, 14)}.${hex(64)}`);
  token('Airtable', 'legacy API key', prefixed('key', ALNUM, 14), ['env file', 'JSON', 'header', 'URL']);
  token('Asana', 'personal token', `2/${digits(16)}/${digits(16)}:${hex(32)}`);
  token('Asana', 'legacy token', `1/${digits(16)}:${hex(32)}`);
  token('ClickUp', 'API token', `pk_${digits(8)}_${body(UPPER36, 32)}`);
  assigned('Todoist', 'API token', hex(40));
  token('Figma', 'personal token', prefixed('figd_', BASE64URL, 40));
  snippet('header', 'Figma', 'token header', url64(43), (secret) => `X-Figma-Token: ${secret}`);
  token('Contentful', 'personal token', prefixed('CFPAT-', BASE64URL, 43));
  token('Sanity', 'API token', prefixed('sk', ALNUM, 178));
  token('Dropbox', 'short-lived token', prefixed('sl.u.', BASE64URL, 135));
  assigned('Box', 'client secret', alnum(32));
  token('Frame.io', 'API token', prefixed('fio-u-', BASE64URL, 64));
  token('ReadMe', 'API key', prefixed('rdme_', LOWER36, 70));
  token('Postman', 'API key', `${prefixed('PMAK-', HEX, 24)}-${hex(34)}`);
  token('Prefect', 'API key', prefixed('pnu_', ALNUM, 36));
  token('dbt', 'service token', prefixed('dbtc_', ALNUM, 40));
  token('Retool', 'API token', prefixed('retool_01', LOWER36, 24));
  token('n8n', 'API key', jwt({ sub: uuid(), iss: 'n8n', aud: 'public-api', iat: 1767225600 }));
  token('Home Assistant', 'access token', jwt({ iss: hex(32), iat: 1767225600, exp: 2082585600 }));
  token('Monday', 'API token', jwt({ tid: 123456789, uid: 7654321, per: 'me:write', rgn: 'use1' }));
  token(
    'Mapbox',
    'secret token',
    `sk.${base64url(JSON.stringify({ u: 'acme', a: `c${body(LOWER36, 24)}` }))}.${url64(22)}`,
  );
  token('MaxMind', 'license key', `${alnum(6)}_${alnum(29)}_mmk`);
  assigned('OpenWeather', 'API key', hex(32));
  assigned('VirusTotal', 'API key', hex(64));
  token('Adafruit', 'IO key', prefixed('aio_', ALNUM, 28));
  snippet(
    'url',
    'Zapier',
    'webhook URL',
    body(LOWER36, 12),
    (secret) => `https://hooks.zapier.com/hooks/catch/${digits(8)}/${secret}/`,
  );
  snippet(
    'url',
    'IFTTT',
    'webhook URL',
    url64(43),
    (secret) => `https://maker.ifttt.com/trigger/door_open/with/key/${secret}`,
  );

  // Identity and secret stores
  token('Doppler', 'personal token', prefixed('dp.pt.', ALNUM, 43));
  token('Doppler', 'service token', prefixed('dp.st.dev.', ALNUM, 43));
  token('Doppler', 'service account token', prefixed('dp.sa.', ALNUM, 43));
  token('Vault', 'service token', prefixed('hvs.', BASE64URL, 95));
  token('Vault', 'short service token', prefixed('hvs.', ALNUM, 24));
  token('Vault', 'batch token', prefixed('hvb.', BASE64URL, 140));
  snippet('header', 'Vault', 'token header', prefixed('s.', ALNUM, 24), (secret) => `X-Vault-Token: ${secret}`);
  token(
    '1Password',
    'service account token',
    `ops_${base64url(JSON.stringify({ signInAddress: 'acme.1password.com', userAuth: { method: 'SRPg-4096' }, secretKey: hex(64), email: 'ci@acme.com', throttleSecret: { seed: hex(64) } }))}`,
  );
  token(
    '1Password',
    'secret key',
    `A3-${body(UPPER36, 6)}-${body(UPPER36, 6)}-${body(UPPER36, 5)}-${body(UPPER36, 5)}-${body(UPPER36, 5)}-${body(UPPER36, 5)}`,
  );
  token('Bitwarden', 'machine token', `0.${uuid()}.${alnum(30)}:${body(BASE64, 22)}==`);
  token('Infisical', 'service token', `st.${uuid()}.${hex(32)}.${hex(32)}`);
  token('age', 'secret key', prefixed('AGE-SECRET-KEY-1', BECH32, 58));
  token('Okta', 'API token', prefixed('00', BASE64URL, 40), ['env file', 'JSON']);
  snippet('header', 'Okta', 'SSWS header', prefixed('00', BASE64URL, 40), (secret) => `Authorization: SSWS ${secret}`);
  assigned('Auth0', 'client secret', url64(64));
  token('WorkOS', 'API key', prefixed('sk_live_a2V5', ALNUM, 60));
  token('Stytch', 'secret', `${prefixed('secret-live-', BASE64URL, 36)}=`);

  // Clusters
  token('OpenShift', 'OAuth token', prefixed('sha256~', BASE64URL, 43), [
    'prose',
    'code',
    'JSON',
    'env file',
    'header',
    'cut off',
  ]);
  token('Rancher', 'API token', `${prefixed('token-', LOWER36, 5)}:${body(LOWER36, 54)}`);
  token(
    'Kubernetes',
    'service account token',
    jwt({ iss: 'kubernetes/serviceaccount', sub: 'system:serviceaccount:ci:deploy' }),
  );
  snippet(
    'key',
    'Kubernetes',
    'client key data',
    base64(`-----BEGIN RSA PRIVATE KEY-----\n${base64Lines('MII', 8)}\n`),
    (secret) => `users:\n- name: admin\n  user:\n    client-key-data: ${secret}`,
  );
  snippet(
    'assignment',
    'Kubernetes',
    'secret manifest',
    base64(password()),
    (secret) => `apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  password: ${secret}`,
  );
  snippet(
    'assignment',
    'Kubernetes',
    'bootstrap token',
    `${body(LOWER36, 6)}.${body(LOWER36, 16)}`,
    (secret) => `kubeadm join 10.0.0.1:6443 --token ${secret} --discovery-token-unsafe-skip-ca-verification`,
  );
  snippet('assignment', 'Consul', 'ACL token', uuid(), (secret) => `CONSUL_HTTP_TOKEN=${secret}`);

  // Keys
  const pem = (
    provider: string,
    label: string,
    start: string,
    {
      headers = '',
      ends = true,
      end = '',
      form = '',
    }: { headers?: string; ends?: boolean; end?: string; form?: string } = {},
  ) =>
    snippet(
      'key',
      provider,
      `${form}${label.toLowerCase()}${ends ? '' : ' without end'}`,
      base64Lines(start, 12, end),
      (secret) => {
        const text = `-----BEGIN ${label}-----\n${headers}${secret}`;
        return ends ? `${text}\n-----END ${label}-----` : text;
      },
    );
  pem('PEM', 'RSA PRIVATE KEY', 'MIIEow');
  pem('PEM', 'RSA PRIVATE KEY', 'MIIEow', { ends: false });
  pem('PEM', 'PRIVATE KEY', 'MIIEvQ', { end: '==' });
  pem('PEM', 'PRIVATE KEY', 'MIIEvQ', { ends: false });
  pem('PEM', 'EC PRIVATE KEY', 'MHcCAQEEI', { end: '==' });
  pem('PEM', 'DSA PRIVATE KEY', 'MIIBuw');
  pem('PEM', 'ENCRYPTED PRIVATE KEY', 'MIIFHD', { end: '=' });
  pem('PEM', 'RSA PRIVATE KEY', 'k', {
    form: 'legacy encrypted ',
    headers: 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,7A\n\n',
  });
  pem('OpenSSH', 'OPENSSH PRIVATE KEY', 'b3BlbnNzaC1rZXktdjEAAAAA', { end: '=' });
  pem('OpenSSH', 'OPENSSH PRIVATE KEY', 'b3BlbnNzaC1rZXktdjEAAAAA', { ends: false });
  pem('PGP', 'PGP PRIVATE KEY BLOCK', 'lQVYB', { headers: 'Version: GnuPG v2\n\n' });
  pem('PGP', 'PGP PRIVATE KEY BLOCK', 'lQVYB', { headers: '\n', ends: false });
  snippet(
    'key',
    'PEM',
    'private key on one line',
    base64Lines('MIIEvQ', 10, '==').replaceAll('\n', '\\n'),
    (secret) => `PRIVATE_KEY="-----BEGIN PRIVATE KEY-----\\n${secret}\\n-----END PRIVATE KEY-----\\n"`,
  );
  snippet(
    'key',
    'PEM',
    'indented private key',
    base64Lines('MIIEow', 10).replaceAll('\n', '\n    '),
    (secret) => `tls:\n  key: |\n    -----BEGIN RSA PRIVATE KEY-----\n    ${secret}\n    -----END RSA PRIVATE KEY-----`,
  );
  snippet(
    'key',
    'Google',
    'service account file',
    base64Lines('MIIEvQ', 14).replaceAll('\n', '\\n'),
    (secret) =>
      `{\n  "type": "service_account",\n  "project_id": "acme-prod",\n  "private_key": "-----BEGIN PRIVATE KEY-----\\n${secret}\\n-----END PRIVATE KEY-----\\n",\n  "client_email": "ci@acme-prod.iam.gserviceaccount.com"\n}`,
  );
  snippet(
    'key',
    'PuTTY',
    'private key file',
    base64Lines('AAAA', 5),
    (secret) => `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: anna\nPrivate-Lines: 5\n${secret}`,
  );
  snippet(
    'key',
    'WireGuard',
    'private key',
    `${body(BASE64, 42)}${pick(['A', 'E', 'I', 'M'])}=`,
    (secret) => `[Interface]\nAddress = 10.0.0.2/32\nPrivateKey = ${secret}\nDNS = 1.1.1.1`,
  );
  snippet(
    'key',
    'WireGuard',
    'preshared key',
    `${body(BASE64, 42)}${pick(['A', 'E', 'I', 'M'])}=`,
    (secret) => `[Peer]\nPresharedKey = ${secret}\nAllowedIPs = 0.0.0.0/0`,
  );
  snippet(
    'key',
    'OpenVPN',
    'static key',
    Array.from({ length: 16 }, () => hex(32)).join('\n'),
    (secret) =>
      `<tls-auth>\n-----BEGIN OpenVPN Static key V1-----\n${secret}\n-----END OpenVPN Static key V1-----\n</tls-auth>`,
  );
  snippet(
    'key',
    'JWK',
    'private exponent',
    url64(43),
    (secret) => `{"kty":"EC","crv":"P-256","x":"${url64(43)}","y":"${url64(43)}","d":"${secret}"}`,
  );
  snippet('key', 'Ethereum', 'private key', `0x${hex(64)}`, (secret) => `PRIVATE_KEY=${secret}`);
  snippet(
    'key',
    'Bitcoin',
    'extended private key',
    prefixed('xprv9', BASE58, 106),
    (secret) => `wallet import ${secret}`,
  );
  snippet(
    'key',
    'Bitcoin',
    'seed phrase',
    Array.from({ length: 12 }, () => pick(SEED_WORDS)).join(' '),
    (secret) => `MNEMONIC="${secret}"`,
  );

  // Tokens of no particular provider
  token('JWT', 'access token', jwt({ sub: digits(10), name: 'Anna Example', iat: 1767225600, exp: 1767229200 }));
  token(
    'JWT',
    'RS256 token',
    `${base64url(`{"alg":"RS256","kid":"${hex(8)}","typ":"JWT"}`)}.${base64url(JSON.stringify({ iss: 'https://id.example.com/', sub: uuid() }))}.${url64(342)}`,
  );
  token('JWT', 'short token', `${base64url('{"alg":"HS256"}')}.${base64url(`{"id":${digits(5)}}`)}.${url64(43)}`);

  // Passwords
  const passwords: [provider: string, name: string, secret: string, around: (secret: string) => string][] = [
    ['Generic', 'database password', password(), (s) => `DB_HOST=localhost\nDB_PASSWORD=${s}\nDB_NAME=shop`],
    ['Generic', 'short password', alnum(8), (s) => `DB_PASSWORD=${s}`],
    ['Generic', 'quoted password', `${alnum(5)} ${alnum(5)}!`, (s) => `DB_PASSWORD="${s}"`],
    ['Generic', 'password with hash', `${alnum(6)}#${alnum(4)}`, (s) => `MYSQL_ROOT_PASSWORD='${s}'`],
    ['Generic', 'password with dollar', `${alnum(4)}$${alnum(4)}%${alnum(2)}`, (s) => `POSTGRES_PASSWORD=${s}`],
    ['Generic', 'YAML password', password(), (s) => `database:\n  user: app\n  password: ${s}\n  pool: 5`],
    ['Generic', 'quoted YAML password', `${alnum(6)}: ${alnum(4)}`, (s) => `database:\n  password: "${s}"`],
    ['Generic', 'JSON password', password(), (s) => `{"username":"anna","password":"${s}","remember":true}`],
    ['Generic', 'JSON client secret', alnum(40), (s) => `{ "client_id": "web", "client_secret": "${s}" }`],
    ['Generic', 'TOML password', password(), (s) => `[database]\nuser = "app"\npassword = "${s}"`],
    ['Generic', 'INI password', alnum(12), (s) => `[client]\nuser=root\npassword=${s}`],
    [
      'Generic',
      'XML password',
      password(),
      (s) => `<server><username>deploy</username><password>${s}</password></server>`,
    ],
    ['Generic', 'password option', password(), (s) => `example-cli login --user anna --password ${s}`],
    ['Generic', 'password option with equals', password(), (s) => `example-cli login --username=anna --password=${s}`],
    ['Generic', 'passphrase option', password(), (s) => `gpg --batch --passphrase ${s} --decrypt backup.gpg`],
    ['Generic', 'form body', alnum(14), (s) => `grant_type=password&username=anna&password=${s}&scope=read`],
    [
      'Generic',
      'client secret in form',
      alnum(32),
      (s) => `curl -d "grant_type=client_credentials&client_id=web&client_secret=${s}"`,
    ],
    [
      'Generic',
      'code password',
      password(),
      (s) => `await page.fill('#email', 'anna@example.com');\nconst password = '${s}';`,
    ],
    ['Generic', 'Python password', password(), (s) => `conn = connect(host="db", user="app", password="${s}")`],
    ['Generic', 'PHP password', password(), (s) => `define( 'DB_PASSWORD', '${s}' );`],
    ['Generic', 'Ruby password', password(), (s) => `config.smtp_settings = { user_name: 'app', :password => '${s}' }`],
    ['Generic', 'Go password', password(), (s) => `cfg := Config{User: "app", Password: "${s}"}`],
    ['Generic', 'SQL password', password(), (s) => `CREATE USER app WITH PASSWORD '${s}';`],
    ['Generic', 'SQL identified by', password(), (s) => `ALTER USER 'root'@'localhost' IDENTIFIED BY '${s}';`],
    ['Generic', 'English sentence', password(), (s) => `The password for the staging box is ${s}, user is deploy.`],
    ['Generic', 'English label', password(), (s) => `user: anna@example.com\npassword: ${s}`],
    ['Generic', 'short English label', password(), (s) => `login anna / pw: ${s}`],
    ['Generic', 'German label', password(), (s) => `Benutzer: anna\nPasswort: ${s}`],
    ['Generic', 'German sentence', password(), (s) => `Das Passwort lautet ${s} – bitte nicht weitergeben.`],
    ['Generic', 'French label', password(), (s) => `identifiant : anna\nmot de passe : ${s}`],
    ['Generic', 'Spanish label', password(), (s) => `usuario: anna\ncontraseña: ${s}`],
    ['Generic', 'Portuguese label', password(), (s) => `usuário: anna\nsenha: ${s}`],
    ['Generic', 'Japanese label', password(), (s) => `ユーザー: anna\nパスワード: ${s}`],
    ['Generic', 'Chinese label', password(), (s) => `用户名:anna\n密码:${s}`],
    ['Generic', 'Russian label', password(), (s) => `логин: anna\nпароль: ${s}`],
    ['curl', 'user option', password(), (s) => `curl -u anna:${s} https://files.example.com/report.csv`],
    ['curl', 'long user option', alnum(14), (s) => `curl --user "anna:${s}" https://files.example.com/report.csv`],
    ['MySQL', 'client option', alnum(12), (s) => `mysql -h db -u root -p${s} shop`],
    ['Postgres', 'PGPASSWORD', alnum(12), (s) => `PGPASSWORD=${s} psql -h db -U app orders`],
    ['Postgres', 'pgpass line', alnum(16), (s) => `# ~/.pgpass\ndb.example.com:5432:orders:app:${s}`],
    [
      'Postgres',
      'keyword string',
      alnum(16),
      (s) => `psql "host=db.example.com port=5432 dbname=orders user=app password=${s}"`,
    ],
    ['Redis', 'client option', alnum(20), (s) => `redis-cli -h cache -a ${s} ping`],
    ['Redis', 'requirepass', alnum(24), (s) => `requirepass ${s}\nmaxmemory 256mb`],
    ['netrc', 'password', alnum(18), (s) => `machine git.example.com\n  login anna\n  password ${s}`],
    ['netrc', 'one line', alnum(18), (s) => `machine git.example.com login anna password ${s}`],
    ['sshpass', 'option', password(), (s) => `sshpass -p '${s}' ssh deploy@10.0.0.7`],
    ['sshpass', 'option without quotes', word(), (s) => `sshpass -p ${s} ssh -p 2222 deploy@10.0.0.7`],
    ['MySQL', 'dump option', word(), (s) => `mysqldump -uroot -p${s} --all-databases > all.sql`],
    ['MariaDB', 'client option', password(), (s) => `mariadb -h db -u app -p'${s}' shop`],
    [
      'LDAP',
      'search option',
      password(),
      (s) => `ldapsearch -x -H ldaps://ldap.example.com -D "cn=admin,dc=example" -w ${s} -b dc=example`,
    ],
    ['LDAP', 'whoami option', word(), (s) => `ldapwhoami -x -D cn=admin -w '${s}'`],
    ['7-Zip', 'option', alnum(10), (s) => `7z a -mhe=on -p${s} backup.7z documents/`],
    ['7-Zip', 'option of words', word(), (s) => `7z x backup.7z -p"${s}" -oout`],
    ['RAR', 'option', password(), (s) => `rar a -hp${s} backup.rar documents/`],
    ['Zip', 'option', alnum(9), (s) => `zip -r -P ${s} backup.zip documents/`],
    ['htpasswd', 'argument', alnum(10), (s) => `htpasswd -b /etc/nginx/.htpasswd anna ${s}`],
    ['htpasswd', 'argument after the name alone', word(), (s) => `htpasswd -nbB anna ${s}`],
    ['htpasswd', 'quoted argument', password(), (s) => `htpasswd -cb .htpasswd anna '${s}'`],
    ['Docker', 'option', word(), (s) => `docker login registry.example.com -u anna -p ${s}`],
    ['MongoDB', 'option', alnum(12), (s) => `mongodump --host db -u root -p ${s} --db shop`],
    ['Mosquitto', 'option', alnum(10), (s) => `mosquitto_sub -h mqtt -u sensor -P ${s} -t '#'`],
    ['SQL Server', 'option', password(), (s) => `sqlcmd -S db -U sa -P ${s} -Q 'SELECT 1'`],
    ['Samba', 'option', alnum(10), (s) => `smbclient //files/share -U anna%${s} -c ls`],
    ['OpenSSL', 'option', word(), (s) => `openssl rsa -in key.pem -passin pass:${s} -out open.pem`],
    ['sudo', 'standard input', word(), (s) => `echo ${s} | sudo -S apt-get update`],
    ['chpasswd', 'standard input', alnum(10), (s) => `echo 'deploy:${s}' | sudo chpasswd`],
    ['curl', 'joined user option', word(), (s) => `curl -uanna:${s} https://files.example.com/report.csv`],
    ['curl', 'proxy user option', alnum(10), (s) => `curl --proxy-user anna:${s} https://files.example.com/`],
    ['HTTPie', 'option', alnum(10), (s) => `http -a anna:${s} https://files.example.com/report`],
    ['Generic', 'pair of credentials', alnum(10), (s) => `creds: admin/${s}`],
    ['Generic', 'pair with spaces', password(), (s) => `Credentials for staging: anna / ${s}`],
    ['Generic', 'pair in a sentence', alnum(10), (s) => `You can log in with demo/${s} until Friday.`],
    ['Generic', 'German pair', alnum(10), (s) => `Zugangsdaten: anna / ${s}`],
    [
      'Generic',
      'column of a table',
      alnum(10),
      (s) => `| host | user | password |\n|------|------|----------|\n| db1 | app | ${s} |\n| db2 | app | - |`,
    ],
    [
      'Generic',
      'column of a table in code marks',
      password(),
      (s) => `| Umgebung | Passwort | Rolle |\n| :-- | :--: | --- |\n| Test | \`${s}\` | Admin |`,
    ],
    ['Generic', 'table without outer lines', alnum(10), (s) => `user | pwd\n--- | ---\nanna | ${s}`],
    ['Generic', 'row of a table', password(), (s) => `| Setting | Value |\n|---|---|\n| DB password | ${s} |`],
    ['Generic', 'API key in a table', alnum(32), (s) => `| Service | API key |\n|---|---|\n| Maps | ${s} |`],
    [
      'Postgres',
      'URL with a slash',
      `${alnum(4)}/${alnum(5)}`,
      (s) => `DATABASE_URL=postgres://app:${s}@db.example.com:5432/orders`,
    ],
    [
      'Git',
      'URL with slashes',
      `${alnum(4)}/${alnum(4)}/${alnum(3)}`,
      (s) => `git clone https://anna:${s}@git.example.com/app.git`,
    ],
    ['Redis', 'URL with a slash', body(BASE64, 24).replace(/.$/, '/'), (s) => `redis://:${s}@cache:6379/0`],
    ['Ansible', 'sudo password', password(), (s) => `ansible_user: deploy\nansible_become_password: ${s}`],
    [
      'Maven',
      'settings password',
      password(),
      (s) => `<server>\n  <id>nexus</id>\n  <password>${s}</password>\n</server>`,
    ],
    ['Wi-Fi', 'pre-shared key', password(), (s) => `network={\n  ssid="Office"\n  psk="${s}"\n}`],
    ['Rails', 'master key', hex(32), (s) => `RAILS_MASTER_KEY=${s}`],
    [
      'Django',
      'secret key',
      prefixed('django-insecure-', `${LOWER36}!@#$%^&*(-_=+)`, 50),
      (s) => `SECRET_KEY = '${s}'`,
    ],
    ['Laravel', 'app key', `${body(BASE64, 43)}=`, (s) => `APP_NAME=Shop\nAPP_KEY=base64:${s}`],
    ['Flask', 'secret key', hex(48), (s) => `app.config["SECRET_KEY"] = "${s}"`],
    ['NextAuth', 'secret', `${body(BASE64, 43)}=`, (s) => `NEXTAUTH_SECRET="${s}"`],
    ['Express', 'session secret', alnum(32), (s) => `app.use(session({ secret: '${s}', resave: false }));`],
    ['Generic', 'JWT secret', alnum(40), (s) => `JWT_SECRET=${s}`],
    ['Generic', 'encryption key', hex(64), (s) => `ENCRYPTION_KEY=${s}`],
    ['Sidekiq', 'gem credentials', `${hex(8)}:${hex(8)}`, (s) => `BUNDLE_GEMS__CONTRIBSYS__COM=${s}`],
    ['Generic', 'backup code', `${body(LOWER36, 5)}-${body(LOWER36, 5)}`, (s) => `recovery code: ${s}`],
    ['Generic', 'TOTP secret', body(BASE32, 32), (s) => `otpauth://totp/Acme:anna@example.com?secret=${s}&issuer=Acme`],
  ];
  for (const [provider, name, secret, around] of passwords) snippet('password', provider, name, secret, around);

  // Headers and cookies
  const headers: [provider: string, name: string, secret: string, around: (secret: string) => string][] = [
    ['HTTP', 'basic auth header', base64(`anna:${password()}`), (s) => `Authorization: Basic ${s}`],
    ['HTTP', 'proxy auth header', base64(`proxy:${password()}`), (s) => `Proxy-Authorization: Basic ${s}`],
    [
      'HTTP',
      'lowercase basic header',
      base64(`anna:${password()}`),
      (s) => `> authorization: basic ${s}\n> accept: */*`,
    ],
    ['HTTP', 'bearer header', alnum(40), (s) => `curl -H 'Authorization: Bearer ${s}' https://api.example.com/me`],
    ['HTTP', 'bearer in code', url64(32), (s) => `fetch(url, { headers: { Authorization: 'Bearer ${s}' } })`],
    [
      'HTTP',
      'bearer in JSON',
      hex(48),
      (s) => `{"headers":{"authorization":"Bearer ${s}","accept":"application/json"}}`,
    ],
    ['HTTP', 'API key header', alnum(32), (s) => `X-API-Key: ${s}`],
    ['HTTP', 'API key option', hex(32), (s) => `http GET api.example.com/me x-api-key:${s}`],
    ['HTTP', 'auth token header', url64(40), (s) => `X-Auth-Token: ${s}`],
    ['HTTP', 'access token header', alnum(36), (s) => `"X-Access-Token": "${s}"`],
    ['HTTP', 'session cookie', url64(43), (s) => `Cookie: theme=dark; session=${s}; lang=en`],
    ['HTTP', 'set cookie', alnum(32), (s) => `Set-Cookie: sessionid=${s}; Path=/; HttpOnly; Secure`],
    ['Express', 'session cookie', `s%3A${url64(32)}.${alnum(43)}`, (s) => `Cookie: connect.sid=${s}`],
    ['PHP', 'session cookie', body(LOWER36, 26), (s) => `Cookie: PHPSESSID=${s}; consent=1`],
    ['Java', 'session cookie', hex(32).toUpperCase(), (s) => `Cookie: JSESSIONID=${s}`],
    ['GitLab', 'session cookie', hex(32), (s) => `Cookie: _gitlab_session=${s}`],
    ['NextAuth', 'session cookie', uuid(), (s) => `Cookie: __Secure-next-auth.session-token=${s}`],
    ['HTTP', 'curl cookie option', alnum(40), (s) => `curl -b "auth_token=${s}" https://app.example.com/`],
    ['Shopify', 'access token header', hex(32), (s) => `X-Shopify-Access-Token: ${s}`],
    ['Supabase', 'apikey header', alnum(40), (s) => `-H "apikey: ${s}" -H "Prefer: return=minimal"`],
    ['Cloudflare', 'auth key header', hex(37), (s) => `X-Auth-Email: ops@example.com\nX-Auth-Key: ${s}`],
  ];
  for (const [provider, name, secret, around] of headers) snippet('header', provider, name, secret, around);

  // URLs with a token
  const urls: [provider: string, name: string, secret: string, around: (secret: string) => string][] = [
    ['HTTP', 'access token parameter', alnum(40), (s) => `https://api.example.com/me?access_token=${s}`],
    ['HTTP', 'API key parameter', hex(32), (s) => `https://api.example.com/v1/search?q=tea&apikey=${s}&page=2`],
    ['HTTP', 'fragment token', url64(64), (s) => `https://app.example.com/cb#access_token=${s}&token_type=bearer`],
    ['HTTP', 'reset link', url64(43), (s) => `https://app.example.com/reset-password?token=${s}`],
    ['HTTP', 'reset path', alnum(20), (s) => `https://app.example.com/reset-password/${s}`],
    ['HTTP', 'reset path with parameters', hex(64), (s) => `https://app.example.com/auth/reset/${s}?email=a%40b.co`],
    [
      'Django',
      'reset path',
      `${body(LOWER36, 6)}-${hex(32)}`,
      (s) => `https://app.example.com/accounts/reset/MQ/${s}/`,
    ],
    [
      'Devise',
      'reset parameter',
      url64(20),
      (s) => `https://app.example.com/users/password/edit?reset_password_token=${s}`,
    ],
    [
      'Firebase',
      'reset parameter',
      alnum(54),
      (s) => `https://shop.firebaseapp.com/__/auth/action?mode=resetPassword&oobCode=${s}`,
    ],
    ['HTTP', 'short parameter of a reset', hex(40), (s) => `https://app.example.com/forgot-password?u=12&h=${s}`],
    ['HTTP', 'invitation path', url64(32), (s) => `https://app.example.com/teams/7/invitations/${s}`],
    ['HTTP', 'confirmation path', hex(40), (s) => `https://app.example.com/confirm-email/${s}`],
    ['HTTP', 'authorization code', url64(43), (s) => `http://localhost:8765/callback?code=${s}&state=xyz`],
    ['HTTP', 'id token', jwt({ sub: digits(8), aud: 'web' }), (s) => `https://app.example.com/cb?id_token=${s}`],
    ['HTTP', 'signed URL', hex(64), (s) => `https://cdn.example.com/v/7.mp4?expires=1767225600&signature=${s}`],
    ['Jupyter', 'notebook URL', hex(48), (s) => `http://127.0.0.1:8888/lab?token=${s}`],
    ['svc', 'sign-in link', url64(43), (s) => `https://memory.example.com/v1/auth/callback?token=${s}`],
    ['svc', 'ticket link', url64(43), (s) => `https://memory.example.com/#ticket=${s}`],
    ['svc', 'key link', prefixed('svc_live_', HEX, 32), (s) => `http://localhost:7777/#key=${s}`],
  ];
  for (const [provider, name, secret, around] of urls) snippet('url', provider, name, secret, around);

  // The product's own
  token('svc', 'API key', prefixed('svc_live_', HEX, 32));
  snippet('header', 'svc', 'session cookie', url64(43), (secret) => `Cookie: svc_session=${secret}; theme=dark`);
  snippet(
    'header',
    'svc',
    'set session cookie',
    url64(43),
    (secret) => `Set-Cookie: svc_session=${secret}; Path=/; HttpOnly`,
  );
  snippet(
    'assignment',
    'svc',
    'MCP configuration',
    prefixed('svc_live_', HEX, 32),
    (secret) =>
      `claude mcp add --transport http svc http://localhost:7777/mcp --header "Authorization: Bearer ${secret}"`,
  );

  return shapes;
}
