// One worker, with default settings.
import { createDeliveryWorker } from '@quickquote/delivery-worker'
import { serveParent } from '@quickquote/dev-servers/child'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { footprint } from '../usage.ts'
import { createSoakIntegrations } from './integrations.ts'

const soakWorker = { start, footprint }
export type SoakWorker = typeof soakWorker
serveParent(soakWorker)

async function start({ databaseUrl, ca }: { databaseUrl: string; ca: string }): Promise<void> {
  const integrations = createSoakIntegrations(drizzleStorage({ connectionString: databaseUrl }))
  await createDeliveryWorker({ integrations, ca }).start()
}
