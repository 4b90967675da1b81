import {
  isQuotationEvent,
  QUOTATION_EVENT_TYPES,
  type QuotationEvent,
  type QuotationEventType,
} from '@quickquote/webhook-signature'
import { expect, expectTypeOf, it } from 'vitest'
import type { Step } from '../src/model/quotation.ts'
import {
  type QuotationEventType as CatalogType,
  EVENT_TYPES,
  QUOTATION_EVENTS,
  type QuotationEventData,
} from '../src/model/quotation-events.ts'

it('receivers have the event types of the catalog, in its order', () => {
  expect(QUOTATION_EVENT_TYPES).toEqual(EVENT_TYPES)
  expectTypeOf<QuotationEventType>().toEqualTypeOf<CatalogType>()
})

/** The receivers' type of `data`, which the catalog could outgrow. */
const PROMISED: { [Type in QuotationEventType]: Partial<Extract<QuotationEvent, { type: Type }>['data']> } = {
  'quotation.requirement_analysis.completed': { step: 'requirement_analysis', status: 'completed' },
  'quotation.functional_specification.completed': { step: 'functional_specification', status: 'completed' },
  'quotation.work_breakdown.completed': { step: 'work_breakdown', status: 'completed' },
  'quotation.effort_estimation.completed': { step: 'effort_estimation', status: 'completed' },
  'quotation.proposal.completed': { step: 'proposal', status: 'completed', proposal_id: expect.any(String) },
  'quotation.completed': { step: 'proposal', status: 'completed', proposal_id: expect.any(String) },
  'quotation.failed': { step: 'work_breakdown', status: 'failed', error_code: expect.any(String) },
}

it.each(EVENT_TYPES)('the example of %s has the type that receivers expect', (type) => {
  const { example } = QUOTATION_EVENTS[type]
  const event = { id: 'evt_1', type, created_at: '', organization_id: '', data: example }
  if (!isQuotationEvent(event)) throw new Error('Receivers do not know it')
  expect(event.data).toMatchObject(PROMISED[event.type])
})

it('receivers know every field and every step of the catalog', () => {
  expectTypeOf<keyof QuotationEvent['data']>().toEqualTypeOf<keyof QuotationEventData>()
  expectTypeOf<Extract<QuotationEvent, { type: 'quotation.failed' }>['data']['step']>().toEqualTypeOf<
    Step | 'unknown'
  >()
})
