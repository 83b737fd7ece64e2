import envPaths from 'env-paths';
import { type QuotaVariant, type StorageLimits, TIERS, type Tier } from '../contract/limits.ts';
import type { SpaceMakers } from '../contract/spaces.ts';
import { databaseUrl } from '../db/postgres/url.ts';
import type { EmbedderAddress, LocalModel } from '../outside/models/embedder.ts';
import type { AllowedHost } from '../outside/providers/provider-address.ts';
import {
  describeEmbeddings,
  describeHost,
  describeStorageLimits,
  domains,
  embeddings,
  masterKeys,
  oneOf,
  origins,
  port,
  providerHosts,
  proxies,
  publicUrl,
  sender,
  shownUrl,
  storageLimits,
  urlOf,
} from './config-values.ts';
import { MAINTENANCE_SETTINGS, type MaintenanceConfig } from './maintenance-settings.ts';
import type { Setting } from './setting.ts';

/** The configuration of `svc serve`. */
export interface Config extends MaintenanceConfig {
  /** If absent, `http://` with the listening host and port. */
  publicUrl: string | undefined;
  host: string;
  port: number;
  dataDir: string;
  /** If absent, the database is a SQLite file in the data folder. */
  databaseUrl: string | undefined;
  /** Where daemons on one PostgreSQL count requests together; PostgreSQL itself if absent. */
  redisUrl: string | undefined;
  smtpUrl: string | undefined;
  mailFrom: string;
  mailDir: string | undefined;
  signup: 'open' | 'invite' | 'closed';
  signupDomains: string[];
  /** Who may make spaces. */
  spaces: SpaceMakers;
  quotas: QuotaVariant;
  storageLimits: StorageLimits;
  defaultTier: Tier;
  /** 32 bytes each: the current key first, then the ones it replaces. If absent, the keys in the data folder are used. */
  masterKeys: Buffer[] | undefined;
  /** `loopback`, addresses or networks of proxies whose X-Forwarded-For is trusted. */
  trustProxy: string[] | undefined;
  /** Origins whose pages may call the API from a browser. */
  corsOrigins: string[];
  metricsToken: string | undefined;
  /** Provider hosts that may be private addresses or use plain HTTP. */
  providerHosts: AllowedHost[];
  /** If absent, the model that `svc model add` put into the data folder; without one, search uses words only. */
  embeddings: EmbedderAddress | LocalModel | undefined;
  redact: 'on' | 'off';
  /** `auto` is on behind https. */
  oauth: 'auto' | 'on' | 'off';
}

