import { describe, expect, it } from 'vitest'
import { parseRetryAfter } from '../src/http/retry-after.ts'

const now = new Date('2026-11-21T10:00:00Z')

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    [' 7 ', 7000],
    ['Sat, 21 Nov 2026 10:01:30 GMT', 90_000],
    ['Saturday, 21-Nov-26 10:01:30 GMT', 90_000],
    ['Sat Nov 21 10:01:30 2026', 90_000],
    ['12345678901', 12_345_678_901_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ])('%j requests %d ms', (header, ms) => {
    expect(parseRetryAfter(header, now)).toBe(ms)
  })

  it.each([
    undefined,
    '',
    '-1',
    '1.5',
    '1e3',
    '0',
    '2, 2',
    'Sat, 21 Nov 2026 09:00:00 GMT',
    'soon',
    '2026-11-21',
    'Sat, 99 Nov 2026',
  ])('%j requests nothing', (header) => {
    expect(parseRetryAfter(header, now)).toBeNull()
  })

  it('of several, the longest counts', () => {
    expect(parseRetryAfter(['1', '120', 'soon'], now)).toBe(120_000)
    expect(parseRetryAfter(['0', 'soon'], now)).toBeNull()
  })
})
