import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTimestamp } from '../src/lib/timestamp.ts'

const MINUTE = 60_000
const FIRST = new Date('0001-01-01T00:00:00.000Z')
const LAST = new Date('9999-12-31T23:59:59.999Z')

describe('a timestamp (RFC 3339)', () => {
  it.each([
    ['2026-11-21T10:05:00Z', '2026-11-21T10:05:00.000Z'],
    ['2026-11-21t10:05:00z', '2026-11-21T10:05:00.000Z'],
    ['2026-11-21T10:05:00.25Z', '2026-11-21T10:05:00.250Z'],
    ['2026-11-21T10:05:00.123999999Z', '2026-11-21T10:05:00.123Z'],
    ['2026-11-21T10:05:00+05:30', '2026-11-21T04:35:00.000Z'],
    ['2026-11-21T10:05:00-23:59', '2026-11-22T10:04:00.000Z'],
    ['2026-11-21T10:05:00-00:00', '2026-11-21T10:05:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is %s', (text, time) => {
    expect(parseTimestamp(text)?.toISOString()).toBe(time)
  })

  it.each([
    '',
    '2026-11-21',
    '2026-11-21T10:05:00',
    '2026-11-21T10:05Z',
    '2026-11-21 10:05:00Z',
    '2026-11-21T10:05:00+0530',
    '2026-11-21T10:05:00+05',
    '2026-11-21T10:05:00+24:00',
    '2026-11-21T10:05:00+05:60',
    '2026-11-21T10:05:00 05:30',
    '2026-11-21T10:05:00.Z',
    '2026-11-21T10:05:00,5Z',
    '2026-06-30T23:59:60Z',
    '2026-07-01T05:29:60+05:30',
    '2026-11-21T24:00:00Z',
    '2026-11-21T10:60:00Z',
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '0000-12-31T23:59:59Z',
    '0000-12-31T23:59:59-01:00',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '10000-01-01T00:00:00Z',
    '+010000-01-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '２０２６-11-21T10:05:00Z',
    ' 2026-11-21T10:05:00Z',
    '2026-11-21T10:05:00Z\n',
    '1795255500000',
  ])('%j is invalid', (text) => {
    expect(parseTimestamp(text)).toBeNull()
  })

  it('is read as the right moment in any zone, unless the year is out of range', () => {
    const moment = fc.date({ min: FIRST, max: LAST, noInvalidDate: true })
    const zone = fc.integer({ min: -(24 * 60 - 1), max: 24 * 60 - 1 })
    fc.assert(
      fc.property(moment, zone, (time, offset) => {
        const local = new Date(time.getTime() + offset * MINUTE)
        fc.pre(local >= FIRST && local <= LAST)
        const [hours, minutes] = [Math.abs(offset) / 60, Math.abs(offset) % 60].map((part) =>
          String(Math.floor(part)).padStart(2, '0'),
        )
        const text = local.toISOString().replace('Z', `${offset < 0 ? '-' : '+'}${hours}:${minutes}`)
        expect(parseTimestamp(text)).toEqual(time)
      }),
    )
  })
})
