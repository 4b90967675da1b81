import { createIntegrations, defineEvents, Type } from '@quickquote/core'
export const CHAOS_EVENT = 'chaos.happened'
/** Shared by all processes of a chaos run: eight attempts fit into seven seconds. */
export function createChaosIntegrations(storage) {
  return createIntegrations({
    storage,
    encryptionKeys: [{ id: '1', key: Buffer.alloc(32, 1).toString('base64') }],
    allowAddresses: ['127.0.0.1/32'],
    delivery: { timeoutMs: 3000, backoffMs: 50, backoffFactor: 2, perEndpoint: 16 },
    events: defineEvents({
      [CHAOS_EVENT]: {
        description: 'Something happened.',
        data: Type.Object({ n: Type.Integer() }),
        example: { n: 1 },
      },
    }),
    pipeline: {
      async start() {},
      async signDocumentUrl() {
        throw new Error('There are no documents.')
      },
    },
  })
}
