/** `ok`: as it should be. `warning`: it works, and somebody should look. `error`: it does not work. */
export type Level = 'ok' | 'warning' | 'error'

/** One thing that the doctor found. */
export interface Finding {
  /** Stable, for programs. */
  readonly code: FindingCode
  readonly level: Level
  /** A sentence that says how it is and, unless it is `ok`, what to do. */
  readonly message: string
}

type Details = Readonly<Record<string, string | number>>

/**
 * Every finding that there is, and its sentence: docs/reference/doctor.md lists them. `{name}` stands for a detail.
 */
export const FINDINGS = {
  DATABASE_ANSWERS: ['ok', 'The database answers within {ms} ms, as PostgreSQL {version}.'],
  DATABASE_UNREACHABLE: [
    'error',
    'The database cannot be asked: {cause} Check the connection string of your storage, that the server is running, and that a firewall lets this machine through.',
  ],
  DATABASE_TOO_OLD: [
    'error',
    'The database is PostgreSQL {version}, and 14 is the oldest that works: upgrade it.',
  ],
  DATABASE_READ_ONLY: [
    'error',
    'The database is read-only: connect to the primary, or name all servers in the connection string so that the primary is found.',
  ],
  DATABASE_UNFIT: ['error', '{cause}'],
  MIGRATED: ['ok', 'All migrations are applied.'],
  MIGRATIONS_MISSING: [
    'error',
    'The database lacks the migrations {names}: run `npx @quickquote/storage-drizzle migrate`, or call storage.migrate() when your app is deployed.',
  ],
  GRANTS_SUFFICE: ['ok', 'The role "{role}" has every right that it needs.'],
  GRANTS_MISSING: [
    'error',
    'The role "{role}" lacks rights ({grants}): apply the SQL of `npx @quickquote/storage-drizzle roles`.',
  ],
  NOTIFICATIONS_ARRIVE: ['ok', 'Notifications arrive: workers are told of new work at once.'],
  NOTIFICATIONS_LOST: [
    'warning',
    'Notifications do not arrive, so workers find new work only when they poll (every {pollIntervalMs} ms): behind a pooler in transaction mode, give the storage a connection string that leads to PostgreSQL itself; beside `db`, give it a `connectionString` too.',
  ],
  KEYS_FIT: ['ok', 'The encryption keys fit the data: {secrets} signing secrets can be read.'],
  KEY_MISSING: [
    'error',
    'The encryption key "{keyId}" is missing, and {secrets} signing secrets need it: put it back into `encryptionKeys`, and take it out only after `reencryptSecrets()`.',
  ],
  KEY_WRONG: [
    'error',
    'The encryption key "{keyId}" is not the one that encrypted {secrets} signing secrets: give the id its former key again, and give the new key an id of its own.',
  ],
  WORKERS_ALIVE: ['ok', '{alive} workers are alive.'],
  NO_WORKER: [
    'error',
    'No worker is alive, so no webhook is sent and no quote is started: start one with `npx @quickquote/delivery-worker ./integrations.js`, or give the plugin a `worker`.',
  ],
  WORKERS_SILENT: [
    'warning',
    '{silent} workers have been silent for more than {seconds} s, and no other has taken over from them yet: look at their logs, and whether their clocks and connections are well.',
  ],
  CLOCK_RIGHT: ['ok', 'The clock of this machine is within {seconds} s of the database.'],
  CLOCK_OFF: [
    'warning',
    'The clock of this machine is {seconds} s {direction} the database: correct it (NTP), because certificates and logs go by it.',
  ],
  CLOCK_WRONG: [
    'error',
    'The clock of this machine is {seconds} s {direction} the database, so a worker on it is not ready: correct it (NTP).',
  ],
  CERTIFICATES_READ: ['ok', '{count} additional certificates are trusted; none expires within 30 days.'],
  CERTIFICATE_UNREADABLE: [
    'error',
    'The additional certificate number {position} cannot be read: give PEM files that begin with -----BEGIN CERTIFICATE-----.',
  ],
  CERTIFICATE_EXPIRED: [
    'error',
    'The additional certificate "{subject}" expired on {date}, so receivers that it signed are refused: replace it.',
  ],
  CERTIFICATE_EXPIRES: [
    'warning',
    'The additional certificate "{subject}" expires on {date}: replace it before.',
  ],
  PROXY_ANSWERS: ['ok', 'The outgoing proxy answers, and takes the credentials.'],
  PROXY_UNREACHABLE: [
    'error',
    'The outgoing proxy does not answer as one ({cause}), so no webhook leaves: check `egress.proxy`, that the proxy is running, and that a firewall lets this machine through.',
  ],
  PROXY_CREDENTIALS: [
    'error',
    'The outgoing proxy refuses the credentials in `egress.proxy` (407), so no webhook leaves: correct them.',
  ],
  QUEUE_DRAINED: ['ok', 'No delivery has been due for longer than {seconds} s.'],
  QUEUE_WAITS: [
    'warning',
    '{due} deliveries are due, the oldest for {age} s: if a worker is alive, add another one, or look for an endpoint that hangs (its deliveries wait for its own slots).',
  ],
  HISTORY_KEPT: ['ok', 'Events are kept for {days} days, and tables are ready for the next {ahead} days.'],
  HISTORY_KEPT_LONGER: [
    'warning',
    'Events are kept for {floor} days, although retention.eventDays is {days}: to keep them for a shorter time, the owner of the database lowers retention_floor.',
  ],
  PARTITIONS_MISSING: [
    'warning',
    'No table is ready for the events of tomorrow: workers make them, so start one, or look in its log for "the tables of the coming days cannot be made".',
  ],
  APP_ANSWERS: ['ok', 'The app answers on our routes as the plugin does.'],
  APP_UNREACHABLE: [
    'error',
    'The app at the given URL cannot be reached: {cause}. Check the URL and that the app is running.',
  ],
  APP_HOOK_ANSWERS: [
    'error',
    '{route} was answered with {status} by something other than the plugin: a hook of your app or a proxy. Begin that hook with `if (request.routeOptions.config.integrations) return`, and check the prefix in the URL.',
  ],
  APP_LIMITS_TWICE: [
    'warning',
    '{route} was counted by @fastify/rate-limit of your app: give it `allowList: (request) => request.routeOptions.config.integrations !== undefined`.',
  ],
} as const satisfies Record<string, readonly [Level, string]>

export type FindingCode = keyof typeof FINDINGS

export function finding(code: FindingCode, details: Details = {}): Finding {
  const [level, sentence] = FINDINGS[code]
  const message = sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(details[name]))
  return { code, level, message }
}
