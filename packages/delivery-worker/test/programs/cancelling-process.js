// A host with a worker, one of several with the same database.
import { silentLogger } from '@quickquote/core'
import { createDeliveryWorker } from '@quickquote/delivery-worker'
import { serveParent } from '@quickquote/dev-servers/child'
import { integrationsOn } from '@quickquote/dev-servers/host'

const called = { start: [], cancel: [] }
let integrations
let worker

serveParent({
  async open(connectionString) {
    integrations = integrationsOn(connectionString, {
      logger: silentLogger,
      pipeline: {
        start: async ({ id }) => void called.start.push(id),
        cancel: async ({ id }) => void called.cancel.push(id),
      },
    })
    worker = createDeliveryWorker({ integrations })
    await worker.start()
  },
  async startQuote(organizationId) {
    const quote = { organizationId, source: 'api_key', body: { requirementsText: 'x' } }
    return (await integrations.quotations.start(quote)).quotation_id
  },
  cancel: async (organizationId, id) => (await integrations.quotations.cancel(organizationId, id)).error_code,
  called: async () => called,
  async close() {
    await worker.stop()
    await integrations.close()
  },
})
