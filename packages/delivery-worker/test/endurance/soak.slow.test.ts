import { setTimeout as sleep } from 'node:timers/promises'
import { createCertificate } from '@quickquote/dev-servers'
import { type Child, type Footprint, type Service, startChild } from '@quickquote/dev-servers/child'
import { migratedDatabase } from '@quickquote/dev-servers/vitest'
import { expect, it } from 'vitest'
import type { Host, Load, Receiver, Worker } from './programs.ts'
import { countStatements, type StatementCounter } from './statement-counter.ts'

/** `SOAK_MINUTES=30` also prints the figures. */
const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 0.5)
/** Few in a short run, so that each has keys, endpoints and quotations. */
const ORGANIZATIONS = Math.ceil(MINUTES * 60)
const SAMPLES = 10
const MIB = 1024 * 1024

/** However long it runs. A process starts with 20 to 30 MiB of heap. */
const MOST = { heapMib: 100, fileDescriptors: 150, connections: 15, statements: 250 }

it('mixed traffic of many organizations and a million addresses causes no fault and no growth', async ({
  onTestFinished,
}) => {
  function start<S extends Service>(program: string): Child<S> {
    const child = startChild<S>(new URL(program, import.meta.url))
    onTestFinished(() => child.stop())
    return child
  }

  const database = await migratedDatabase()
  const [ofHost, ofWorker] = [await countStatements(database.url), await countStatements(database.url)]
  onTestFinished(async () => void (await Promise.all([ofHost.stop(), ofWorker.stop()])))
  const certificate = await createCertificate()
  const receiver = start<Receiver>('receiver-process.js')
  const [steady = ''] = await receiver.call('listen', certificate)
  const host = start<Host>('host-process.js')
  await host.call('open', { databaseUrl: ofHost.url, urls: [], organizationIds: [] })
  const worker = start<Worker>('worker-process.js')
  await worker.call('start', { databaseUrl: ofWorker.url, ca: certificate.cert })
  const load = start<Load>('load-process.js')
  const origin = await host.call('listen')
  await load.call('run', { origin, receiver: steady, organizations: ORGANIZATIONS })

  const samples: Record<string, Figures>[] = []
  for (let n = 0; n < SAMPLES; n += 1) {
    await sleep((MINUTES * 60_000) / SAMPLES)
    samples.push({
      host: figuresOf(await host.call('footprint'), ofHost),
      worker: figuresOf(await worker.call('footprint'), ofWorker),
    })
    await receiver.call('take', Number.MAX_SAFE_INTEGER)
  }
  await load.call('stop')
  const { requests, byStatus, faults } = await load.call('traffic')
  await worker.call('stop')
  if (process.env['SOAK_MINUTES'] !== undefined) {
    console.log(JSON.stringify({ requests, byStatus, samples }, null, 1))
  }

  expect(faults).toEqual([])
  for (const status of ['200', '201', '202', '401', '404']) expect(byStatus).toHaveProperty(status)
  for (const figures of samples.flatMap((sample) => Object.values(sample))) {
    for (const [name, most] of Object.entries(MOST)) {
      expect(figures[name as keyof Figures], name).toBeLessThan(most)
    }
  }
}, 3_600_000)

type Figures = typeof MOST

function figuresOf({ heapBytes, fileDescriptors }: Footprint, counter: StatementCounter): Figures {
  const { connections, mostOfOne } = counter.count()
  return {
    heapMib: heapBytes / MIB,
    fileDescriptors: Number.isNaN(fileDescriptors) ? 0 : fileDescriptors,
    connections,
    statements: mostOfOne,
  }
}
