import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import type { Bench, BenchContext } from './bench.ts'
import { atMost } from './goal.ts'
import { type Measured, medianOf, ratioOf, takeTurns } from './rounds.ts'
import type { StartUpHost } from './start-up-host.ts'
import { installFrom } from './start-up-install.ts'
import { milliseconds } from './table.ts'

const ROOT = resolve(import.meta.dirname, '../..')

const COLUMNS = [
  { title: 'Fastify, drizzle and postgres', cpu: 'bareMs', heap: 'bareMib' },
  { title: 'our imports', cpu: 'importsMs', heap: 'importsMib' },
  { title: 'our start', cpu: 'startMs', heap: 'startMib' },
  { title: 'both', cpu: 'addedMs', heap: 'addedMib' },
] as const

type StartUp = Readonly<Record<(typeof COLUMNS)[number]['cpu' | 'heap'], number>>

export const startUp: Bench = {
  name: 'start-up',
  title: 'CPU and heap of a process until its first response',

  async run(context) {
    const ours = await sideOf(context, ROOT)
    const released =
      context.released === undefined ? undefined : await sideOf(context, resolve(ROOT, context.released))
    try {
      const named = [
        ...[false, true].map((hasWorker) => ({ name: nameOf(hasWorker), side: ours, hasWorker })),
        ...(released ? [{ name: 'released, with a worker', side: released, hasWorker: true }] : []),
      ]
      const measured = await takeTurns(
        named.map(({ name, side, hasWorker }) => ({ name, measure: () => side.measure(hasWorker) })),
        { rounds: context.rounds, onRound: context.progress },
      )
      const [, both, before] = measured
      assert(both !== undefined)
      return {
        head: ['', ...COLUMNS.map(({ title }) => `${title}: ms / MiB`)],
        rows: [...measured.map(rowOf), ...(before ? [ratios(both, before)] : [])],
        notes: [
          'CPU time; heap after a garbage collection. The start ends with a response. Packages as they are packed.',
        ],
        goals: goalsOf(both, before),
      }
    } finally {
      await ours.remove()
      await released?.remove()
    }
  },
}

function nameOf(hasWorker: boolean): string {
  return hasWorker ? 'with a worker' : 'the plugin'
}

/** The packages of a checkout, and a database of their own. Each measurement is a new process. */
async function sideOf(context: BenchContext, checkout: string) {
  const { folder, remove } = await installFrom(checkout)
  const databaseUrl = await context.postgres.createDatabase()
  const settings = { folder, databaseUrl }
  const start = () => context.start<StartUpHost>('./start-up-host.js')
  const migration = start()
  await migration.call('migrate', settings)
  await migration.kill()

  async function measure(hasWorker: boolean): Promise<StartUp> {
    const host = start()
    const { bare, imports, start: started } = await host.call('startUp', { ...settings, hasWorker })
    await host.kill()
    return {
      bareMs: bare.cpuMs,
      bareMib: bare.heapMib,
      importsMs: imports.cpuMs,
      importsMib: imports.heapMib,
      startMs: started.cpuMs,
      startMib: started.heapMib,
      addedMs: imports.cpuMs + started.cpuMs,
      addedMib: imports.heapMib + started.heapMib,
    }
  }
  return { measure, remove }
}

function rowOf(each: Measured<StartUp>): string[] {
  return [
    each.name,
    ...COLUMNS.map(
      ({ cpu, heap }) => `${medianOf(each, cpu).toFixed(0)} / ${medianOf(each, heap).toFixed(1)}`,
    ),
  ]
}

function ratios(ours: Measured<StartUp>, released: Measured<StartUp>): string[] {
  const times = (figure: keyof StartUp) => ratioOf(ours, released, figure).median.toFixed(2)
  return ['ours / released', ...COLUMNS.map(({ cpu, heap }) => `${times(cpu)} / ${times(heap)}`)]
}

function goalsOf(ours: Measured<StartUp>, released: Measured<StartUp> | undefined) {
  const ratio = (goal: string, figure: keyof StartUp, must: number) =>
    released === undefined
      ? []
      : [
          atMost({
            goal,
            value: ratioOf(ours, released, figure).median,
            must,
            format: (times) => `${times.toFixed(2)}x`,
          }),
        ]
  return [
    atMost({
      goal: 'CPU of our imports',
      value: medianOf(ours, 'importsMs'),
      must: 300,
      format: milliseconds,
    }),
    atMost({
      goal: 'Heap that we add until the first response',
      value: medianOf(ours, 'addedMib'),
      must: 20,
      format: (mib) => `${mib.toFixed(1)} MiB`,
    }),
    ...ratio('CPU of our imports, against the released', 'importsMs', 0.5),
    ...ratio('CPU until the first response, against the released', 'addedMs', 0.6),
    ...ratio('Heap until the first response, against the released', 'addedMib', 0.8),
  ]
}
