import type { LookupAddress, LookupOptions } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { addressGuard } from '../../core/src/lib/address-guard.ts'
import {
  BlockedAddressError,
  checkedLookup,
  createResolve,
  type Resolve,
} from '../src/http/checked-lookup.ts'

const PUBLIC: LookupAddress = { address: '192.0.3.1', family: 4 }
const PUBLIC_V6: LookupAddress = { address: '2606:4700::1111', family: 6 }
const BLOCKED: LookupAddress = { address: '10.0.0.5', family: 4 }
const METADATA: LookupAddress = { address: '169.254.169.254', family: 4 }

/** What a socket's lookup returns: an error, one address, or all of them. */
function ask(
  resolve: Resolve,
  { options = { all: true }, name = 'name.example', allow = [] as string[] }: Partial<Asked> = {},
): Promise<unknown[]> {
  const lookup = checkedLookup(addressGuard({ allow }), resolve)
  return new Promise((answer) => lookup(name, options, (...told) => answer(told)))
}
interface Asked {
  options: LookupOptions
  name: string
  allow: string[]
}

describe('The look-up of a connection', () => {
  it.each([
    ['all allowed ones', [PUBLIC, PUBLIC_V6], [PUBLIC, PUBLIC_V6]],
    [
      'no blocked ones, in any position',
      [BLOCKED, PUBLIC, METADATA, PUBLIC_V6, BLOCKED],
      [PUBLIC, PUBLIC_V6],
    ],
  ])('asked for all addresses, returns %s', async (_, found, expected) => {
    expect(await ask(async () => found)).toEqual([null, expected])
  })

  it('asked for one address, returns the first allowed one, with its family', async () => {
    const found = [BLOCKED, PUBLIC_V6, PUBLIC]
    expect(await ask(async () => found, { options: {} })).toEqual([null, PUBLIC_V6.address, 6])
  })

  it('fails with the guard’s reason for the first address if all are blocked, and returns none', async () => {
    for (const options of [{}, { all: true }]) {
      const [error, told] = await ask(async () => [METADATA, BLOCKED], { options })
      expect(error).toBeInstanceOf(BlockedAddressError)
      expect((error as Error).message).toBe('address 169.254.169.254 is a metadata service (169.254.169.254)')
      expect(told).toEqual([])
    }
  })

  it('fails like a name without addresses if there are none, not as blocked', async () => {
    const [error, told] = await ask(async () => [])
    expect(error).toMatchObject({ code: 'ENODATA', syscall: 'query' })
    expect(error).not.toBeInstanceOf(BlockedAddressError)
    expect(told).toEqual([])
  })

  it('fails like the resolver', async () => {
    const fault = Object.assign(new Error('down'), { code: 'ESERVFAIL' })
    expect(await ask(() => Promise.reject(fault))).toEqual([fault, []])
  })

  it('looks up a name that the host allowed on this machine, without checking its addresses', async () => {
    const asked: string[] = []
    const resolve: Resolve = async (name) => {
      asked.push(name)
      return [BLOCKED]
    }
    const allow = ['localhost']
    const [error, found] = await ask(resolve, { name: 'localhost', allow })
    expect(error).toBeNull()
    expect((found as LookupAddress[]).map(({ address }) => address)).toContainEqual(
      expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
    )
    expect(asked).toEqual([])
    const [refused] = await ask(resolve, { name: 'below.localhost', allow })
    expect(refused).toBeInstanceOf(BlockedAddressError)
    expect(asked).toEqual(['below.localhost'])
  })
})

/** Only the responses of the name servers are faked: a test cannot query this machine's. */
describe('The addresses of a name', () => {
  afterEach(() => void vi.restoreAllMocks())

  const none = Object.assign(new Error('none'), { code: 'ENODATA' })
  const silent = Object.assign(new Error('silent'), { code: 'ETIMEOUT' })

  function answers(ipv4: string[] | Error, ipv6: string[] | Error): Promise<readonly LookupAddress[]> {
    const answer = (what: string[] | Error) => async () => {
      if (what instanceof Error) throw what
      return what
    }
    vi.spyOn(Resolver.prototype, 'resolve4').mockImplementation(answer(ipv4))
    vi.spyOn(Resolver.prototype, 'resolve6').mockImplementation(answer(ipv6))
    return createResolve()('name.example')
  }

  it('are those of both families, IPv4 first', async () => {
    expect(await answers(['192.0.3.1', '192.0.3.2'], ['2606:4700::1111'])).toEqual([
      { address: '192.0.3.1', family: 4 },
      { address: '192.0.3.2', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ])
  })

  it('are those of the family that resolves, if the other has none or times out', async () => {
    expect(await answers(['192.0.3.1'], none)).toEqual([{ address: '192.0.3.1', family: 4 }])
    expect(await answers(silent, ['2606:4700::1111'])).toEqual([{ address: '2606:4700::1111', family: 6 }])
  })

  it('are none if one query returned none', async () => {
    expect(await answers([], none)).toEqual([])
    expect(await answers(none, [])).toEqual([])
    expect(await answers([], [])).toEqual([])
  })

  it('are an error if both queries failed: the one for IPv4', async () => {
    await expect(answers(silent, none)).rejects.toBe(silent)
  })
})
