import { ConfigurationError, type Integrations } from '@quickquote/core'
import {
  completeOptions,
  eventIdOf,
  hasMethods,
  INTEGRATIONS_OPTION,
  type OptionTable,
  PREFIX,
  type SettledAttempt,
} from '@quickquote/core/internal'
import { deliverDue, type StartTry, startDue } from '@quickquote/delivery-worker'
import { describeAttempt, type TestAttempt, toTestAttempt } from './attempt.ts'
import { createCertificate } from './certificate.ts'
import type { Clock } from './clock.ts'
import { createPartner, type Partner, type PartnerOptions, removeEndpoint } from './partner.ts'
import { type PartnerReceiver, startPartnerReceiver } from './partner-receiver.ts'
import { createStartQuote, type HostApp } from './quote-start.ts'

export interface TestKitOptions {
  /**
   * Your own integrations, on a migrated database. They need `allowAddresses: ['127.0.0.1/32']`, and `now: clock.now`
   * to control the time.
   */
  readonly integrations: Integrations
  /** A Fastify instance with the plugin, through which quotes are started, listening or not. */
  readonly app?: HostApp
  /** The prefix of the plugin. Default none. */
  readonly prefix?: string
  /** The clock of `integrations`, so that the kit can detect another one. */
  readonly clock?: Clock
}

/** Partners for a host's tests, and a worker's work on demand. Run no worker beside it. */
export interface TestKit {
  /** A new partner, isolated from other tests. */
  partner(options?: PartnerOptions): Promise<Partner>
  /**
   * Does a worker's work for the kit's partners: calls the pipeline hooks for accepted and cancelled quotes, and sends
   * the webhooks that are due, one after another, oldest event first. Later ones are left for a later call.
   * @returns the attempts
   * @throws Error, with the response, if the hook threw or an attempt failed without `answerNext`; everything due has
   * been tried by then
   */
  deliver(): Promise<readonly TestAttempt[]>
  /**
   * Stops the receivers and deletes the endpoints of its partners. Call it before `integrations.close()`. Safe to call
   * again.
   */
  close(): Promise<void>
}

const LOOPBACK = '127.0.0.1'

/**
 * Creates the kit of a test file. It starts nothing: each partner has a receiver on 127.0.0.1, with a certificate that
 * only this kit's `deliver()` trusts.
 * @throws ConfigurationError for an option that is missing or invalid, and for integrations that may not call 127.0.0.1
 * or use another clock
 */
