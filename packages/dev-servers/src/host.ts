import { type IntegrationsOptions, type Logger, type Member, memberOf } from '@quickquote/core'

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
