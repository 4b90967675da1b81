import assert from 'node:assert/strict'
import type { Bench } from './bench.ts'
import { HTTP_HEAD, httpContender, httpRow, startPartnerHost } from './http-contender.ts'
import type { LoadService } from './load.ts'
import { createPartnerData } from './partner-data.ts'
import { takeTurns } from './rounds.ts'

const SIZES = [100, 1000, 10_000, 100_000, 1_000_000]

export const manyKeys: Bench = {
  name: 'many-keys',
  title: 'GET of a summary, as the number of API keys grows',

  async run(context) {
    const databaseUrl = await context.postgres.createDatabase()
    const client = context.start<LoadService>('./load.js')
    const contenders = []
    for (const keys of SIZES) {
      const data = await createPartnerData(databaseUrl, { schema: `keys_${keys}`, keys })
      context.progress(`${keys} keys recorded`)
      contenders.push(
        httpContender(`${keys.toLocaleString('en')} keys`, await startPartnerHost(context, data), client, {
          method: 'GET',
          body: null,
          seconds: context.seconds,
          expectedStatus: 200,
          paths: data.quotationIds.map((id) => `/v1/integrations/quotations/${id}`),
          apiKeys: data.apiKeys,
        }),
      )
    }
    const measured = await takeTurns(contenders, { rounds: context.rounds, onRound: context.progress })
    const [fewest] = measured
    assert(fewest !== undefined)
    return {
      head: HTTP_HEAD,
      rows: measured.map((each) => httpRow(each, fewest)),
      notes: ['The target is flat.', 'The requests use up to 10,000 of the keys in turn.'],
    }
  },
}
