import { createIntegrations } from '@quickquote/core'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { options } from './yours.js'

const storages = process.env.DATABASE_URL.split(' ').map((url) => drizzleStorage({ connectionString: url }))
// One for each database. `npx @quickquote/delivery-worker ./integrations.js` runs a worker for each.
export const integrations = storages.map((storage) => {
  const otherStorages = storages.filter((other) => other !== storage)
  return createIntegrations({ ...options, storage, otherStorages })
})