/** Every setting of `svc serve`, in the order of its help. */
export const SETTINGS: { [K in keyof Config]: Setting<Config[K]> } = {
  publicUrl: {
    env: 'SVC_PUBLIC_URL',
    value: 'url',
    about: 'URL at which users reach svc; links in mails start with it',
    parse: (text) => (text === undefined ? undefined : publicUrl(text)),
  },
  host: {
    env: 'SVC_HOST',
    value: 'host',
    about: 'address to listen on (127.0.0.1)',
    parse: (text) => text ?? '127.0.0.1',
  },
  port: { env: 'SVC_PORT', value: 'port', about: 'port to listen on (8787); 0 picks a free one', parse: port },
  dataDir: {
    env: 'SVC_DATA_DIR',
    value: 'folder',
    about: "folder for the database and the keys (the platform's data folder)",
    parse: (text) => text ?? envPaths('svc', { suffix: '' }).data,
  },
  databaseUrl: {
    env: 'SVC_DATABASE_URL',
    value: 'url',
    about:
      'PostgreSQL database that several daemons can share, e.g. postgres://svc:password@db.example.com/svc (SQLite)',
    secret: true,
    parse: (text) => (text === undefined ? undefined : databaseUrl(text)),
    show: shownUrl,
  },
  redisUrl: {
    env: 'SVC_REDIS_URL',
    value: 'url',
    about: 'Redis that counts requests for several daemons, e.g. rediss://:password@cache.example.com (PostgreSQL)',
    secret: true,
    parse: (text) => (text === undefined ? undefined : urlOf(text, ['redis:', 'rediss:'])),
    show: shownUrl,
  },
  smtpUrl: {
    env: 'SVC_SMTP_URL',
    value: 'url',
    about: 'mail server, e.g. smtps://user:password@mail.example.com',
    secret: true,
    parse: (text) => (text === undefined ? undefined : urlOf(text, ['smtp:', 'smtps:'])),
  },
  mailFrom: {
    env: 'SVC_MAIL_FROM',
    value: 'address',
    about: 'sender of mails (svc@localhost)',
    parse: (text) => sender(text ?? 'svc <svc@localhost>'),
  },
  mailDir: {
    env: 'SVC_MAIL_DIR',
    value: 'folder',
    about: 'write each mail to this folder as an .eml file instead of sending it',
    parse: (text) => text,
  },
  signup: {
    env: 'SVC_SIGNUP',
    value: 'policy',
    about: 'who may create an account: open, invite or closed (open)',
    parse: (text) => oneOf(text ?? 'open', ['open', 'invite', 'closed'] as const),
  },
  signupDomains: {
    env: 'SVC_SIGNUP_DOMAINS',
    value: 'domains',
    about: 'comma-separated e-mail domains that may create an account (all)',
    parse: domains,
  },
  spaces: {
    env: 'SVC_SPACES',
    value: 'who',
    about: 'who may make spaces, which several accounts share: everyone or operator (everyone)',
    parse: (text) => oneOf(text ?? 'everyone', ['everyone', 'operator'] as const),
  },
  quotas: {
    env: 'SVC_QUOTAS',
    value: 'variant',
    about: 'quota variant: A or B (B)',
    parse: (text) => oneOf(text ?? 'B', ['A', 'B'] as const),
  },
  storageLimits: {
    env: 'SVC_STORAGE_LIMITS',
    value: 'sizes',
    about: 'text that an account may store, by tier (Free=1GiB,Pro=50GiB,Enterprise=none)',
    parse: storageLimits,
    show: describeStorageLimits,
  },
  defaultTier: {
    env: 'SVC_DEFAULT_TIER',
    value: 'tier',
    about: `tier of new accounts: ${TIERS.join(', ')} (Free)`,
    parse: (text) => oneOf(text ?? 'Free', TIERS),
  },
  masterKeys: {
    env: 'SVC_MASTER_KEY',
    value: 'base64',
    about:
      '32-byte key that encrypts secrets at rest (generated in the data folder); to rotate it: new key, comma, old key',
    secret: true,
    parse: (text) => (text === undefined ? undefined : masterKeys(text)),
  },
  trustProxy: {
    env: 'SVC_TRUST_PROXY',
    value: 'proxies',
    about: 'comma-separated proxies whose X-Forwarded-For is trusted: loopback, addresses, networks (none)',
    parse: (text) => (text === undefined ? undefined : proxies(text)),
  },
  corsOrigins: {
    env: 'SVC_CORS_ORIGINS',
    value: 'origins',
    about: 'comma-separated origins whose pages may call the API from a browser, e.g. https://app.example.com (none)',
    parse: origins,
  },
  metricsToken: {
    env: 'SVC_METRICS_TOKEN',
    value: 'token',
    about: 'bearer token that allows access to /metrics from other machines',
    secret: true,
    parse: (text) => text,
  },
  providerHosts: {
    env: 'SVC_PROVIDER_HOSTS',
    value: 'hosts',
    about: 'comma-separated private hosts that provider keys and webhooks may be sent to, e.g. 127.0.0.1:11434 (none)',
    parse: providerHosts,
    show: (hosts) => hosts.map(describeHost).join(', '),
  },
  embeddings: {
    env: 'SVC_EMBEDDINGS',
    value: 'url',
    about:
      'embedder for semantic search: http://127.0.0.1:8080/v1#model, ollama+http://127.0.0.1:11434#model, or the folder of an ONNX model (a model of svc model add, or none)',
    secret: true,
    parse: (text) => (text === undefined ? undefined : embeddings(text)),
    show: describeEmbeddings,
  },
  redact: {
    env: 'SVC_REDACT',
    value: 'choice',
    about: 'mask credentials in memories and messages: on or off (on)',
    parse: (text) => oneOf(text ?? 'on', ['on', 'off'] as const),
  },
  oauth: {
    env: 'SVC_OAUTH',
    value: 'choice',
    about: 'let hosted assistants connect to MCP with OAuth: on, off, or auto: on if SVC_PUBLIC_URL is https (auto)',
    parse: (text) => oneOf(text ?? 'auto', ['auto', 'on', 'off'] as const),
  },
  ...MAINTENANCE_SETTINGS,
};
