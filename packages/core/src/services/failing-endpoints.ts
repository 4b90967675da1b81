import { answerInTime } from '../lib/answer-in-time.ts'
import type { FailingEndpoint } from '../model/webhook-endpoint.ts'
import type { Context, Settings } from '../settings.ts'
import { audit, auditChanges, authorOf } from './audit-log.ts'

const BATCH = 100

type EndpointContext = Context<'endpointHealth' | 'webhookEndpoints' | 'auditLog'>

/**
 * Disables endpoints whose deliveries have all failed for `delivery.disableAfterMs`, parks their deliveries, records
 * the reason, and calls the host's hook. Safe to run in any number of processes.
 * @returns how many endpoints this call disabled
 */
export async function disableFailingEndpoints(context: EndpointContext): Promise<number> {
  const { storage, settings } = context
  const { disableAfterMs } = settings.delivery
  if (disableAfterMs === 0) return 0
  const failingSince = new Date((await settings.clock.read()).getTime() - disableAfterMs)
  let disabled = 0
  for (;;) {
    const failing = await storage.endpointHealth.findFailing(failingSince, BATCH)
    // A hook that hangs must not delay the other endpoints and their hooks.
    const hookCalls: Promise<void>[] = []
    try {
      for (const endpoint of failing) {
        if (await disable(context, endpoint)) hookCalls.push(callHook(endpoint, settings))
      }
    } finally {
      await Promise.all(hookCalls)
      disabled += hookCalls.length
    }
    if (failing.length < BATCH) return disabled
  }
}

/** False if the endpoint was disabled or deleted meanwhile, or has had a success. */
async function disable({ storage, settings }: EndpointContext, endpoint: FailingEndpoint): Promise<boolean> {
  const { organization_id: organizationId, id, failing_since } = endpoint
  const isDisabled = await storage.transaction(async (transaction) => {
    const before = await transaction.webhookEndpoints.lock(organizationId, id)
    if (before === null || !before.is_enabled) return false
    const condition = (await transaction.endpointHealth.read(organizationId, [id])).get(id)
    if (condition?.health.failing_since?.getTime() !== failing_since.getTime()) return false
    const now = settings.now()
    const change = { is_enabled: false, disabled_reason: 'failing' } as const
    const after = await transaction.webhookEndpoints.update(organizationId, id, change, now)
    const by = authorOf(organizationId)
    const changes = auditChanges(before, after)
    await audit(transaction, 'webhook_endpoint.disabled', after, { by, changes, at: now })
    return true
  })
  if (isDisabled) {
    settings.logger.warn(
      { endpoint_id: id, organization_id: organizationId, failing_since },
      'endpoint disabled: every delivery to it failed',
    )
  }
  return isDisabled
}

/** Never rejects. */
async function callHook(endpoint: FailingEndpoint, settings: Settings): Promise<void> {
  try {
    await answerInTime('onEndpointDisabled', settings.hookTimeoutMs, () =>
      settings.onEndpointDisabled(endpoint),
    )
  } catch (error) {
    settings.logger.error({ err: error, endpoint_id: endpoint.id }, 'the hook onEndpointDisabled failed')
  }
}
