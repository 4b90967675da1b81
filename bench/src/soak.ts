import { setTimeout as sleep } from 'node:timers/promises'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import type { Bench } from './bench.ts'
import { startFastReceiver } from './delivery/receiver.ts'
import type { SoakHost } from './soak/host-process.ts'
import type { SoakLoad } from './soak/load-process.ts'
import { slopeOf } from './soak/slope.ts'
import { countStatements } from './soak/statement-counter.ts'
import type { SoakWorker } from './soak/worker-process.ts'
import type { Footprint } from './usage.ts'

const MIB = 1024 * 1024
const SAMPLES = 30
const SHORTEST_INTERVAL_MS = 5000
/** One-time growth (code, pools, caches, first partitions) falls into the first third. */
const WARM_UP = 1 / 3

/** The figures of one moment, by name. */
type Sample = Readonly<Record<string, number>>

export const soak: Bench = {
  name: 'soak',
  title: 'Growth under mixed traffic of 2,000 organizations and a million addresses',
  isOneRun: true,

  async run(context) {
    const { postgres: server, minutes, progress } = context
    const databaseUrl = await server.createDatabase()
    const storage = drizzleStorage({ connectionString: databaseUrl })
    await storage.migrate()
    await storage.close()
    const sql = postgres(databaseUrl, { max: 1, onnotice() {} })
    const [ofHost, ofWorker] = [await countStatements(databaseUrl), await countStatements(databaseUrl)]
    const receiver = await startFastReceiver(context)
    const host = context.start<SoakHost>('./soak/host-process.js')
    const worker = context.start<SoakWorker>('./soak/worker-process.js')
    const load = context.start<SoakLoad>('./soak/load-process.js')
    const origin = await host.call('listen', ofHost.url)
    await worker.call('start', { databaseUrl: ofWorker.url, ca: receiver.ca })
    await load.call('run', { origin, receiver: receiver.origin })

    async function sample(): Promise<Sample> {
      return {
        ...named('host', await host.call('footprint')),
        'host: connections': ofHost.count().connections,
        'host: prepared statements, most of a connection': ofHost.count().mostOfOne,
        ...named('worker', await worker.call('footprint')),
        'worker: connections': ofWorker.count().connections,
        'worker: prepared statements, most of a connection': ofWorker.count().mostOfOne,
        ...(await tablesOf(sql)),
      }
    }

    const begun = performance.now()
    const interval = Math.max(SHORTEST_INTERVAL_MS, (minutes * 60_000) / SAMPLES)
    const samples: { minute: number; of: Sample }[] = []
    while (performance.now() - begun < minutes * 60_000) {
      await sleep(interval)
      const minute = (performance.now() - begun) / 60_000
      const of = await sample()
      samples.push({ minute, of })
      progress(`${minute.toFixed(1)} min, ${(await load.call('traffic')).requests} requests: ${shortly(of)}`)
    }
    await load.call('stop')
    const { requests, byStatus, faults } = await load.call('traffic')
    await worker.stop()
    await host.stop()
    await receiver.stop()
    await Promise.all([ofHost.stop(), ofWorker.stop(), sql.end()])

    const last = samples.at(-1)
    const settled = samples.filter(({ minute }) => minute >= minutes * WARM_UP)
    const perMinute = requests / (last?.minute ?? 1)
    const rows = Object.keys(last?.of ?? {}).map((name) => {
      const points = settled.map(({ minute, of }): [number, number] => [minute, of[name] ?? 0])
      const slope = slopeOf(points)
      return [
        name,
        figure(samples[0]?.of[name] ?? 0),
        figure(points[0]?.[1] ?? 0),
        figure(last?.of[name] ?? 0),
        figure(slope * 60),
        figure((slope / perMinute) * 100_000),
      ]
    })
    const statuses = Object.entries(byStatus).map(([status, times]) => `${times} x ${status}`)
    return {
      head: ['', 'first', 'after a third', 'last', 'growth per hour', 'growth per 100,000 requests'],
      rows,
      notes: [
        `${requests} requests in ${minutes} minutes: ${statuses.sort().join(', ')}.`,
        'MiB of heap after a garbage collection, of tables with their indexes. Growth is by least squares, without the first third.',
        ...faults.map((fault) => `Fault seen by a client: ${fault}`),
      ],
    }
  },
}

function named(name: string, held: Footprint): Sample {
  return {
    [`${name}: heap, MiB`]: held.heapBytes / MIB,
    [`${name}: outside the heap, MiB`]: held.externalBytes / MIB,
    [`${name}: resident, MiB`]: held.rssBytes / MIB,
    [`${name}: file descriptors`]: held.fileDescriptors,
  }
}

/** The size of each table, including its partitions. */
async function tablesOf(sql: postgres.Sql): Promise<Sample> {
  const tables = await sql<{ name: string; bytes: string }[]>`
    select coalesce(parent.relname, child.relname) as name, sum(pg_total_relation_size(child.oid)) as bytes
    from pg_class child left join pg_inherits on inhrelid = child.oid left join pg_class parent on parent.oid = inhparent
    where child.relnamespace = 'quickquote'::regnamespace and child.relkind = 'r'
    group by 1 order by 2 desc, 1`
  return Object.fromEntries(tables.map(({ name, bytes }) => [`table ${name}, MiB`, Number(bytes) / MIB]))
}

function shortly(sample: Sample): string {
  return Object.entries(sample)
    .filter(([name]) => !name.startsWith('table '))
    .map(([name, value]) => `${name} ${figure(value)}`)
    .join(', ')
}

function figure(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) < 10 ? 2 : 1)
}
