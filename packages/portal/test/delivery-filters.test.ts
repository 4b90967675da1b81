import { describe, expect, it } from 'vitest'
import { chartOf as chartAt, DEFAULTS, hourOf, isOneDay, readSearch } from '../ui/screens/delivery-filters.ts'

const ID = '0197a2ff-6a7b-7c8d-9e0f-1a2b3c4d5e6f'
const ORGANIZATION = '6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e'
const HOUR = 3_600_000
const NOW = Date.parse('2026-11-28T13:30:00Z')
const chartOf = (filters: typeof DEFAULTS) => chartAt(filters, NOW)

describe('a search for deliveries', () => {
  it.each([
    [ID, { kind: 'id', value: ID }],
    [` "${ID}", `, { kind: 'id', value: ID }],
    [`„${ID}“`, { kind: 'id', value: ID }],
    [`evt_${ID}`, { kind: 'event', value: `evt_${ID}` }],
    [`'evt_${ID}'.`, { kind: 'event', value: `evt_${ID}` }],
    [`https://api.example.com/v1/integrations/quotations/${ID}/pipeline?wait=3`, { kind: 'id', value: ID }],
    [`https://x.example/portal/#/${ORGANIZATION}/deliveries/${ID}`, { kind: 'id', value: ID }],
    ['503', { kind: 'status', value: '503' }],
    ['(deal-7)', { kind: 'text', value: 'deal-7' }],
    ['600', { kind: 'text', value: '600' }],
    [' “” ', { kind: 'nothing' }],
  ])('takes what somebody pastes: %s', (text, found) => {
    expect(readSearch(text)).toEqual(found)
  })
})

describe('the chart above the list', () => {
  const present = Math.floor(NOW / HOUR)
  const own = (from: number, until: number | null) => ({
    ...DEFAULTS,
    span: 'own',
    since: new Date(from * HOUR).toISOString(),
    until: until === null ? '' : new Date(until * HOUR).toISOString(),
  })

  it('follows the period of the list, and shows an hour in its day or week', () => {
    const spans = ['1', '24', '168', 'all'].map((span) => chartOf({ ...DEFAULTS, span }).count)
    expect(spans).toEqual([24, 24, 168, 168])
    expect(chartOf(own(present - 60, present - 30))).toEqual({ count: 30, last: present - 31 })
    expect(chartOf(own(present - 30, null))).toEqual({ count: 31, last: null })
    expect(chartOf(own(present - 400, present - 100))).toEqual({ count: 168, last: present - 101 })
    expect(chartOf({ ...DEFAULTS, ...hourOf((present - 3) * HOUR) })).toEqual({ count: 24, last: null })
    expect(chartOf({ ...DEFAULTS, ...hourOf((present - 30) * HOUR) })).toEqual({ count: 168, last: null })
    expect(chartOf({ ...DEFAULTS, ...hourOf((present - 300) * HOUR) })).toEqual({
      count: 24,
      last: present - 288,
    })
    expect(chartOf({ ...DEFAULTS, span: 'own' })).toEqual({ count: 24, last: null })
  })

  it('goes with times of day below it, if it is of one day', () => {
    const days = [own(0, 24), own(0, 25), own(0, null), DEFAULTS]
    expect(days.map(isOneDay)).toEqual([true, false, false, false])
  })
})
