import {
  isQuotationEvent,
  type OtherEvent,
  QUOTATION_EVENT_TYPES,
  type WebhookPayload,
} from '@quickquote/webhook-signature'
import { expect, expectTypeOf, it } from 'vitest'
import { bodyOf } from './support/delivery.ts'

const completed = JSON.parse(bodyOf('evt_1'))
const unheardOf: WebhookPayload = {
  ...completed,
  type: 'project.created',
  data: { project_id: 'p1' },
} as never

/** A receiver's code. Each branch has the type of its event. */
function react(event: WebhookPayload): string {
  if (!isQuotationEvent(event)) {
    expectTypeOf(event).toEqualTypeOf<OtherEvent>()
    return `ignored: ${event.type}`
  }
  expectTypeOf(event.data.quotation_id).toEqualTypeOf<string>()
  switch (event.type) {
    case 'quotation.completed':
      expectTypeOf(event.data.proposal_id).toEqualTypeOf<string>()
      return `proposal ${event.data.proposal_id}`
    case 'quotation.failed':
      expectTypeOf(event.data.error_code).toEqualTypeOf<string | null>()
      return `${event.data.step} failed: ${event.data.error_code}`
    case 'quotation.work_breakdown.completed':
      expectTypeOf(event.data.step).toEqualTypeOf<'work_breakdown'>()
      return event.data.step
    default:
      expectTypeOf(event.data.status).toEqualTypeOf<'completed'>()
      return event.data.step
  }
}

it('the type of an event determines its data, and unknown types are distinguished', () => {
  expect(react(completed)).toBe('proposal c0ffee00-1234-4abc-8def-0123456789ab')
  expect(react(unheardOf)).toBe('ignored: project.created')
})

it.each(QUOTATION_EVENT_TYPES)('%s is a quote event', (type) => {
  expect(isQuotationEvent({ ...completed, type })).toBe(true)
})
