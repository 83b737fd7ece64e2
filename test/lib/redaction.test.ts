import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { redactJson, redactSecrets } from '../../src/lib/redaction.ts';
import { finish } from '../../src/lib/time-slices.ts';
import { createSeededRandom } from '../helpers/seeded-random.ts';

let random = createSeededRandom(81);
// The same texts for each test, in whichever order they run.
beforeEach(() => {
  random = createSeededRandom(81);
});
const CLASSES: Record<string, string> = {
  a: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  l: 'abcdefghijklmnopqrstuvwxyz0123456789',
  L: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  U: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  h: '0123456789abcdef',
  d: '0123456789',
  b: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
};

/** Fills a template: `{a36}` is 36 characters of class `a`. */
function filled(template: string): string {
  return template.replace(/\{([a-zA-Z])(\d+)\}/g, (_, name: string, count: string) =>
    Array.from({ length: Number(count) }, () => random.oneOf([...CLASSES[name]!])).join(''),
  );
}

const SHAPES: Record<string, string> = {
  'aws-access-token': 'AKIA{U16}',
  'anthropic-api-key': 'sk-ant-api03-{a93}AA',
  'openai-api-key': 'sk-proj-{a74}T3BlbkFJ{a74}',
  'github-pat': 'ghp_{a36}',
  'github-fine-grained-pat': 'github_pat_{a82}',
  'github-app-token': 'ghs_{a36}',
  'gitlab-pat': 'glpat-{a20}',
  'gcp-api-key': 'AIza{a35}',
  'slack-bot-token': 'xoxb-{d12}-{d12}-{a24}',
  'slack-user-token': 'xoxp-{d11}-{d11}-{d12}-{a32}',
  'slack-webhook-url': 'hooks.slack.com/services/T{a8}/B{a10}/{a24}',
  'stripe-access-token': 'sk_live_{a24}',
  'npm-access-token': 'npm_{a36}',
  'pypi-upload-token': 'pypi-AgEIcHlwaS5vcmc{a100}',
  'huggingface-access-token': 'hf_{L34}',
  'sendgrid-api-token': 'SG.{a22}.{a43}',
  'twilio-api-key': 'SK{h32}',
  'digitalocean-pat': 'dop_v1_{h64}',
  'databricks-api-token': 'dapi{h32}',
  'shopify-access-token': 'shpat_{h32}',
  'linear-api-key': 'lin_api_{a40}',
  'notion-api-token': 'ntn_{d11}{a35}',
  'vault-service-token': 'hvs.{a95}',
  'grafana-service-account-token': 'glsa_{a32}_{h8}',
  'postman-api-token': 'PMAK-{h24}-{h34}',
  'pulumi-api-token': 'pul-{h40}',
  'rubygems-api-token': 'rubygems_{h48}',
  'dynatrace-api-token': 'dt0c01.{a24}.{a64}',
  'doppler-api-token': 'dp.pt.{a43}',
  'atlassian-api-token': 'ATATT3{a186}',
  'azure-ad-client-secret': '{a3}8Q~{a33}',
  'hashicorp-tf-api-token': '{a14}.atlasv1.{a64}',
  jwt: 'eyJ{a30}.eyJ{a60}.{a43}',
  'svc-api-key': 'svc_live_{h32}',
  'svc-device-token': 'svc_dev_{a43}',
  'svc-oauth-token': 'svc_oat_{a43}',
  'planetscale-password': 'pscale_pw_{a43}',
  'flyio-access-token': 'fo1_{a43}',
  'sentry-user-token': 'sntryu_{h64}',
  'age-secret-key': 'AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE',
  'private-key': '-----BEGIN OPENSSH PRIVATE KEY-----\n{b64}\n{b64}\n-----END OPENSSH PRIVATE KEY-----',
  'url-password': 'postgres://svc:{a16}@db.example.com:5432/svc',
};
/** Credentials whose shape or surroundings were not recognized once. The brackets enclose the secret. */
const NAMED: Record<string, string> = {
  'Claude OAuth token': '⟦sk-ant-oat01-{a93}AA⟧',
  'OpenRouter key': '⟦sk-or-v1-{h64}⟧',
  'Groq key': '⟦gsk_{a52}⟧',
  'xAI key': '⟦xai-{a80}⟧',
  'Google client secret': '⟦GOCSPX-{a28}⟧',
  'Google access token': '⟦ya29.{a160}⟧',
  'Replicate token': '⟦r8_{a37}⟧',
  'Supabase token': '⟦sbp_{h40}⟧',
  'webhook secret': '⟦whsec_{a32}⟧',
  'DeepSeek key': '⟦sk-{h32}⟧',
  'Slack session token': '⟦xoxc-{d11}-{d12}-{d13}-{h64}⟧',
  'Discord token': '⟦MTA{a21}.{a6}.{a38}⟧',
  'Telegram token': '⟦{d10}:AA{a33}⟧',
  'Tailscale key': '⟦tskey-auth-{a12}CNTRL-{a32}⟧',
  'Vercel token': '⟦vcp_{a56}⟧',
  'Vercel token by its name': 'VERCEL_TOKEN=⟦{a24}⟧',
  'Figma token': '⟦figd_{a40}⟧',
  'LangSmith key': '⟦lsv2_pt_{h32}_{h10}⟧',
  'Tavily key': '⟦tvly-{a32}⟧',
  'Azure account key':
    'DefaultEndpointsProtocol=https;AccountName=svc;AccountKey=⟦{b86}==⟧;EndpointSuffix=core.windows.net',
  'Basic header': 'curl -H "Authorization: Basic ⟦{a30}1aB==⟧" https://example.com',
  'Bearer header': 'Authorization: Bearer ⟦{a40}⟧',
  'password in an env file': 'PORT=80\nDB_PASSWORD=⟦{a12}(4;#x&{a3}⟧\nDEBUG=1',
  'AWS secret key': 'AWS_SECRET_ACCESS_KEY=⟦{a39}+⟧',
  'private key without its end': '-----BEGIN RSA PRIVATE KEY-----\n⟦{b64}\n{b64}\n{b20}⟧',
  'sign-in link': 'https://svc.example.com/v1/sign-in?token=⟦{a43}⟧',
  'ticket of the web app': 'https://svc.example.com/dashboard#ticket=⟦{a43}⟧',
  'session cookie': 'Cookie: theme=dark; __Host-svc=⟦{a43}⟧; other=1',
  'session cookie without https': 'Set-Cookie: svc_session=⟦{a43}⟧; HttpOnly',
  'URL password with $': 'postgres://ada:⟦p$ss{a8}⟧@db.example.com/svc',
  'URL password that begins with $': 'postgres://ada:⟦$3cr{a8}⟧@db.example.com/svc',
  'URL password with %40': 'mysql://ada:⟦p%40ss{a8}⟧@db.example.com/svc',
  'key of an HMAC': "createHmac('sha256', '⟦{h64}⟧').update(body)",
  'key of an HMAC in Python': 'hmac.new(b"⟦{a32}7⟧", body, hashlib.sha256)',
  'key that signs a JWT': "jwt.sign({ sub: id }, '⟦{a31}7⟧', { expiresIn: '1h' })",
  'key of Fernet': 'Fernet(b"⟦{b42}7=⟧")',
  'padded key of WordPress': "define('AUTH_KEY',         '⟦{a31}^(7⟧');",
  'SecureString of PowerShell': "ConvertTo-SecureString '⟦{a14}!9⟧' -AsPlainText -Force",
  'answer of aws configure': 'AWS Secret Access Key [None]: ⟦{b39}7⟧',
  'password after an escaped line break': '"user = ada\\npass = ⟦{a30}7⟧\\nport = 22"',
  'password of a network in a QR code': 'WIFI:T:WPA;S:Office;P:⟦maple{d4}{a6}⟧;;',
  'password of Oracle': 'jdbc:oracle:thin:scott/⟦{a12}⟧@//db.example.com:1521/ORCL',
  'URL password with @': 'redis://:⟦p@ss{a8}⟧@db.example.com:6379',
};
const SETTINGS = ['use {} for now', 'export TOKEN="{}"', '{"key":"{}"}', 'It is {}.', '{}'];

