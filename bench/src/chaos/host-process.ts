// A host that emits events, whatever happens to its database.
import { setTimeout as sleep } from 'node:timers/promises'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { serveParent } from '../child.ts'
import { ownCpuSeconds } from '../usage.ts'
import { CHAOS_EVENT, createChaosIntegrations } from './integrations.ts'

/** The accepted events, and the number of failures. */
interface Emitted {
  readonly accepted: readonly string[]
  readonly failures: number
}

const AT_ONCE = 16
const TRY_AGAIN_MS = 100

const chaosHost = { open, emit, cpuSeconds: ownCpuSeconds }
export type ChaosHost = typeof chaosHost
serveParent(chaosHost)

let integrations: ReturnType<typeof createChaosIntegrations> | undefined

async function open(databaseUrl: string): Promise<void> {
  integrations = createChaosIntegrations(drizzleStorage({ connectionString: databaseUrl }))
}

/** Emits `count` events, over the organizations in turn. Repeats each until it is accepted. */
async function emit(options: { count: number; organizationIds: readonly string[] }): Promise<Emitted> {
  const { count, organizationIds } = options
  const accepted: string[] = []
  let failures = 0
  let next = 0

  async function emitOn(): Promise<void> {
    while (next < count) {
      const n = next
      next += 1
      accepted.push(await emitOne(n))
    }
  }

  async function emitOne(n: number): Promise<string> {
    const organizationId = organizationIds[n % organizationIds.length]
    if (integrations === undefined || organizationId === undefined) throw new Error('open() comes first.')
    for (;;) {
      try {
        return await integrations.emit(CHAOS_EVENT, { organizationId, data: { n } })
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'StorageError') throw error
        failures += 1
        await sleep(TRY_AGAIN_MS)
      }
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, emitOn))
  return { accepted, failures }
}
