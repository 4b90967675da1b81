import { afterEach, describe, expect, it } from 'vitest'
import { createFormatter } from '../ui/i18n/format.ts'
import { localDay, momentsOf } from '../ui/i18n/local-time.ts'

const zone = process.env['TZ']

/** The formats of a reader in a time zone. */
function readIn(timeZone: string) {
  process.env['TZ'] = timeZone
  return createFormatter('en-US')
}

afterEach(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

/** ICU writes a narrow space before AM. */
const plain = (text: string) => text.replaceAll('\u202f', ' ')

describe('Times of the portal are the reader’s', () => {
  it.each([
    ['2026-11-29T08:10:00Z', 'yesterday'],
    ['2026-11-28T23:00:00Z', 'yesterday'],
    ['2026-11-28T22:59:00Z', '2 days ago'],
    ['2026-11-29T09:00:00Z', '23 hr ago'],
    ['2026-11-30T07:00:20Z', '1 hr ago'],
    ['2026-11-30T07:59:00Z', '1 min ago'],
    ['2026-12-01T09:00:00Z', 'tomorrow'],
    ['2026-12-01T23:30:00Z', 'in 2 days'],
  ])('in Berlin, on a Monday at 9:00, %s is %s', (moment, text) => {
    const format = readIn('Europe/Berlin')
    expect(format.relative(moment, Date.parse('2026-11-30T08:00:00Z'))).toBe(text)
  })

  it('so that a day with 25 hours has no yesterday in it', () => {
    const format = readIn('America/New_York')
    expect(format.relative('2026-11-01T04:10:00Z', Date.parse('2026-11-02T04:50:00Z'))).toBe('25 hr ago')
  })

  it.each([
    // Clocks go back by an hour in New York, and by half an hour on Lord Howe.
    ['America/New_York', '2026-11-01T01:00', ['2026-11-01T05:00Z GMT-4', '2026-11-01T06:00Z GMT-5']],
    ['America/New_York', '2026-11-01T02:00', ['2026-11-01T07:00Z']],
    ['Australia/Lord_Howe', '2026-04-05T01:30', ['2026-04-04T14:30Z GMT+11', '2026-04-04T15:00Z GMT+10:30']],
    ['Australia/Lord_Howe', '2026-04-05T01:29', ['2026-04-04T14:29Z']],
    ['Europe/Berlin', '2026-10-25T02:15', ['2026-10-25T00:15Z GMT+2', '2026-10-25T01:15Z GMT+1']],
    // Left out in spring.
    ['Europe/Berlin', '2026-03-29T02:30', ['2026-03-29T01:30Z']],
    ['UTC', '2026-10-25T02:15', ['2026-10-25T02:15Z']],
    ['UTC', '', []],
  ])('in %s, %j is each of its moments, named with the offset if there are two', (timeZone, local, found) => {
    const format = readIn(timeZone)
    const moments = momentsOf(local).map((time) => new Date(time).toISOString())
    const named = moments.map((moment) => {
      const [, offset = ''] = / (GMT\S+)$/.exec(format.hour(moment)) ?? []
      expect(plain(format.exact(moment)).endsWith(offset === '' ? 'M' : ` ${offset}`)).toBe(true)
      return `${moment.slice(0, 16)}Z ${offset}`.trim()
    })
    expect(named).toEqual(found)
  })

  it('so that the days of a key begin with tomorrow, in the evening too', () => {
    readIn('America/New_York')
    const evening = Date.parse('2026-11-28T02:00:00Z')
    expect([localDay(evening), localDay(evening, 1)]).toEqual(['2026-11-27', '2026-11-28'])
  })
})
