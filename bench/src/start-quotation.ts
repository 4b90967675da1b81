import assert from 'node:assert/strict'
import type { Bench } from './bench.ts'
import { HTTP_HEAD, httpContender, httpRow, startHosts } from './http-contender.ts'
import type { LoadService } from './load.ts'
import { takeTurns } from './rounds.ts'

const BODY = JSON.stringify({
  name: 'Customer portal',
  description: 'Second phase',
  requirementsText: 'Customers sign in and see their invoices. '.repeat(24),
  metadata: { crm_deal: 'D-1042' },
})

export const startQuotation: Bench = {
  name: 'start-quotation',
  title: 'POST of a quote as JSON, against a bare Fastify route that writes the same rows in one transaction',

  async run(context) {
    const { data, partner, bare } = await startHosts(context, { keys: 1000 })
    const client = context.start<LoadService>('./load.js')
    const load = { method: 'POST', body: BODY, seconds: context.seconds, expectedStatus: 202 } as const
    const bareLoad = (path: string) => ({ ...load, paths: [path], apiKeys: [] })
    const [ours, base, oneStatement] = await takeTurns(
      [
        httpContender('integrations', partner, client, {
          ...load,
          paths: ['/v1/integrations/quotations'],
          apiKeys: data.apiKeys,
        }),
        httpContender('bare Fastify, a transaction', bare, client, bareLoad('/quotations')),
        httpContender('bare Fastify, one statement', bare, client, bareLoad('/quotations-in-one-statement')),
      ],
      { rounds: context.rounds, onRound: context.progress },
    )
    assert(ours !== undefined && base !== undefined && oneStatement !== undefined)
    return {
      head: HTTP_HEAD,
      rows: [ours, base, oneStatement].map((each) => httpRow(each, base)),
      notes: [
        'must 60 %, aim 80 %',
        'Ours queries the key, then writes; concurrent requests share both statements.',
      ],
    }
  },
}
