import assert from 'node:assert/strict'
import postgres from 'postgres'
import type { Bench } from './bench.ts'
import { atLeast } from './goal.ts'
import { type HttpSide, startHosts } from './http-contender.ts'
import { type Contender, type Measured, medianOf, ratioOf, takeTurns } from './rounds.ts'
import { percent } from './table.ts'
import type { UploadService } from './upload-load.ts'

const MIB = 1024 * 1024
const UPLOADS = 8
const FILE_BYTES = 4 * MIB
const TOTAL_MIB = (UPLOADS * 5 * FILE_BYTES) / MIB

type UploadFigures = {
  readonly mibPerSecond: number
  /** CPU time of the server process per MiB, in milliseconds, without PostgreSQL's and the client's. */
  readonly cpuMs: number
}

export const uploads: Bench = {
  name: 'uploads',
  title: `${UPLOADS} uploads at once of 5 files of ${FILE_BYTES / MIB} MiB, against a bare Fastify route that streams the same bodies into the same table`,

  async run(context) {
    const { data, partner, bare } = await startHosts(context, { keys: 1 })
    const [apiKey = ''] = data.apiKeys
    const client = context.start<UploadService>('./upload-load.js')

    const contender = (name: string, side: HttpSide, path: string): Contender<UploadFigures> => ({
      name,
      async measure() {
        const before = await side.cpuSeconds()
        const load = { origin: side.origin, path, apiKey, uploads: UPLOADS, bytesPerFile: FILE_BYTES }
        const seconds = await client.call('upload', load)
        const cpuSeconds = (await side.cpuSeconds()) - before
        await removeFiles(data.databaseUrl)
        return { mibPerSecond: TOTAL_MIB / seconds, cpuMs: (cpuSeconds / TOTAL_MIB) * 1000 }
      },
    })
    const [ours, base] = await takeTurns(
      [
        contender('integrations', partner, '/v1/integrations/quotations'),
        contender('bare Fastify', bare, '/uploads'),
      ],
      { rounds: context.rounds, onRound: context.progress },
    )
    assert(ours !== undefined && base !== undefined)
    return {
      head: ['', 'MiB/s', 'ratio', 'lowest', 'highest', 'server CPU ms per MiB'],
      rows: [rowOf(ours, base), rowOf(base, base)],
      notes: [
        'must 60 %, aim 80 %',
        'Ours parses the form, checks and hashes every file, and inflates each docx.',
      ],
      goals: [
        atLeast({
          goal: 'uploads, of a bare route',
          value: ratioOf(ours, base, 'mibPerSecond').median,
          must: 0.6,
          aim: 0.8,
          format: percent,
        }),
      ],
    }
  },
}

function rowOf(contender: Measured<UploadFigures>, base: Measured<UploadFigures>): string[] {
  const { median, lowest, highest } = ratioOf(contender, base, 'mibPerSecond')
  return [
    contender.name,
    medianOf(contender, 'mibPerSecond').toFixed(1),
    ...[median, lowest, highest].map(percent),
    medianOf(contender, 'cpuMs').toFixed(1),
  ]
}

async function removeFiles(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1 })
  await sql`truncate quickquote.file_chunks`
  await sql.end()
}
