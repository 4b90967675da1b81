import { setTimeout as sleep } from 'node:timers/promises'
import { createIntegrations, type Limits, STEPS } from '@quickquote/core'
import { hostOptions } from '@quickquote/dev-servers/host'
import type { DrizzleStorage } from '@quickquote/storage-drizzle'

/** Client limits are in force, and some clients exceed them; limits on stored data are never reached. */
const LIMITS: Partial<Limits> = { apiKeysPerOrganization: 1000, apiKeysPerMember: 1000 }
const FAILS = 0.1

/** Shared by all processes of a soak. Each quote runs through all its steps, or fails in one. */
export function createSoakIntegrations(storage: DrizzleStorage) {
  return createIntegrations({
    ...hostOptions,
    storage,
    limits: LIMITS,
    delivery: { backoffMs: 50 },
    pipeline: {
      ...hostOptions.pipeline,
      async start(quote, { report, readFile }) {
        for (const file of quote.files) for await (const _ of readFile(file));
        for (const step of STEPS) {
          await report.stepStarted(step)
          await sleep(5)
          if (Math.random() < FAILS / STEPS.length) return report.failed({ errorCode: 'SOAK' })
          if (step === 'proposal') await report.proposalReady({ documentId: quote.id })
          else await report.stepCompleted(step)
        }
        await report.completed()
      },
    },
  })
}
