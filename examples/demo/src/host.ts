import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createIntegrations, type Integrations } from '@quickquote/core'
import { createDeliveryWorker, type DeliveryWorker } from '@quickquote/delivery-worker'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import type { FastifyBaseLogger } from 'fastify'
import type { Sql } from 'postgres'
import { openHostDatabase } from './database.ts'
import { createDocumentLinks, type DocumentLinks, keepDocument } from './documents.ts'
import { hostQuotations } from './host-quotations.ts'
import { hostSecrets } from './host-secrets.ts'
import { createPretendPipeline } from './pretend-pipeline.ts'
import { createSessions, type Sessions } from './sessions.ts'
import type { HostSettings } from './settings.ts'

/** The same for every quote: a real pipeline would write it. */
const PROPOSAL = resolve(import.meta.dirname, '../page/proposal.pdf')

/** Shared by the processes of the host: server and worker. */
export interface Host {
  readonly sql: Sql
  readonly integrations: Integrations
  readonly sessions: Sessions
  readonly documentLinks: DocumentLinks
  readonly logger: FastifyBaseLogger
  /** A worker on these integrations. Start and stop it yourself. */
  createWorker(): DeliveryWorker
  /** Closes all connections. Stop the server and the worker first. */
  close(): Promise<void>
}

/** @param documentsUrl where the documents are served, over HTTPS */
export async function createHost(
  settings: Pick<HostSettings, 'databaseUrl' | 'dataFolder' | 'stepMs' | 'retryMs' | 'ownQuotations'>,
  { documentsUrl, logger }: { documentsUrl: string; logger: FastifyBaseLogger },
): Promise<Host> {
  const secrets = await hostSecrets(settings.dataFolder)
  const documentLinks = createDocumentLinks({
    baseUrl: documentsUrl,
    key: Buffer.from(secrets.documentKey, 'base64'),
  })
  const storage = drizzleStorage({ connectionString: settings.databaseUrl })
  await storage.migrate()
  const sql = await openHostDatabase(settings.databaseUrl)

  const integrations: Integrations = createIntegrations({
    storage,
    ...(settings.ownQuotations ? { quotations: hostQuotations(sql) } : {}),
    encryptionKeys: [{ id: 'demo', key: secrets.encryptionKey }],
    pipeline: createPretendPipeline({
      stepMs: settings.stepMs,
      statusOf: (quote) => integrations.quotations.pipelineStatus(quote.organization_id, quote.id),

      async publishProposal(quote) {
        const content = await readFile(PROPOSAL)
        // One transaction: the document, the proposal and its event are committed together or not at all.
        await sql.begin(async (transaction) => {
          const documentId = await keepDocument(transaction, {
            quotationId: quote.id,
            organizationId: quote.organization_id,
            content,
          })
          await integrations.within(transaction).pipeline(quote.id).proposalReady({ documentId })
        })
      },

      signDocumentUrl: async ({ document_id }) => documentLinks.sign(document_id),
      logger,
    }),
    // Shorter than the default, for viewers of the demo.
    delivery: { backoffMs: settings.retryMs },
    // Webhooks never go to private addresses unless the host allows it: the example's receiver runs on this machine.
    allowAddresses: ['127.0.0.1/32'],
    // Members allow this address in their receivers' firewalls.
    egress: { sourceAddresses: ['127.0.0.1'] },
    logger,
  })

  return {
    sql,
    integrations,
    sessions: createSessions(sql),
    documentLinks,
    logger,
    createWorker: () => createDeliveryWorker({ integrations, ca: secrets.certificate.cert }),
    async close() {
      await integrations.close()
      await sql.end()
    },
  }
}
