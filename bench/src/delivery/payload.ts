const HEAD =
  '{"id":"evt_019f0c5a-7f00-7000-8000-000000000000","type":"quotation.completed","data":{"proposal_id":"'
const TAIL = '"}}'

/** The body of every webhook of a bench. */
const BODY_BYTES = 400

/** JSON of 400 bytes. */
export const BODY = `${HEAD}${'x'.repeat(BODY_BYTES - HEAD.length - TAIL.length)}${TAIL}`

export const EVENT_TYPE = 'quotation.completed'

/** An event of an organization, as `storage.events.record` takes it. */
export function benchEvent(id: string, organizationId: string) {
  return {
    id,
    organization_id: organizationId,
    type: EVENT_TYPE,
    quotation_id: null,
    generation_source: 'api_key' as const,
    created_at: new Date(),
    body: BODY,
    trace: null,
  }
}
