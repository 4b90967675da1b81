import type { ClaimedDelivery, SettledAttempt } from '@quickquote/core/internal'
import { expect, it } from 'vitest'
import { HeldDeliveries, unbegun } from '../src/deliveries/held-deliveries.ts'

function claimed(attempt: number): ClaimedDelivery {
  return { id: 'd', attempt, organization_id: 'o', endpoint: { id: 'e' } } as ClaimedDelivery
}

it('a worker that was declared dead and claims the same delivery again holds both attempts', () => {
  const held = new HeldDeliveries()
  const [lost, again] = [claimed(1), claimed(2)]
  for (const delivery of [lost, again]) {
    held.claimed([delivery])
    held.begun(delivery)
  }
  expect(held.ids()).toEqual(['d', 'd'])
  expect(held.inFlightByOrganization()).toEqual(new Map([['o', 2]]))

  const late = { status: 'failed', delivery: lost } as SettledAttempt
  held.ended(late)
  expect(held).toMatchObject({ inFlight: 1, size: 2, settled: [late] })
  expect(held.leasesByEndpoint([late])).toEqual(new Map([['e', 1]]))
  held.recorded([late])
  expect(held).toMatchObject({ inFlight: 1, size: 1, settled: [] })

  held.ended(unbegun(again))
  held.givenBack([...held.unbegun])
  expect(held).toMatchObject({ inFlight: 0, size: 0, unbegun: [] })
})
