import { randomUUID } from 'node:crypto'
import { createIntegrations, type Integrations, type IntegrationsOptions, type Quote } from '@quickquote/core'
import { hostOptions } from '@quickquote/dev-servers/host'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { onTestFinished } from 'vitest'
import { type Clock, createClock, createTestKit, type TestKit, type TestKitOptions } from '../src/index.ts'

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

export type TestedHostOptions = Partial<
  Pick<IntegrationsOptions, 'allowAddresses' | 'now' | 'productName' | 'delivery'>
> &
  Pick<TestKitOptions, 'app'> & {
    readonly startPipeline?: (quote: Quote) => Promise<void>
    readonly cancelPipeline?: (quote: Quote) => Promise<void>
  }

export function openIntegrations(url: string, options: TestedHostOptions & { clock: Clock }): Integrations {
  const { clock, startPipeline = hostOptions.pipeline.start, cancelPipeline, app: _, ...settings } = options
  return createIntegrations({
    ...hostOptions,
    storage: drizzleStorage({ connectionString: url, maxConnections: 3 }),
    pipeline: {
      ...hostOptions.pipeline,
      start: startPipeline,
      ...(cancelPipeline && { cancel: cancelPipeline }),
    },
    now: clock.now,
    ...settings,
  })
}

export function openHost(url: string, options: TestedHostOptions = {}): TestedHost {
  const clock = createClock()
  const started: Quote[] = []
  const cancelled: Quote[] = []
  const integrations = openIntegrations(url, {
    clock,
    ...options,
    async startPipeline(quote) {
      started.push(quote)
      await options.startPipeline?.(quote)
    },
    cancelPipeline: async (quote) => void cancelled.push(quote),
  })
  const kit = createTestKit({ integrations, clock })
  onTestFinished(async () => {
    await kit.close()
    await integrations.close()
  })
  return { integrations, clock, kit, started, cancelled }
}

export const newOrganization = (): string => randomUUID()