/** Texts that resemble credentials and are none. */
const HARMLESS = [
  () => filled('fixed in {h40}, see the log'),
  () => filled('{h8}-{h4}-4{h3}-a{h3}-{h12}'),
  () => `data:image/png;base64,iVBORw0KGgo${filled('{b400}')}==`,
  () => filled('sha256:{h64}'),
  () => filled('"integrity": "sha512-{b86}=="'),
  () => filled('const skipped{d3} = await task_{l12}(sk_index, { token: process.env.TOKEN });'),
  () => filled('https://example.com:8443/{l12}?page={d3}#{l8}'),
  () => filled('mem_{h32} conv_{h32} hf_model ghp_page npm_{l8}_config'),
  () =>
    'postgres://user:$PASSWORD@host/db and https://user:<password>@host and ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  () => 'My password manager is 1Password, and the playlist has #EXT-X-KEY:METHOD=AES-128,URI="key.bin".',
  () =>
    "createHmac('sha256', secret); jwt.sign(claims, process.env.JWT_SECRET, { expiresIn: '15m' }); new SecretKeySpec(bytes, 'HmacSHA256')",
  () => "define('AUTH_KEY',         'put your unique phrase here'); Default region name [None]: eu-central-1",
  () => 'WIFI:T:nopass;S:Guest;; jdbc:oracle:thin:@//db.example.com:1521/ORCL; sqlplus / as sysdba',
  () => filled('The ASIA region has {d4} nodes; AKIA is a prefix, AKIAIOSFODNN7EXAMPLE the documented example.'),
];

