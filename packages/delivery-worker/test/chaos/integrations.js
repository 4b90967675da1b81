import { createIntegrations, defineEvents } from '@quickquote/core'
import { Type } from '@quickquote/core/typebox'
import { hostOptions } from '@quickquote/dev-servers/host'

export const CHAOS_EVENT = 'chaos.happened'
/** Shared by all processes of a chaos run: eight attempts fit into seven seconds. */
export function createChaosIntegrations(storage) {
  return createIntegrations({
    ...hostOptions,
    storage,
    delivery: { timeoutMs: 3000, backoffMs: 50, backoffFactor: 2, perEndpoint: 16 },
    events: defineEvents({
      [CHAOS_EVENT]: {
        description: 'Something happened.',
        data: Type.Object({ n: Type.Integer() }),
        example: { n: 1 },
      },
    }),
  })
}
