import assert from 'node:assert/strict'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import type { Bench } from './bench.ts'
import { atMost } from './goal.ts'
import { medianOf, takeTurns } from './rounds.ts'
import type { StartUpHost } from './start-up-host.ts'
import { milliseconds } from './table.ts'

const STEPS = ['bare', 'imports', 'start'] as const
const CPU = { bare: 'bareMs', imports: 'importsMs', start: 'startMs' } as const
const HEAP = { bare: 'bareMib', imports: 'importsMib', start: 'startMib' } as const

export const startUp: Bench = {
  name: 'start-up',
  title: 'CPU and heap of a process until its first response',

  async run(context) {
    const databaseUrl = await context.postgres.createDatabase()
    const storage = drizzleStorage({ connectionString: databaseUrl })
    await storage.migrate()
    await storage.close()

    /** A new process each time. */
    async function measure(hasWorker: boolean) {
      const host = context.start<StartUpHost>('./start-up-host.js')
      const { bare, imports, start } = await host.call('startUp', { databaseUrl, hasWorker })
      await host.kill()
      return {
        ...{ bareMs: bare.cpuMs, importsMs: imports.cpuMs, startMs: start.cpuMs },
        ...{ bareMib: bare.heapMib, importsMib: imports.heapMib, startMib: start.heapMib },
        addedMib: imports.heapMib + start.heapMib,
      }
    }

    const [api, both] = await takeTurns(
      [
        { name: 'the plugin', measure: () => measure(false) },
        { name: 'with a worker', measure: () => measure(true) },
      ],
      { rounds: context.rounds, onRound: context.progress },
    )
    assert(api !== undefined && both !== undefined)
    return {
      head: [
        '',
        ...['Fastify, drizzle and postgres', 'our imports', 'our start'].map((each) => `${each}: ms / MiB`),
      ],
      rows: [api, both].map((each) => [
        each.name,
        ...STEPS.map(
          (step) => `${medianOf(each, CPU[step]).toFixed(0)} / ${medianOf(each, HEAP[step]).toFixed(1)}`,
        ),
      ]),
      notes: ['CPU time; heap after a garbage collection. The start ends with a response.'],
      goals: [
        atMost({
          goal: 'CPU of our imports',
          value: medianOf(both, 'importsMs'),
          must: 300,
          format: milliseconds,
        }),
        atMost({
          goal: 'Heap that we add until the first response',
          value: medianOf(both, 'addedMib'),
          must: 20,
          format: (mib) => `${mib.toFixed(1)} MiB`,
        }),
      ],
    }
  },
}
