/** `ok`: no problem. `warning`: it works, but needs attention. `error`: it does not work. */
export type Level = 'ok' | 'warning' | 'error'

export interface Finding {
  /** Stable, for programs. */
  readonly code: FindingCode
  readonly level: Level
  /** One or more sentences: the state and, unless it is `ok`, what to do. */
  readonly message: string
}

type Details = Readonly<Record<string, string | number>>

/** All findings, listed in docs/reference/doctor.md. `{name}` is replaced by a detail. */
export const FINDINGS = {
  DATABASE_ANSWERS: ['ok', 'The database responds within {ms} ms (PostgreSQL {version}).'],
  DATABASE_UNREACHABLE: [
    'error',
    'The database cannot be reached: {cause} Check the connection string of your storage, that the server is running, and that no firewall blocks this machine.',
  ],
  DATABASE_TOO_OLD: ['error', 'The database is PostgreSQL {version}. Upgrade it to version 14 or later.'],
  DATABASE_READ_ONLY: [
    'error',
    'The database is read-only. Connect to the primary, or list all servers in the connection string so that the primary is found.',
  ],
  DATABASE_UNFIT: ['error', '{cause}'],
  MIGRATED: ['ok', 'All migrations are applied.'],
  MIGRATIONS_MISSING: [
    'error',
    'The database lacks the migrations {names}. Run `npx @quickquote/storage-drizzle migrate`, or call storage.migrate() when you deploy your app.',
  ],
  GRANTS_SUFFICE: ['ok', 'The role "{role}" has all the rights it needs.'],
  GRANTS_MISSING: [
    'error',
    'The role "{role}" lacks rights ({grants}). Apply the SQL of `npx @quickquote/storage-drizzle roles`.',
  ],
  NOTIFICATIONS_ARRIVE: ['ok', 'Notifications arrive: workers learn of new work at once.'],
  NOTIFICATIONS_LOST: [
    'warning',
    'Notifications do not arrive, so workers find new work only when they poll (every {pollIntervalMs} ms). Behind a pooler in transaction mode, give the storage a connection string that connects directly to PostgreSQL. With `db`, add a `connectionString`.',
  ],
  KEYS_FIT: ['ok', 'The encryption keys match the data: {secrets} signing secrets can be decrypted.'],
  KEY_MISSING: [
    'error',
    'The encryption key "{keyId}" is missing, and {secrets} signing secrets need it. Add it back to `encryptionKeys`, and remove it only after `reencryptSecrets()`.',
  ],
  KEY_WRONG: [
    'error',
    'The encryption key "{keyId}" has changed, so {secrets} signing secrets cannot be decrypted. Restore the former key under this ID, and give the new key its own ID.',
  ],
  WORKERS_ALIVE: ['ok', '{alive} workers are running.'],
  NO_WORKER: [
    'error',
    'No worker is running, so no webhook is sent and no quote is started. Start one with `npx @quickquote/delivery-worker ./integrations.js`, or give the plugin a `worker`.',
  ],
  WORKERS_SILENT: [
    'warning',
    '{silent} workers have sent no heartbeat for more than {seconds} s, and no other worker has taken over from them yet. Check their logs, clocks and connections.',
  ],
  CLOCK_RIGHT: ['ok', 'The clock of this machine is within {seconds} s of the database.'],
  CLOCK_OFF: [
    'warning',
    'The clock of this machine is {seconds} s {direction} the database. Correct it (NTP): certificate checks and logs depend on it.',
  ],
  CLOCK_WRONG: [
    'error',
    'The clock of this machine is {seconds} s {direction} the database, so a worker on it is not ready. Correct it (NTP).',
  ],
  CERTIFICATES_READ: ['ok', '{count} additional certificates are trusted; none expires within 30 days.'],
  CERTIFICATE_UNREADABLE: [
    'error',
    'Additional certificate {position} cannot be read. Pass PEM files that begin with -----BEGIN CERTIFICATE-----.',
  ],
  CERTIFICATE_EXPIRED: [
    'error',
    'The additional certificate "{subject}" expired on {date}, so receivers with certificates signed by it are refused. Replace it.',
  ],
  CERTIFICATE_EXPIRES: [
    'warning',
    'The additional certificate "{subject}" expires on {date}. Replace it before then.',
  ],
  PROXY_ANSWERS: ['ok', 'The outgoing proxy responds and accepts the credentials.'],
  PROXY_UNREACHABLE: [
    'error',
    'The outgoing proxy does not respond ({cause}), so no webhook is sent. Check `egress.proxy`, that the proxy is running, and that a firewall allows this machine.',
  ],
  PROXY_CREDENTIALS: [
    'error',
    'The outgoing proxy refuses the credentials in `egress.proxy` (407), so no webhook is sent. Correct them.',
  ],
  QUEUE_DRAINED: ['ok', 'No delivery has been due for longer than {seconds} s.'],
  QUEUE_WAITS: [
    'warning',
    '{due} deliveries are due, the oldest for {age} s. If a worker is running, add another one, or look for an endpoint that hangs: its deliveries wait for each other.',
  ],
  FEED_BEHIND: [
    'error',
    'New events would get positions before those of stored ones, and readers of the event feed would miss them: the rows were moved without the sequence. Start a process of your app, which repairs it.',
  ],
  ERASING_WAITS: [
    'warning',
    'Erasing {organizations} organizations has waited for more than an hour, because a transaction that began before is still open and may add data to them. End it (see pg_stat_activity, and pg_prepared_xacts for prepared ones).',
  ],
  HISTORY_KEPT: ['ok', 'Events are kept for {days} days.'],
  HISTORY_KEPT_LONGER: [
    'warning',
    'Events are kept for {floor} days, although retention.eventDays is {days}. To keep them for fewer days, lower retention_floor as the owner of the database.',
  ],
  APP_ANSWERS: ['ok', 'Our routes are answered by the plugin.'],
  APP_UNREACHABLE: [
    'error',
    'The app at the given URL cannot be reached: {cause}. Check the URL and that the app is running.',
  ],
  APP_HOOK_ANSWERS: [
    'error',
    '{route} was answered with {status}, but not by the plugin: a hook of your app or a proxy answered first. Begin that hook with `if (request.routeOptions.config.integrations) return`, and check the prefix in the URL.',
  ],
  APP_LIMITS_TWICE: [
    'warning',
    "Your app's @fastify/rate-limit also limits {route}. Set its option `allowList: (request) => request.routeOptions.config.integrations !== undefined`.",
  ],
} as const satisfies Record<string, readonly [Level, string]>

export type FindingCode = keyof typeof FINDINGS

export function finding(code: FindingCode, details: Details = {}): Finding {
  const [level, sentence] = FINDINGS[code]
  const message = sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(details[name]))
  return { code, level, message }
}
