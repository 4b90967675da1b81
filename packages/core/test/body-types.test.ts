import { expect, it } from 'vitest'
import type { ApiKeys } from '../src/services/api-keys.ts'
import type { Quotations } from '../src/services/quotations.ts'
import type { WebhookEndpoints } from '../src/services/webhook-endpoints.ts'

type First<Method extends (...given: never[]) => unknown> = Parameters<Method>[0]
type Second<Method extends (...given: never[]) => unknown> = Parameters<Method>[1]
type Third<Method extends (...given: never[]) => unknown> = Parameters<Method>[2]

it('an unknown field of a body does not compile', () => {
  const quote = { organizationId: '', source: 'ui' } as const
  const accepted: First<Quotations['start']> = { ...quote, body: { requirementsText: 'A shop', name: null } }
  // @ts-expect-error the field is requirementsText
  const misspelled: First<Quotations['start']> = { ...quote, body: { requirementText: 'A shop' } }
  // @ts-expect-error a name is text
  const ofAnotherType: First<Quotations['start']> = { ...quote, body: { name: 5 } }

  const endpoint = { name: 'CRM', url: 'https://crm.example.com/', events: ['quotation.completed'] as const }
  const created: Second<WebhookEndpoints['create']> = { ...endpoint, trigger_mode: 'always' }
  // @ts-expect-error the field is is_enabled
  const enabled: Third<WebhookEndpoints['update']> = { enabled: true }
  // @ts-expect-error the field is expires_at
  const key: Second<ApiKeys['create']> = { name: 'CRM', expiresAt: '2027-01-01T00:00:00Z' }

  expect([accepted, misspelled, ofAnotherType, created, enabled, key]).toHaveLength(6)
})
