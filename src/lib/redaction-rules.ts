/** A known shape of a credential. */
export interface RedactionRule {
  id: string;
  /** A text without any of these contains no such credential, so most rules cost one search for a word. */
  keywords: readonly string[];
  /** Matches in linear time: classes are bounded or end at a character they do not contain. The first group is masked, if any. */
  pattern: RegExp;
  /** Least Shannon entropy in bits per character; below it is a placeholder such as `ghp_xxxx…`. */
  entropy: number;
}

/** A token that starts with its keyword and stands alone. */
function token(id: string, keyword: string, rest: string, entropy = 2): RedactionRule {
  return tokens(id, [keyword], keyword.replace(/[.]/g, '\\.') + rest, entropy);
}

function tokens(id: string, keywords: readonly string[], source: string, entropy = 2): RedactionRule {
  return { id, keywords, pattern: new RegExp(`(?<![A-Za-z0-9])${source}(?![A-Za-z0-9])`, 'g'), entropy };
}

/**
 * Credentials with a distinctive prefix. Ids, shapes and entropies are those of gitleaks (MIT License, © 2019 Zachary
 * Rice; https://github.com/gitleaks/gitleaks, config/gitleaks.toml), except those of svc and `url-password`. Its rules that
 * need a name beside the value (`token = …`) are left out: in prose they match words.
 */