describe('redacted text', () => {
  test('masks 210 known shapes of credentials, wherever they stand', () => {
    const missed = Object.entries(SHAPES).flatMap(([id, template]) =>
      SETTINGS.filter((setting) => {
        const secret = filled(template);
        const { text, count } = redactSecrets(setting.replace('{}', () => secret));
        return count !== 1 || text.includes(secret) || !text.includes(`[redacted: ${id}]`);
      }).map((setting) => `${id}: ${setting}`),
    );
    expect(Object.keys(SHAPES).length * SETTINGS.length).toBe(210);
    expect(missed).toEqual([]);
  });

  test('leaves at least 99 % of 2,000 harmless look-alikes alone', () => {
    const texts = Array.from({ length: 2000 }, (_, index) => HARMLESS[index % HARMLESS.length]!());
    const masked = texts.filter((text) => redactSecrets(text).count > 0);
    expect(masked.length, masked.slice(0, 5).join('\n')).toBeLessThanOrEqual(20);
  });

  test.each(Object.entries(NAMED))('masks a %s, whole and alone', (_, template) => {
    const [before = '', secret = '', after = ''] = filled(template).split(/[⟦⟧]/);
    const masked = redactSecrets(before + secret + after).text;
    expect(secret.length).toBeGreaterThan(8);
    expect(masked).toMatch(/\[redacted: [a-z0-9-]+\]/);
    expect(masked.replace(/\[redacted: [a-z0-9-]+\]/, '')).toBe(before.startsWith('-----BEGIN') ? '' : before + after);
  });

  test.each([
    'function login(user: string, password: string): Promise<Token>',
    'const token = await getToken(request.headers.authorization);',
    'password = os.environ["DB_PASSWORD"]; secret: process.env.SECRET2',
    'DB_PASSWORD=$PASSWORD API_KEY=%KEY% TOKEN=<your token> SECRET=changeme PASSWORD_MIN_LENGTH=12',
    '"js-tokens": "^4.0.0", "integrity": "sha512-abc", maxTokens: 4096, token_url: https://example.com/oauth2/token',
    'The password is required and must have 8 characters. Authorization: Bearer <token>',
    'const cacheKey = "3f2a9c1e-8b7d-4c6e-9f10-aabbccddeeff"; http://localhost:8080/@scope/name',
  ])('leaves alone: %s', (text) => {
    expect(redactSecrets(text)).toEqual({ text, count: 0 });
  });

  test('keeps everything but the password of a URL', () => {
    expect(redactSecrets('see postgres://ada:hunter22@db/svc').text).toBe(
      'see postgres://ada:[redacted: url-password]@db/svc',
    );
  });

  test('is the same when it is redacted again', () => {
    const anySecret = fc.constantFrom(...Object.values(SHAPES)).map(filled);
    fc.assert(
      fc.property(fc.array(fc.oneof(anySecret, fc.string())), (parts) => {
        const { text } = redactSecrets(parts.join(' '));
        expect(redactSecrets(text)).toEqual({ text, count: 0 });
      }),
    );
  });

  test.each([
    '-----BEGIN RSA PRIVATE KEY-----',
    'eyJhbGciOiJIUzI1NiIs.',
    'a://b:',
    'ghp_',
    'AKIA',
    'glpat-a',
    'ey-',
    'token="',
    'password=a1',
    'key: A1b',
    'Authorization: ',
    'https://a:',
    'pass_',
    '?sig=',
    'sess-a_',
    'a1B/',
    '-----BEGIN PRIVATE KEY-----MIIEowIBAAKCAQEA ',
    'https://a/reset/',
    'https://a/reset?a=b&',
    'a://b:/@',
    'mysql -p ',
    'ldapsearch -w ',
    'curl -u a:',
    'htpasswd -b a b ',
    'echo a:b ',
    'creds: a/',
    'log in with a ',
    '| password |\n|---|---|\n',
    '|password',
    '\n|',
  ])('reads a long hostile text of %j once, not once for each beginning', (beginning) => {
    const text = beginning.repeat(Math.ceil(100_000 / beginning.length));
    expect(redactSecrets(text).text.length).toBeGreaterThan(0);
  });
});

