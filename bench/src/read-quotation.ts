import assert from 'node:assert/strict'
import type { Bench } from './bench.ts'
import { HTTP_HEAD, httpContender, httpRow, startHosts } from './http-contender.ts'
import type { LoadService } from './load.ts'
import { takeTurns } from './rounds.ts'

export const readQuotation: Bench = {
  name: 'read-quotation',
  title: 'GET of a summary, against a bare Fastify route with one indexed query',

  async run(context) {
    const { data, partner, bare } = await startHosts(context, { keys: 1000 })
    const [id = ''] = data.quotationIds
    const [apiKey = ''] = data.apiKeys
    assert.deepEqual(
      await textOf(`${partner.origin}/v1/integrations/quotations/${id}`, apiKey),
      await textOf(`${bare.origin}/quotations/${id}`, ''),
    )

    const client = context.start<LoadService>('./load.js')
    const load = { method: 'GET', body: null, seconds: context.seconds, expectedStatus: 200 } as const
    const [ours, base] = await takeTurns(
      [
        httpContender('integrations', partner, client, {
          ...load,
          paths: data.quotationIds.map((each) => `/v1/integrations/quotations/${each}`),
          apiKeys: data.apiKeys,
        }),
        httpContender('bare Fastify', bare, client, {
          ...load,
          paths: data.quotationIds.map((each) => `/quotations/${each}`),
          apiKeys: [],
        }),
      ],
      { rounds: context.rounds, onRound: context.progress },
    )
    assert(ours !== undefined && base !== undefined)
    return {
      head: HTTP_HEAD,
      rows: [httpRow(ours, base), httpRow(base, base)],
      notes: [
        'must 60 %, aim 80 %',
        'Ours queries the key, then the quotation; concurrent requests share a query.',
      ],
    }
  },
}

/** Both sides must send the same bytes to be comparable. */
async function textOf(url: string, apiKey: string): Promise<string> {
  return (await fetch(url, { headers: { 'x-api-key': apiKey } })).text()
}
