import { normalizeIP } from '@fastify/rate-limit'
import { describe, expect, it } from 'vitest'
import { clientOf, ipOf } from '../src/auth/client-address.ts'

/** Each row is one client, and no two rows are the same. */
const CLIENTS = [
  ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:c000:0201', '0:0:0:0:0:ffff:192.0.2.1'],
  ['192.0.2.2', '::ffff:192.0.2.2'],
  ['2001:db8:abcd:12::', '2001:DB8:ABCD:0012:0:0:0:1', '2001:db8:abcd:12:ffff:ffff:192.0.2.1'],
  ['2001:db8:abcd:13::1'],
  ['2001:db8::1', '2001:db8:0:0:1::', '2001:db8::ffff:ffff:ffff:ffff'],
  ['::', '::1', '::192.0.2.1', '::fffe:192.0.2.1'],
  ['64:ff9b::192.0.2.1', '64:ff9b::1'],
  ['fe80::1', 'fe80::1%eth0', 'fe80::2%en1'],
  ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'ffff:ffff:ffff:ffff::'],
]

/** No addresses: each is a client of its own, even beside the address that it resembles. */
const JUNK = [
  '192.0.2.1 ',
  ' 192.0.2.1',
  '192.0.2.1:80',
  '192.0.2',
  '[::1]',
  '2001:db8::1/64',
  'unknown',
  '%',
  '::1%',
]

describe('clientOf', () => {
  it.each(CLIENTS)('takes %s and its other spellings for one client', (...spellings) => {
    expect(new Set(spellings.map((ip) => clientOf({ ip }))).size).toBe(1)
  })

  it('takes each of them for another client, and each invalid value, too', () => {
    const all = [...CLIENTS.map(([ip]) => ip), ...JUNK, undefined]
    expect(new Set(all.map((ip) => clientOf({ ip }))).size).toBe(all.length)
  })

  it('distinguishes the same clients as @fastify/rate-limit', () => {
    const all = CLIENTS.flat()
    for (const one of all) {
      for (const other of all) {
        const isOne = clientOf({ ip: one }) === clientOf({ ip: other })
        expect(isOne, `${one} and ${other}`).toBe(normalizeIP(one) === normalizeIP(other))
      }
    }
  })
})

describe('ipOf', () => {
  it('has the address as it was sent, and no invalid value', () => {
    expect(CLIENTS.flat().map((ip) => ipOf({ ip }))).toEqual(CLIENTS.flat())
    expect([...JUNK, undefined].map((ip) => ipOf({ ip }))).toEqual([...JUNK, undefined].map(() => null))
  })
})
