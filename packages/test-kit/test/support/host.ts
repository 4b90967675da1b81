import { randomUUID } from 'node:crypto'
import type { Integrations, Quote } from '@quickquote/core'
import { integrationsOn, type TestOptions } from '@quickquote/dev-servers/host'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { onTestFinished } from 'vitest'
import { type Clock, createClock, createTestKit, type TestKit } from '../../src/index.ts'

/** A host's integrations under test, with a kit. Both are closed after the test. */
export interface TestedHost {
  readonly integrations: Integrations
  readonly clock: Clock
  readonly kit: TestKit
  /** The arguments of the pipeline hook's calls. */
  readonly started: readonly Quote[]
  /** The same for cancelled quotes. */
  readonly cancelled: readonly Quote[]
}

export function openHost(url: string, { pipeline, ...options }: TestOptions = {}): TestedHost {
  const clock = createClock()
  const started: Quote[] = []
  const cancelled: Quote[] = []
  const integrations = integrationsOn(drizzleStorage({ connectionString: url, maxConnections: 3 }), {
    now: clock.now,
    ...options,
    pipeline: {
      async start(quote, context) {
        started.push(quote)
        await pipeline?.start?.(quote, context)
      },
      cancel: async (quote) => void cancelled.push(quote),
    },
  })
  const kit = createTestKit({ integrations, clock })
  onTestFinished(async () => {
    await kit.close()
    await integrations.close()
  })
  return { integrations, clock, kit, started, cancelled }
}

export const newOrganization = (): string => randomUUID()