describe('redacted JSON', () => {
  const redact = (value: unknown) => finish(redactJson(value));

  test('masks names of members like texts, and counts both', () => {
    const token = filled(SHAPES['github-pat']!);
    expect(redact({ [token]: [token, { [`use ${token}`]: 1 }], plain: 'tea' })).toEqual({
      value: {
        '[redacted: github-pat]': ['[redacted: github-pat]', { 'use [redacted: github-pat]': 1 }],
        plain: 'tea',
      },
      count: 3,
    });
  });

  test('numbers masked names that would be equal, and leaves the others unchanged', () => {
    const [first, second, third] = [1, 2, 3].map(() => filled(SHAPES['npm-access-token']!)) as [string, string, string];
    const mask = '[redacted: npm-access-token]';
    expect(redact({ [first]: 1, [second]: 2, [`${mask} (2)`]: 'own', [third]: 3 }).value).toEqual({
      [mask]: 1,
      [`${mask} (3)`]: 2,
      [`${mask} (2)`]: 'own',
      [`${mask} (4)`]: 3,
    });
    expect(redact({ [first]: 1, [mask]: 'own' }).value).toEqual({ [`${mask} (2)`]: 1, [mask]: 'own' });
  });

  test('loses no member, and is the same when it is redacted again', () => {
    const anySecret = fc.constantFrom(...Object.values(SHAPES)).map(filled);
    const anyName = fc.oneof(anySecret, fc.constantFrom('[redacted: jwt]', '[redacted: jwt] (2)', '__proto__', '1'));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.oneof(anyName, fc.string()), fc.nat())), (members) => {
        const value = Object.fromEntries(members);
        const redacted = redact(value);
        expect(Object.values(redacted.value as object).sort()).toEqual(Object.values(value).sort());
        expect(redact(redacted.value)).toEqual({ value: redacted.value, count: 0 });
      }),
    );
  });
});

describe('values beside a name, and what looks like one', () => {
  const value = 'kV9mQ2xLp7tR4w';
  test.each([
    [`**Password:** ${value}`],
    [`- **API key:** \`${value}\``],
    [`{"name": "API_TOKEN", "value": "${value}"}`],
    [`- name: DB_PASSWORD\n  value: ${value}`],
    [`#define API_KEY "${value}"`],
    [`set -gx API_TOKEN ${value}`],
    [`gh secret set API_TOKEN --body "${value}"`],
    [`AZURE_DEVOPS_EXT_PAT=${value}`],
    [`le mot de passe est ${value}`],
    [`la contraseña es ${value}`],
    [`密码是${value}`],
    [`パスワードは${value}です`],
  ])('a value is masked in %j', (text) => {
    expect(redactSecrets(text).text).toContain('[redacted: ');
    expect(redactSecrets(text).text).not.toContain(value);
  });

  test.each([
    ['xoxe.xoxp-1-Mi0yLTQ1NjFhYmNk_ZWYxMjM0NTY3ODkw_abcXYZ09'],
    ['xoxe-1-My0xLTQ1NjFhYmNk_ZWYxMjM0NTY3ODkw_abcXYZ0987'],
    ['sk_test_a2V5XzAxSEtS_TkpCWk-ZUOVhLQ1E3UlYzUDRXNlQ'],
    [`-----BEGIN OPENSSH PRIVATE KEY-----\n${'b3BlbnNzaC1rZXktdjEA'.repeat(3)}`],
  ])('%j leaves nothing of itself behind, in base64 too', (secret) => {
    expect(redactSecrets(`use ${secret} now`).text).toMatch(/^use \[redacted: [a-z-]+\] now$/);
    const encoded = Buffer.from(secret).toString('base64');
    if (secret.startsWith('--'))
      expect(redactSecrets(`use ${encoded} now`).text).toBe('use [redacted: private-key] now');
  });

  test('the password of an app is masked with its spaces', () => {
    const text = 'GMAIL_APP_PASSWORD="qzmj myub ofwt cibx"';
    expect(redactSecrets(text).text).toBe('GMAIL_APP_PASSWORD="[redacted: assigned-secret]"');
  });

  test.each([
    ['pass: 128/130, fail: 2'],
    ['bypass: X9ray-Mode2, compass: N42E17grid'],
    ['Passau: A3-Abfahrt117'],
    ['bob:x:1000:1000:Bob:/home/bob:/bin/bash'],
    ['nextPageToken: "CAUQAAabc123XYZabc"'],
    ['STRIPE_PUBLISHABLE_KEY=pk_test_51Hb8rXK2eZvKYlo2CxW9fQ7'],
    ['data-sitekey="6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ"'],
    ['Cache restored from key: Linux-node-3f9a7c21d4e8'],
    ['LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUQ5aG9zdA=='],
    ['{"name": "PUBLIC_URL", "value": "https://a.example/b2"}'],
    ['la contraseña es obligatoria'],
  ])('%j is harmless', (text) => {
    expect(redactSecrets(text)).toEqual({ text, count: 0 });
  });
});