export function createTestKit(options: TestKitOptions): TestKit {
  checkOptions(options)
  const { integrations, app, prefix = '' } = options
  const { settings } = integrations
  const startQuote = createStartQuote(integrations, app, prefix)
  const partners: { readonly partner: Partner; readonly receiver: PartnerReceiver }[] = []
  const handedOver = new Set<string>()
  /** Completed when `pipeline.start` returned. */
  const completedByStart = new Set<string>()
  let certificate: ReturnType<typeof createCertificate> | undefined
  let isClosed = false

  function own(): { integrations: Integrations; organizationIds: string[] } {
    if (isClosed) throw new Error('The test kit is closed.')
    return { integrations, organizationIds: partners.map(({ partner }) => partner.organizationId) }
  }

  /** Calls the pipeline hook for due quotes. @returns the failed calls */
  async function startPipelines(): Promise<StartTry[]> {
    const tries = await startDue(own())
    for (const { quote, result } of tries) {
      if (result.kind !== 'started') continue
      const { status } = await integrations.quotations.get(quote.organization_id, quote.id)
      if (status === 'completed') completedByStart.add(quote.id)
      handedOver.add(quote.id)
    }
    return tries.filter(({ result }) => result.kind === 'failed')
  }

  async function handOver(quotationId: string): Promise<{ isCompleted: boolean }> {
    if (!handedOver.has(quotationId)) await startPipelineOf(quotationId)
    return { isCompleted: completedByStart.has(quotationId) }
  }

  async function startPipelineOf(quotationId: string): Promise<void> {
    const [failure] = (await startPipelines()).filter(({ quote }) => quote.id === quotationId)
    if (failure !== undefined) throw hookError(failure)
    if (!handedOver.has(quotationId)) throw hookNeverCalled(quotationId)
  }

  function isUnexpected({ status, delivery }: SettledAttempt): boolean {
    if (status === 'succeeded') return false
    const known = partners.find(({ partner }) => partner.endpointId === delivery.endpoint.id)
    return known?.receiver.wasToldToFail(eventIdOf(delivery.event_id)) !== true
  }

  return {
    async partner(options = {}) {
      own()
      certificate ??= createCertificate()
      const receiver = await startPartnerReceiver(await certificate, settings)
      try {
        const partner = await createPartner({ integrations, receiver, startQuote, handOver }, options)
        partners.push({ partner, receiver })
        return partner
      } catch (error) {
        await receiver.stop()
        throw error
      }
    },

    async deliver() {
      const [failure] = await startPipelines()
      const ca = (await certificate)?.cert
      const attempts = await deliverDue({ ...own(), ...(ca !== undefined && { ca }) })
      if (failure !== undefined) throw hookError(failure)
      const failures = attempts.filter(isUnexpected)
      if (failures.length > 0) throw deliveryError(failures, attempts.length)
      return attempts.map(toTestAttempt)
    },

    async close() {
      if (isClosed) return
      isClosed = true
      await Promise.all(partners.map(({ receiver }) => receiver.stop()))
      for (const { partner } of partners) await removeEndpoint(integrations, partner)
    },
  }
}

const OPTIONS = {
  integrations: INTEGRATIONS_OPTION,
  app: {
    check: hasMethods('inject'),
    rule: 'must be a Fastify instance with the plugin. It is optional.',
  },
  prefix: PREFIX,
  clock: { check: hasMethods('now'), rule: 'must be the result of createClock().' },
} satisfies Record<keyof TestKitOptions, OptionTable[string]>

function checkOptions(options: TestKitOptions): void {
  const { integrations, clock } = completeOptions('createTestKit', OPTIONS, options)
  const { addressGuard, now } = integrations.settings
  if (!addressGuard.check(LOOPBACK).allowed) {
    throw new ConfigurationError(
      `createTestKit: these integrations may not send webhooks to ${LOOPBACK}, where the receivers of the kit listen. ` +
        `In tests, call createIntegrations with allowAddresses: ['${LOOPBACK}/32'].`,
    )
  }
  if (clock !== undefined && now().getTime() !== clock.now().getTime()) {
    throw new ConfigurationError(
      'createTestKit: these integrations use another clock. In tests, call createIntegrations with now: clock.now.',
    )
  }
}

function hookError({ quote, hook, attempt, result }: StartTry): Error {
  const { error: cause = undefined, retryAt = null } = result.kind === 'failed' ? result : {}
  const reason = cause instanceof Error ? cause.message : String(cause)
  const next = retryAt === null ? 'It is not called again.' : `Due again at ${retryAt.toISOString()}.`
  return new Error(`pipeline.${hook} threw for quote ${quote.id}, call ${attempt}: ${reason} ${next}`, {
    cause,
  })
}

function hookNeverCalled(quotationId: string): Error {
  return new Error(
    `pipeline.start was never called for quote ${quotationId}: no start is due for a partner of this kit. ` +
      'Either another worker has taken it (run none: the kit does its work), a failed call is not due ' +
      'again yet (advance the clock), or the quote belongs to another organization.',
  )
}

function deliveryError(failures: readonly SettledAttempt[], count: number): Error {
  return new Error(
    [
      `${failures.length} of ${count} delivery attempts failed:`,
      ...failures.map(describeAttempt),
      'If the receiver is meant to fail, set it up first: partner.answerNext({ status: 503 }).',
    ].join('\n'),
  )
}
