import { answerInTime } from '../lib/answer-in-time.ts'
import {
  type EndpointFailingWarning,
  endpointWarnings,
  KEY_WARNING_DAYS,
  nextWarningAt,
} from '../model/warning.ts'
import type { Context, Settings } from '../settings.ts'
import type { Storage } from '../storage/storage.ts'
import type { ClaimedWarning } from '../storage/warnings.ts'

/** Concurrent hook calls. */
const BATCH = 10
/** Time to record the result of a hook before it would be called again. */
const RECORDING_MS = 60 * 1000
/** Longer than the earliest warning about a key, so that none is repeated. */
const REMEMBERED_MS = 60 * 24 * 60 * 60 * 1000

/**
 * Warns the host once about each failing endpoint, abandoned deliveries and expiring API keys, with a log line and a
 * hook call. Safe to run in any number of processes.
 * @returns the number of successful hook calls
 */
export async function sendWarnings(context: Context<'warnings' | 'endpointHealth'>): Promise<number> {
  const { storage, settings } = context
  const now = await settings.clock.read()
  const stages = endpointWarnings(settings.delivery)
  for (const [index, afterMs] of stages.entries()) {
    const failingSince = new Date(now.getTime() - afterMs)
    await storage.warnings.noteFailingEndpoints({ failingSince, stage: stages.length - index, now })
  }
  for (const days of KEY_WARNING_DAYS) await storage.warnings.noteExpiringKeys({ days, now })

  let sent = 0
  for (;;) {
    const leaseUntil = new Date(settings.now().getTime() + settings.hookTimeoutMs + RECORDING_MS)
    const claimed = await storage.warnings.claim({ limit: BATCH, now, leaseUntil })
    const taken = await Promise.all(claimed.map((warning) => send(context, warning)))
    sent += taken.filter(Boolean).length
    if (claimed.length < BATCH) break
  }
  await storage.warnings.forget(new Date(now.getTime() - REMEMBERED_MS))
  return sent
}

/** @returns whether the hook succeeded */
async function send(
  { storage, settings }: Context<'warnings' | 'endpointHealth'>,
  warning: ClaimedWarning,
): Promise<boolean> {
  const { id, attempt, subject } = warning
  if (subject === null) {
    await storage.warnings.recordCall({ id, attempt, retryAt: null })
    return false
  }
  const change = warning.kind === 'endpoint_failing' ? await changeBefore(storage, warning) : null
  const { message, fields, hook, call } = noticeOf(warning, { ...subject, change }, settings)
  if (attempt === 1) {
    const { organization_id } = warning
    settings.logger.warn({ warning_id: id, organization_id, ...fields }, message)
  }
  try {
    await answerInTime(hook, settings.hookTimeoutMs, call)
  } catch (error) {
    const retryAt = nextWarningAt(attempt, settings.now())
    const failed = { err: error, hook, warning_id: id, attempt, next_attempt_at: retryAt }
    settings.logger.error(failed, 'a warning hook failed')
    await storage.warnings.recordCall({ id, attempt, retryAt })
    return false
  }
  await storage.warnings.recordCall({ id, attempt, retryAt: null })
  return true
}

type Subject = NonNullable<ClaimedWarning['subject']> & { change: EndpointFailingWarning['changedBefore'] }

async function changeBefore(
  { endpointHealth }: Pick<Storage, 'endpointHealth'>,
  { organization_id, subject_id }: ClaimedWarning,
): Promise<EndpointFailingWarning['changedBefore']> {
  const conditions = await endpointHealth.read(organization_id, [subject_id])
  return conditions.get(subject_id)?.health.changed_before_failing ?? null
}

/** The line for the log, without names, because members' texts stay out of it, and the call of the hook. */
function noticeOf(
  { id, kind, organization_id, subject_id, since, until, count }: ClaimedWarning,
  { name, owner_id, masked_key, replaced_by, change }: Subject,
  settings: Settings,
): { message: string; fields: object; hook: string; call: () => void | Promise<void> } {
  const subject = { id: subject_id, organization_id, name }
  switch (kind) {
    case 'endpoint_failing': {
      const { disableAfterMs } = settings.delivery
      const disablesAt = disableAfterMs === 0 ? null : new Date(since.getTime() + disableAfterMs)
      const warning = { id, endpoint: subject, failingSince: since, disablesAt, changedBefore: change }
      return {
        message: 'every delivery to an endpoint has failed for a while',
        fields: { endpoint_id: subject_id, failing_since: since, disables_at: disablesAt },
        hook: 'onEndpointFailing',
        call: () => settings.onEndpointFailing(warning),
      }
    }
    case 'deliveries_exhausted': {
      const warning = { id, endpoint: subject, count: count ?? 1, since, until: until ?? since }
      return {
        message: 'deliveries to an endpoint were given up after their last attempt',
        fields: { endpoint_id: subject_id, deliveries: count, since, until },
        hook: 'onDeliveriesExhausted',
        call: () => settings.onDeliveriesExhausted(warning),
      }
    }
    case 'api_key_expiring': {
      const apiKey = { ...subject, owner_id: owner_id ?? '', masked_key: masked_key ?? '', replaced_by }
      const warning = { id, apiKey, expiresAt: since, daysLeft: count ?? 1 }
      return {
        message: 'an API key expires soon',
        fields: { api_key_id: subject_id, expires_at: since, days_left: count },
        hook: 'onApiKeyExpiring',
        call: () => settings.onApiKeyExpiring(warning),
      }
    }
  }
}
