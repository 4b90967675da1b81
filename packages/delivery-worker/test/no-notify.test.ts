import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createDatabase, scratchFolder, startPostgres } from '@quickquote/dev-servers'
import { adminOf, integrationsOn } from '@quickquote/dev-servers/host'
import { ownsPostgres } from '@quickquote/dev-servers/vitest'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import { expect, it, onTestFinished } from 'vitest'
import { createDeliveryWorker } from '../src/index.ts'
import { certificate, openReceiver } from './support/host.ts'

it.runIf(ownsPostgres)(
  'with delivery.notify: false a transaction of the host can be prepared, and what it reports is found by polling',
  async () => {
    const dataDir = join(scratchFolder(), `quickquote-prepared-${randomUUID()}`)
    const settings = { max_prepared_transactions: '2' }
    const server = await startPostgres({ dataDir, persistent: false, settings })
    onTestFinished(() => server.stop())
    const { url } = await createDatabase(server.url)
    const receiver = await openReceiver()
    const storage = drizzleStorage({ connectionString: url, maxConnections: 4 })
    await storage.migrate()
    const options = { allowAddresses: ['127.0.0.1'], egress: { ca: certificate.cert } }
    const loud = integrationsOn(storage, options)
    const integrations = integrationsOn(storage, { ...options, delivery: { notify: false } })
    expect(integrations.settings.delivery.pollMs).toBe(250)
    const worker = createDeliveryWorker({ integrations })
    onTestFinished(() => integrations.close())

    const organizationId = '6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e'
    await integrations.webhookEndpoints.create(adminOf(organizationId), {
      name: 'CRM',
      url: `${receiver.url}/hook`,
      events: ['quotation.failed'],
    })
    const sql = postgres(url, { max: 1, onnotice() {} })
    onTestFinished(() => sql.end())
    const prepare = async (from: typeof integrations, name: string) => {
      const start = { organizationId, source: 'api_key', body: { requirementsText: 'x' } } as const
      const { quotation_id } = await from.quotations.start(start)
      await sql.unsafe('begin')
      const runInTransaction = (text: string, values: (string | number | boolean | null)[]) =>
        sql.unsafe(text, values)
      await from.within({ runInTransaction }).pipeline(quotation_id).failed()
      await sql.unsafe(`prepare transaction '${name}'`)
      return quotation_id
    }
    await expect(prepare(loud, 'loud')).rejects.toMatchObject({ code: '0A000' })
    const id = await prepare(integrations, 'quiet')
    await worker.start()
    await sql.unsafe(`commit prepared 'quiet'`)
    const { rawBody } = await receiver.next()
    expect(JSON.parse(String(rawBody))).toMatchObject({
      type: 'quotation.failed',
      data: { quotation_id: id },
    })
  },
)