export const REDACTION_RULES: readonly RedactionRule[] = [
  token('1password-service-account-token', 'ops_eyJ', '[a-zA-Z0-9+/]{250,4000}={0,3}', 4),
  token('age-secret-key', 'AGE-SECRET-KEY-1', '[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}'),
  token('alibaba-access-key-id', 'LTAI', '[A-Za-z0-9]{20}'),
  token('anthropic-admin-api-key', 'sk-ant-admin01-', '[a-zA-Z0-9_-]{93}AA'),
  token('anthropic-api-key', 'sk-ant-api03-', '[a-zA-Z0-9_-]{93}AA'),
  token('artifactory-api-key', 'AKCp', '[A-Za-z0-9]{69}', 4.5),
  token('atlassian-api-token', 'ATATT3', '[A-Za-z0-9_=-]{186}', 3.5),
  tokens(
    'aws-access-token',
    ['A3T', 'AKIA', 'ASIA', 'ABIA', 'ACCA'],
    '(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)(?![A-Z2-7]{9}EXAMPLE)[A-Z2-7]{16}',
    3,
  ),
  tokens('azure-ad-client-secret', ['Q~'], '[a-zA-Z0-9_~.]{3}\\dQ~[a-zA-Z0-9_~.-]{31,34}', 3),
  token('clojars-api-token', 'CLOJARS_', '[a-z0-9]{60}'),
  token('cloudflare-origin-ca-key', 'v1.0-', '[a-f0-9]{24}-[a-f0-9]{146}'),
  token('databricks-api-token', 'dapi', '[a-f0-9]{32}(?:-\\d)?', 3),
  token('digitalocean-access-token', 'doo_v1_', '[a-f0-9]{64}', 3),
  token('digitalocean-pat', 'dop_v1_', '[a-f0-9]{64}', 3),
  token('digitalocean-refresh-token', 'dor_v1_', '[a-f0-9]{64}'),
  token('doppler-api-token', 'dp.pt.', '[A-Za-z0-9]{43}'),
  token('duffel-api-token', 'duffel_', '(?:test|live)_[A-Za-z0-9_=-]{43}'),
  token('dynatrace-api-token', 'dt0c01.', '[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}', 4),
  token('easypost-api-token', 'EZAK', '[A-Za-z0-9]{54}'),
  token('flyio-access-token', 'fo1_', '[\\w-]{43}', 4),
  token('gcp-api-key', 'AIza', '[\\w-]{35}', 4),
  token('github-fine-grained-pat', 'github_pat_', '\\w{82}', 3),
  token('github-oauth', 'gho_', '[0-9a-zA-Z]{36}', 3),
  token('github-pat', 'ghp_', '[0-9a-zA-Z]{36}', 3),
  token('github-refresh-token', 'ghr_', '[0-9a-zA-Z]{36}', 3),
  tokens('github-app-token', ['ghu_', 'ghs_'], 'gh[us]_[0-9a-zA-Z]{36}', 3),
  token('gitlab-deploy-token', 'gldt-', '[0-9a-zA-Z_-]{20}', 3),
  token('gitlab-pat', 'glpat-', '(?:[0-9a-zA-Z_-]{27,300}\\.[0-9a-z]{9}|[\\w-]{20})', 3),
  token('gitlab-ptt', 'glptt-', '[0-9a-f]{40}', 3),
  token('gitlab-rrt', 'GR1348941', '[\\w-]{20}', 3),
  token(
    'gitlab-runner-authentication-token',
    'glrt-',
    '(?:t\\d_[0-9a-zA-Z_-]{27,300}\\.[0-9a-z]{9}|[0-9a-zA-Z_-]{20})',
    3,
  ),
  token('grafana-api-key', 'eyJrIjoi', '[A-Za-z0-9]{70,400}={0,3}', 3),
  token('grafana-cloud-api-token', 'glc_', '[A-Za-z0-9+/]{32,400}={0,3}', 3),
  token('grafana-service-account-token', 'glsa_', '[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}', 3),
  tokens('harness-api-key', ['pat.', 'sat.'], '[ps]at\\.[a-zA-Z0-9_-]{22}\\.[a-zA-Z0-9]{24}\\.[a-zA-Z0-9]{20}'),
  tokens('hashicorp-tf-api-token', ['.atlasv1.'], '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,70}', 3.5),
  token('heroku-api-key-v2', 'HRKU-AA', '[0-9a-zA-Z_-]{58}', 4),
  token('huggingface-access-token', 'hf_', '[A-Za-z]{34}'),
  token('huggingface-organization-api-token', 'api_org_', '[A-Za-z]{34}'),
  token('infracost-api-token', 'ico-', '[a-zA-Z0-9]{32}', 3),
  tokens('jwt', ['.ey'], 'ey[a-zA-Z0-9]{17,}\\.ey[a-zA-Z0-9/\\\\_-]{17,}\\.(?:[a-zA-Z0-9/\\\\_-]{10,}={0,2})?', 3),
  token('linear-api-key', 'lin_api_', '[A-Za-z0-9]{40}'),
  token('notion-api-token', 'ntn_', '[0-9]{11}[A-Za-z0-9]{35}', 4),
  token('npm-access-token', 'npm_', '[A-Za-z0-9]{36}'),
  tokens(
    'openai-api-key',
    ['T3BlbkFJ'],
    'sk-(?:(?:proj|svcacct|admin)-(?:[A-Za-z0-9_-]{74}|[A-Za-z0-9_-]{58})T3BlbkFJ(?:[A-Za-z0-9_-]{74}|[A-Za-z0-9_-]{58})|[a-zA-Z0-9]{20}T3BlbkFJ[a-zA-Z0-9]{20})',
    3,
  ),
  token('openshift-user-token', 'sha256~', '[\\w-]{43}', 3.5),
  token('perplexity-api-key', 'pplx-', '[a-zA-Z0-9]{48}', 4),
  token('planetscale-api-token', 'pscale_tkn_', '[\\w=.-]{32,64}', 3),
  token('planetscale-oauth-token', 'pscale_oauth_', '[\\w=.-]{32,64}', 3),
  token('planetscale-password', 'pscale_pw_', '[\\w=.-]{32,64}', 3),
  token('postman-api-token', 'PMAK-', '[A-Fa-f0-9]{24}-[A-Fa-f0-9]{34}', 3),
  token('prefect-api-token', 'pnu_', '[a-zA-Z0-9]{36}'),
  token('pulumi-api-token', 'pul-', '[a-f0-9]{40}'),
  token('pypi-upload-token', 'pypi-AgEIcHlwaS5vcmc', '[\\w-]{50,1000}', 3),
  token('readme-api-token', 'rdme_', '[a-z0-9]{70}'),
  token('rubygems-api-token', 'rubygems_', '[a-f0-9]{48}'),
  token('sendgrid-api-token', 'SG.', '[A-Za-z0-9=_.-]{66}'),
  token('sendinblue-api-token', 'xkeysib-', '[a-f0-9]{64}-[A-Za-z0-9]{16}'),
  token('sentry-user-token', 'sntryu_', '[a-f0-9]{64}', 3.5),
  token('shippo-api-token', 'shippo_', '(?:live|test)_[a-fA-F0-9]{40}'),
  token('shopify-access-token', 'shpat_', '[a-fA-F0-9]{32}'),
  token('shopify-custom-access-token', 'shpca_', '[a-fA-F0-9]{32}'),
  token('shopify-private-app-access-token', 'shppa_', '[a-fA-F0-9]{32}'),
  token('shopify-shared-secret', 'shpss_', '[a-fA-F0-9]{32}'),
  token('slack-app-token', 'xapp-', '\\d-[A-Za-z0-9]{1,40}-\\d{1,20}-[A-Za-z0-9]{16,100}'),
  token('slack-bot-token', 'xoxb-', '[0-9]{8,14}-(?:[0-9]{10,13}[a-zA-Z0-9-]{0,60}|[a-zA-Z0-9]{18,26})'),
  tokens('slack-user-token', ['xoxp-', 'xoxe-'], 'xox[pe](?:-[0-9]{10,13}){3}-[a-zA-Z0-9-]{28,34}'),
  tokens(
    'slack-webhook-url',
    ['hooks.slack.com/'],
    'hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{43,56}',
  ),
  token('square-access-token', 'sq0atp-', '[\\w-]{22,60}'),
  tokens('stripe-access-token', ['k_test_', 'k_live_', 'k_prod_'], '[sr]k_(?:test|live|prod)_[a-zA-Z0-9]{10,99}'),
  token('svc-api-key', 'svc_live_', '[0-9a-f]{32}', 2),
  tokens('svc-oauth-token', ['svc_oat_', 'svc_ort_', 'svc_oac_'], 'svc_o(?:at|rt|ac)_[\\w-]{43,86}', 3),
  token('svc-device-token', 'svc_dev_', '[\\w-]{43}', 3),
  token('twilio-api-key', 'SK', '[0-9a-fA-F]{32}', 3),
  token('typeform-api-token', 'tfp_', '[a-z0-9_.=-]{59}'),
  token('vault-batch-token', 'hvb.', '[\\w-]{138,300}', 4),
  token('vault-service-token', 'hvs.', '[\\w-]{90,120}', 3.5),
  {
    id: 'private-key',
    keywords: ['PRIVATE KEY'],
    // The body stops at the next beginning, so that many of them without an end are still read once.
    pattern: /-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----BEGIN)[\s\S]){64,}?KEY(?: BLOCK)?-----/g,
    entropy: 0,
  },
  {
    id: 'url-password',
    keywords: ['://'],
    // Not a placeholder: `$PASSWORD`, `<password>`, `***`, `[redacted: …]`.
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/?#@'"`<>]{0,100}:(?![$<{*[%])([^\s/?#@'"`<>]{3,200})@/g,
    entropy: 0,
  },
];
