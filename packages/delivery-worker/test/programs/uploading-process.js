// Receives a file of an organization, into a file storage that stores bytes without asking, like a host's bucket.
import { once } from 'node:events'
import { silentLogger } from '@quickquote/core'
import { integrationsOn } from '@quickquote/dev-servers/host'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'

const [, , connectionString, organizationId] = process.argv
const storage = drizzleStorage({ connectionString })
const sql = postgres(connectionString)
const integrations = integrationsOn(storage, {
  files: {
    ...storage.files,
    async put({ id, organization_id }, bytes) {
      let position = 0
      for await (const chunk of bytes) {
        await sql`insert into quickquote.file_chunks (file_id, position, organization_id, is_last, bytes)
          values (${id}, ${position}, ${organization_id}, false, ${Buffer.from(chunk)})`
        console.log(position === 0 ? 'stored' : 'stored again')
        position += 1
      }
    },
  },
  logger: silentLogger,
})
const bytes = (async function* () {
  yield Buffer.from(`Text-${organizationId.slice(0, 8)}`)
  await once(process.stdin, 'data')
  yield Buffer.from(`Text-${organizationId.slice(0, 8)}`)
  await new Promise((resolve) => setTimeout(resolve, 2 ** 30))
})()
await integrations.requirementsFiles.receive({ organizationId, index: 0, name: 'a.txt', bytes })
