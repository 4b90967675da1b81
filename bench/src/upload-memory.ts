import assert from 'node:assert/strict'
import postgres from 'postgres'
import type { Bench } from './bench.ts'
import { createPartnerData } from './partner-data.ts'
import type { PartnerHost } from './partner-host.ts'
import { medianOf, takeTurns } from './rounds.ts'
import type { UploadService } from './upload-load.ts'

const MIB = 1024 * 1024
const UPLOADS = 20
const FILE_BYTES = 10 * MIB

export const uploadMemory: Bench = {
  name: 'upload-memory',
  title: `Memory of the server process during ${UPLOADS} uploads at once of 5 files of 10 MiB`,

  async run(context) {
    const data = await createPartnerData(context, { keys: 1 })
    const [apiKey = ''] = data.apiKeys
    const client = context.start<UploadService>('./upload-load.js')

    /** A new process each time, because processes do not return memory. */
    async function measure() {
      const host = context.start<PartnerHost>('./partner-host.js')
      const origin = await host.call('listen', data)
      await fetch(`${origin}/v1/integrations/quotations/${data.quotationIds[0]}`, {
        headers: { 'x-api-key': apiKey },
      })
      const idle = await host.call('watchMemory')
      const seconds = await client.call('upload', {
        origin,
        path: '/v1/integrations/quotations',
        apiKey,
        uploads: UPLOADS,
        bytesPerFile: FILE_BYTES,
      })
      const peak = await host.call('peakMemory')
      await host.stop()
      await removeFiles(data.databaseUrl)
      const mibPerSecond = (UPLOADS * 5 * FILE_BYTES) / MIB / seconds
      return { idleMib: idle / MIB, peakMib: peak / MIB, growthMib: (peak - idle) / MIB, mibPerSecond }
    }

    const [uploads] = await takeTurns([{ name: 'uploads', measure }], {
      rounds: context.rounds,
      onRound: context.progress,
    })
    assert(uploads !== undefined)
    const median = (figure: 'idleMib' | 'peakMib' | 'growthMib' | 'mibPerSecond') =>
      medianOf(uploads, figure).toFixed(0)
    const highest = Math.max(...uploads.rounds.map(({ growthMib }) => growthMib)).toFixed(0)
    return {
      head: ['', 'idle MiB', 'peak MiB', 'above idle MiB', 'highest round', 'received MiB/s'],
      rows: [
        [
          `${UPLOADS} x 5 x 10 MiB`,
          median('idleMib'),
          median('peakMib'),
          median('growthMib'),
          highest,
          median('mibPerSecond'),
        ],
      ],
      notes: [
        'must stay within 100 MiB above idle',
        'Resident memory, including code loaded during the run.',
      ],
    }
  },
}

async function removeFiles(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1 })
  await sql`truncate quickquote.file_chunks`
  await sql.end()
}
