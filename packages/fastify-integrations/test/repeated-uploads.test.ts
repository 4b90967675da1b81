import { itWith } from '@quickquote/dev-servers/vitest'
import { expect } from 'vitest'
import { useHost } from './support/host.ts'
import { CLIENTS, uploadAll } from './support/upload-clients.ts'

const EACH = 100
const own = useHost({ integrations: { limits: { requestsPerMinute: 1e6, startsPerMinute: 1e6 } } })

itWith('curl')('no small valid upload by fetch, undici or curl is refused, ten at once', async () => {
  const { key: apiKey } = await own.host.createKey()
  const target = { url: `${own.host.url}/v1/integrations/quotations`, apiKey }
  for (const [name, client] of Object.entries(CLIENTS))
    expect(await uploadAll(client, target, EACH), name).toEqual(Array(EACH).fill(202))
})
