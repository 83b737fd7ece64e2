/** The process that a systemd unit runs, and its user. All paths are absolute. */
export interface SystemdService {
  /** `user`: as the person who installed it, unhardened. `system`: as the user `svc`, hardened. */
  scope: 'user' | 'system';
  /** The program and its arguments. */
  command: readonly string[];
  dataDir: string;
  /** The daemon's settings and secrets, mode 0600. It may be missing. Another service has none, and no data folder. */
  environmentFile?: string;
  /** Variables of another service. */
  environment?: Readonly<Record<string, string>>;
  /** Folders besides the data folder that a hardened unit may write. */
  writable?: readonly string[];
  /** Omit it for a unit that is not made on the machine it runs on. */
  systemdVersion?: number;
}

/** The user and group of a system service. */
export const SERVICE_USER = 'svc';
/** The data folder of a system service. systemd creates it, owned by the service's user. */
export const SYSTEM_DATA_DIR = '/var/lib/svc';

/** The first version with delays that grow from one restart to the next. */
const BACKOFF_VERSION = 254;

/**
 * Renders the unit file. Exit code 2 is invalid configuration, which a restart does not fix; the daemon stops within 25
 * seconds. Throws for a path with a line break.
 */
export function renderSystemdUnit(service: SystemdService): string {
  const { scope, command, dataDir, environmentFile, environment = {}, systemdVersion = 0 } = service;
  const sections = {
    Unit: [
      'Description=svc, persistent memory for AI assistants',
      'Documentation=https://github.com/svc-memory/svc#readme',
      ...(scope === 'system' ? ['Wants=network-online.target', 'After=network-online.target'] : []),
      'StartLimitIntervalSec=300',
      'StartLimitBurst=30',
    ],
    Service: [
      'Type=exec',
      `ExecStart=${command.map(commandWord).join(' ')}`,
      `WorkingDirectory=${path(dataDir)}`,
      ...(environmentFile === undefined
        ? []
        : [`Environment=${quoted(`SVC_DATA_DIR=${dataDir}`)}`, `EnvironmentFile=-${path(environmentFile)}`]),
      ...Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
      'Restart=on-failure',
      'RestartPreventExitStatus=2',
      'RestartSec=5',
      ...(systemdVersion >= BACKOFF_VERSION ? ['RestartSteps=8', 'RestartMaxDelaySec=60'] : []),
      'TimeoutStopSec=35',
      'KillMode=mixed',
      'UMask=0077',
      'NoNewPrivileges=yes',
      ...(scope === 'system' ? hardening(service) : []),
    ],
    Install: [`WantedBy=${scope === 'system' ? 'multi-user.target' : 'default.target'}`],
  };
  const texts = Object.entries(sections).map(([name, lines]) => [`[${name}]`, ...lines, ''].join('\n'));
  return texts.join('\n');
}

/** V8 compiles at run time, so `MemoryDenyWriteExecute` is impossible. */
function hardening({ dataDir, writable = [] }: SystemdService): string[] {
  const outside = [...(dataDir === SYSTEM_DATA_DIR ? [] : [dataDir]), ...writable];
  return [
    `User=${SERVICE_USER}`,
    `Group=${SERVICE_USER}`,
    ...(dataDir === SYSTEM_DATA_DIR ? ['StateDirectory=svc', 'StateDirectoryMode=0700'] : []),
    ...(outside.length > 0 ? [`ReadWritePaths=${outside.map(quoted).join(' ')}`] : []),
    'ProtectSystem=strict',
    'ProtectHome=yes',
    'PrivateTmp=yes',
    'PrivateDevices=yes',
    'ProtectClock=yes',
    'ProtectControlGroups=yes',
    'ProtectHostname=yes',
    'ProtectKernelLogs=yes',
    'ProtectKernelModules=yes',
    'ProtectKernelTunables=yes',
    'ProtectProc=invisible',
    'CapabilityBoundingSet=',
    'LockPersonality=yes',
    'RemoveIPC=yes',
    'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
    'RestrictNamespaces=yes',
    'RestrictRealtime=yes',
    'RestrictSUIDSGID=yes',
    'SystemCallArchitectures=native',
    'SystemCallErrorNumber=EPERM',
    'SystemCallFilter=@system-service',
    'SystemCallFilter=~@privileged',
  ];
}

/** A word of `ExecStart`, where `$` would begin a variable. */
function commandWord(word: string): string {
  return quoted(word.replaceAll('$', '$$$$'));
}

function quoted(text: string): string {
  const escaped = path(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return /^[\w@%+=:,./-]+$/.test(escaped) ? escaped : `"${escaped}"`;
}

/** Escapes specifiers. systemd reads a single path to the end of the line, without quotes. */
function path(text: string): string {
  if (/[\n\r]/.test(text)) throw new Error(`${JSON.stringify(text)} contains a line break.`);
  return text.replaceAll('%', '%%');
}
