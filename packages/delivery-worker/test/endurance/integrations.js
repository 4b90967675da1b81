import { setTimeout as sleep } from 'node:timers/promises'
import { defineEvents, STEPS } from '@quickquote/core'
import { Type } from '@quickquote/core/typebox'
import { integrationsOn } from '@quickquote/dev-servers/host'

export const EMITTED = 'endurance.tested'
/** The options of each worker. */
export const LIFE = { pollIntervalMs: 500, heartbeatMs: 1000, deadAfterMs: 5000 }
const STEP_MS = 5
const FAILS = 0.1

/**
 * Shared by all processes of an endurance test. Each quote runs through all its steps, or fails in one. Eight attempts
 * fit into seven seconds. Limits of clients are in force; those of stored data are never reached.
 */
export function createEnduranceIntegrations(storage) {
  return integrationsOn(storage, {
    limits: { apiKeysPerOrganization: 1000, apiKeysPerMember: 1000 },
    delivery: { timeoutMs: 3000, backoffMs: 50, backoffFactor: 2, perEndpoint: 16 },
    events: defineEvents({
      [EMITTED]: {
        description: 'Something happened.',
        data: Type.Object({ n: Type.Integer() }),
        example: { n: 1 },
      },
    }),
    pipeline: {
      async start(quote, { report, readFile }) {
        for (const file of quote.files) for await (const _ of readFile(file));
        for (const step of STEPS) {
          await report.stepStarted(step)
          await sleep(STEP_MS)
          if (Math.random() < FAILS / STEPS.length) return report.failed({ errorCode: 'ENDURANCE' })
          if (step === 'proposal') await report.proposalReady({ documentId: quote.id })
          else await report.stepCompleted(step)
        }
        await report.completed()
      },
    },
  })
}
