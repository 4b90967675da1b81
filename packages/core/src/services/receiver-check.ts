import { newId } from '../lib/new-id.ts'
import { validate } from '../lib/validator.ts'
import {
  CHECK_KINDS,
  type CheckKind,
  checkLine,
  type ReceiverCheck,
  type ReceiverCheckBody,
  receiverCheckBody,
  verdictOf,
} from '../model/receiver-check.ts'
import { type Member, requireManageIntegrations } from '../model/session.ts'
import type { StoredWebhookEndpoint } from '../storage/webhook-endpoints.ts'
import { audit, auditChanges } from './audit-log.ts'
import {
  answerOf,
  BEGIN_MS,
  type createTestSending,
  type TestContext,
  type TestOptions,
  type TestOutcome,
  unsent,
} from './test-sending.ts'

/** A check counts as so many tests, with a previous secret or without one. */
const COUNTS_AS = 5

/** The genuine event is repeated if it was answered this soon. Otherwise the check would take too long. */
const REPEATED_WITHIN_MS = 5_000

type Outcome = TestOutcome | { readonly kind: 'not_repeated' }

/** Why a line has no response. */
const UNANSWERED = {
  not_begun: `Not sent: no delivery worker was free within ${BEGIN_MS / 1000} s.`,
  withdrawn: 'Not sent: it was withdrawn.',
  unreported: 'The worker that sent it has not reported the result.',
  not_repeated: `Not sent: the genuine event was not answered within ${REPEATED_WITHIN_MS / 1000} s.`,
} as const

/** Sends them at the same time, and the repeated one once the genuine one has been answered. */
export function createReceiverCheck(
  { storage, settings }: TestContext,
  sending: ReturnType<typeof createTestSending>,
) {
  return async (
    member: Member,
    endpointId: string,
    body: ReceiverCheckBody = {},
    { signal, admit }: TestOptions = {},
  ): Promise<ReceiverCheck> => {
    requireManageIntegrations(member)
    const asked = validate(receiverCheckBody(settings.events), body)
    const { endpoint, event_type } = await sending.prepare(member, endpointId, asked.event_type)
    await admit?.(COUNTS_AS)
    await settings.clock.ready()
    const now = settings.now()
    const wait = { beginBy: performance.now() + BEGIN_MS, signal }
    const repeatBy = performance.now() + REPEATED_WITHIN_MS
    // A receiver that has seen an event may accept it unverified, so only the repeated one has the ID of another.
    const samples = kindsFor(endpoint, now).map((check_kind) => ({
      event: sending.sampleOf(member, event_type, now),
      delivery: { id: newId(now), endpointId: endpoint.id, check_kind },
    }))
    await storage.transaction(async (transaction) => {
      for (const { event, delivery } of samples) await transaction.testDeliveries.insert(event, delivery)
      const changes = auditChanges({}, { event_type })
      await audit(transaction, 'webhook_endpoint.checked', endpoint, { by: member, changes, at: now })
    })

    async function repeat({ event }: (typeof samples)[number], genuine: Outcome): Promise<Outcome> {
      const isAnswered = genuine.kind === 'attempted' && genuine.attempt.http_status !== null
      if (!isAnswered || performance.now() > repeatBy) return { kind: 'not_repeated' }
      const repeated = { endpointId: endpoint.id, check_kind: 'repeated' } as const
      const deliveryId = await storage.testDeliveries.repeat(event, repeated)
      return deliveryId === null ? { kind: 'withdrawn' } : sending.outcomeOf(member, deliveryId, wait)
    }

    const outcomes = await Promise.all(
      samples.map(async (sample): Promise<(readonly [CheckKind, Outcome])[]> => {
        const { id, check_kind } = sample.delivery
        const outcome = await sending.outcomeOf(member, id, wait)
        if (check_kind !== 'genuine') return [[check_kind, outcome]]
        return [
          [check_kind, outcome],
          ['repeated', await repeat(sample, outcome)],
        ]
      }),
    )
    return resultOf(outcomes.flat())
  }
}

function kindsFor({ previous_secrets }: StoredWebhookEndpoint, now: Date): readonly CheckKind[] {
  const isOverlap = previous_secrets.some(({ expires_at }) => expires_at > now)
  return ['genuine', 'forged', 'old', ...(isOverlap ? (['previous_secret'] as const) : [])]
}

/** @throws IntegrationError SERVICE_UNAVAILABLE if nothing was sent */
function resultOf(outcomes: readonly (readonly [CheckKind, Outcome])[]) {
  const [[, genuine] = []] = outcomes
  const isSent = outcomes.some(([, { kind }]) => kind === 'attempted' || kind === 'unreported')
  if (!isSent && (genuine?.kind === 'not_begun' || genuine?.kind === 'withdrawn')) throw unsent(genuine)
  const lines = outcomes.map(([kind, outcome]) =>
    checkLine(
      kind,
      outcome.kind === 'attempted'
        ? answerOf(outcome.attempt)
        : { http_status: null, error: UNANSWERED[outcome.kind] },
    ),
  )
  const results = CHECK_KINDS.flatMap((kind) => lines.filter((line) => line.kind === kind))
  return { verdict: verdictOf(results), results }
}
