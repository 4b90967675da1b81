import {
  createIntegrations,
  type EventDefinitions,
  type Integrations,
  type IntegrationsOptions,
  type Logger,
  type Member,
  memberOf,
  type NoEvents,
  type QuotePipeline,
  type Storage,
} from '@quickquote/core'
import { drizzleStorage, type HostTransaction } from '@quickquote/storage-drizzle'

/** What a host in a test passes to `createIntegrations` besides its storage. Each quote is accepted, and nothing runs. */
export const hostOptions: Pick<IntegrationsOptions, 'encryptionKeys' | 'allowAddresses' | 'pipeline'> = {
  encryptionKeys: [{ id: 'test', key: Buffer.alloc(32, 7) }],
  /** The receivers of the test kit. */
  allowAddresses: ['127.0.0.1/32'],
  pipeline: {
    start: async () => {},
    signDocumentUrl: async ({ document_id }) => ({
      url: `https://files.example.com/${document_id}`,
      expires_at: new Date(Date.now() + 60_000),
    }),
  },
}

/** For hosts that need no database: options are checked before any connection. */
export const NOWHERE = 'postgres://127.0.0.1:1/nobody'

/** What a test may set. Functions of the pipeline replace those of {@link hostOptions} one by one. */
export interface TestOptions<Events extends EventDefinitions = EventDefinitions>
  extends Partial<Omit<IntegrationsOptions<Events>, 'storage' | 'pipeline'>> {
  readonly pipeline?: Partial<QuotePipeline>
}

/**
 * The integrations of a host in a test, on a storage or on the database at a URL. Tests that want them closed call
 * `openIntegrations` from `@quickquote/dev-servers/vitest`.
 */
export function integrationsOn<Events extends EventDefinitions = NoEvents, Transaction = HostTransaction>(
  database: string | Storage<Transaction>,
  { pipeline, ...options }: TestOptions<Events> = {},
): Integrations<Events, Transaction> {
  const storage =
    typeof database === 'string'
      ? (drizzleStorage({ connectionString: database }) as Storage<Transaction>)
      : database
  return createIntegrations<Events, Transaction>({
    ...hostOptions,
    ...options,
    storage,
    pipeline: { ...hostOptions.pipeline, ...pipeline },
  })
}

/** A member with `manage_integrations`, for the services of `integrations`. */
export function adminOf(organizationId: string): Member {
  return memberOf(
    { memberId: 'admin', organizations: [{ id: organizationId, role: 'admin' }] },
    organizationId,
  )
}

export interface LogLine {
  readonly level: keyof Logger
  readonly message: string
  readonly fields: Record<string, unknown>
}

/** A logger that keeps its lines. */
export function keepLogs(): { readonly logger: Logger; readonly lines: LogLine[] } {
  const lines: LogLine[] = []
  const at = (level: keyof Logger) => (fields: object, message: string) => {
    lines.push({ level, message, fields: { ...fields } })
  }
  return { logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines }
}
