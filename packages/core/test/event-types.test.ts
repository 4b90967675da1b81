import type { QuotationEventType } from '@quickquote/webhook-signature'
import { isQuotationEvent, QUOTATION_EVENT_TYPES, type QuotationEvent } from '@quickquote/webhook-signature'
import { expect, expectTypeOf, it } from 'vitest'
import { type QuotationEventType as CatalogType, EVENT_TYPES } from '../src/event-catalog.ts'
import { eventCatalogOf } from '../src/event-examples.ts'
import type { STEPS } from '../src/quotation.ts'

it('the event types of receivers are those of the catalog, in its order', () => {
  expect(QUOTATION_EVENT_TYPES).toEqual(EVENT_TYPES)
  expectTypeOf<QuotationEventType>().toEqualTypeOf<CatalogType>()
})

/** What the types of receivers promise of `data`, which a step or a field of the catalog could outgrow. */
const PROMISED: { [Type in QuotationEventType]: Partial<Extract<QuotationEvent, { type: Type }>['data']> } = {
  'quotation.requirement_analysis.completed': { step: 'requirement_analysis', status: 'completed' },
  'quotation.functional_specification.completed': { step: 'functional_specification', status: 'completed' },
  'quotation.work_breakdown.completed': { step: 'work_breakdown', status: 'completed' },
  'quotation.effort_estimation.completed': { step: 'effort_estimation', status: 'completed' },
  'quotation.proposal.completed': { step: 'proposal', status: 'completed', proposal_id: expect.any(String) },
  'quotation.completed': { step: 'proposal', status: 'completed', proposal_id: expect.any(String) },
  'quotation.failed': { step: 'work_breakdown', status: 'failed', error_code: expect.any(String) },
}

it.each(eventCatalogOf('9e8d7c6b-5a4f-4e3d-8c2b-1a0f9e8d7c6b'))(
  'the example of $type is what its type promises a receiver',
  ({ example }) => {
    const event = JSON.parse(JSON.stringify(example))
    if (!isQuotationEvent(event)) throw new Error('Receivers do not know it')
    expect(event.data).toMatchObject(PROMISED[event.type])
    expectTypeOf<Extract<QuotationEvent, { type: 'quotation.failed' }>['data']['step']>().toEqualTypeOf<
      (typeof STEPS)[number] | 'unknown'
    >()
    expect(Object.keys(event.data).toSorted()).toEqual([
      'error_code',
      'generation_source',
      'proposal_id',
      'quotation_id',
      'status',
      'step',
    ])
  },
)
