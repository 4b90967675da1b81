// A host that emits events.
import { createIntegrations, defineEvents } from '@quickquote/core'
import { Type } from '@quickquote/core/typebox'
import { serveParent } from '@quickquote/dev-servers/child'
import { hostOptions } from '@quickquote/dev-servers/host'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { ownCpuSeconds } from './usage.ts'

const EMITTED = 'bench.happened'
const AT_ONCE = 16

const scalingHost = { open, emit, cpuSeconds: ownCpuSeconds }
export type ScalingHost = typeof scalingHost
serveParent(scalingHost)

let integrations: ReturnType<typeof create> | undefined

async function open(databaseUrl: string): Promise<void> {
  integrations = create(databaseUrl)
}

function create(databaseUrl: string) {
  return createIntegrations({
    ...hostOptions,
    storage: drizzleStorage({ connectionString: databaseUrl }),
    events: defineEvents({
      [EMITTED]: {
        description: 'Something happened.',
        data: Type.Object({ n: Type.Integer() }),
        example: { n: 1 },
      },
    }),
  })
}

/** Emits `count` events, over the organizations in turn. */
async function emit(options: { count: number; organizationIds: readonly string[] }): Promise<void> {
  const { count, organizationIds } = options
  let next = 0
  async function emitOn(): Promise<void> {
    while (next < count) {
      const n = next++
      const organizationId = organizationIds[n % organizationIds.length]
      if (integrations === undefined || organizationId === undefined) throw new Error('open() comes first.')
      await integrations.emit(EMITTED, { organizationId, data: { n } })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, emitOn))
}
