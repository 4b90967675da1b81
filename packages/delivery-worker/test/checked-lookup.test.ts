import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { addressGuard } from '../../core/src/lib/address-guard.ts'
import {
  addressesInTurn,
  BlockedAddressError,
  checkedLookup,
  createResolve,
  type Resolve,
} from '../src/http/checked-lookup.ts'

const PUBLIC: LookupAddress = { address: '192.0.3.1', family: 4 }
const PUBLIC_V6: LookupAddress = { address: '2606:4700::1111', family: 6 }
const BLOCKED: LookupAddress = { address: '10.0.0.5', family: 4 }
const METADATA: LookupAddress = { address: '169.254.169.254', family: 4 }

/** The addresses to try, in their order. */
async function ask(
  resolve: Resolve,
  { name = 'name.example', allow = [] as string[] }: Partial<Asked> = {},
): Promise<string[]> {
  const lookup = checkedLookup(addressGuard({ allow }), resolve)
  const addresses: string[] = []
  for await (const address of addressesInTurn(lookup(name))) addresses.push(address)
  return addresses
}
interface Asked {
  name: string
  allow: string[]
}

describe('The look-up of a connection', () => {
  it.each([
    ['all allowed ones', [PUBLIC, PUBLIC_V6], [PUBLIC.address, PUBLIC_V6.address]],
    [
      'no blocked ones, in any position',
      [BLOCKED, PUBLIC, METADATA, PUBLIC_V6, BLOCKED],
      [PUBLIC.address, PUBLIC_V6.address],
    ],
  ])('returns %s', async (_, found, expected) => {
    expect(await ask(async () => found)).toEqual(expected)
  })

  it('takes the families in turn, IPv4 first, whichever answers first (RFC 8305)', async () => {
    const ipv6 = ['2606:4700::1', '2606:4700::2', '2606:4700::3'].map((address) => ({ address, family: 6 }))
    const ipv4 = ['192.0.3.1', '192.0.3.2'].map((address) => ({ address, family: 4 }))
    const later = new Promise<LookupAddress[]>((resolve) => setImmediate(resolve, ipv4))
    expect(await ask(() => [later, Promise.resolve(ipv6)])).toEqual([
      '192.0.3.1',
      '2606:4700::1',
      '192.0.3.2',
      '2606:4700::2',
      '2606:4700::3',
    ])
  })

  it('does not wait for a family whose name server is silent, and takes a late answer', async () => {
    let answer: (found: LookupAddress[]) => void = () => undefined
    const late = new Promise<LookupAddress[]>((resolve) => (answer = resolve))
    const lookup = checkedLookup(addressGuard({ allow: [] }), () => [Promise.resolve([PUBLIC]), late])
    const addresses = addressesInTurn(lookup('name.example'))
    expect(await addresses.next()).toEqual({ done: false, value: PUBLIC.address })
    answer([PUBLIC_V6])
    expect(await addresses.next()).toEqual({ done: false, value: PUBLIC_V6.address })
    expect(await addresses.next()).toMatchObject({ done: true })
  })

  it('returns no late answer that is blocked', async () => {
    const late = new Promise<LookupAddress[]>((resolve) => setTimeout(resolve, 100, [BLOCKED]))
    expect(await ask(() => [Promise.resolve([PUBLIC]), late])).toEqual([PUBLIC.address])
  })

  it('fails with the guard’s reason for the first address if all are blocked, and returns none', async () => {
    const failed = await ask(async () => [METADATA, BLOCKED]).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(BlockedAddressError)
    expect((failed as Error).message).toBe('address 169.254.169.254 is a metadata service (169.254.169.254)')
  })

  it('fails like a name without addresses if there are none, not as blocked', async () => {
    const failed = await ask(async () => []).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'ENODATA', syscall: 'query' })
    expect(failed).not.toBeInstanceOf(BlockedAddressError)
  })

  it('fails like the resolver', async () => {
    const fault = Object.assign(new Error('down'), { code: 'ESERVFAIL' })
    await expect(ask(() => Promise.reject(fault))).rejects.toBe(fault)
  })

  it('looks up a name that the host allowed on this machine, without checking its addresses', async () => {
    const asked: string[] = []
    const resolve: Resolve = async (name) => {
      asked.push(name)
      return [BLOCKED]
    }
    const allow = ['localhost']
    expect(await ask(resolve, { name: 'localhost', allow })).toContainEqual(
      expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
    )
    expect(asked).toEqual([])
    await expect(ask(resolve, { name: 'below.localhost', allow })).rejects.toBeInstanceOf(BlockedAddressError)
    expect(asked).toEqual(['below.localhost'])
  })
})

/** Only the responses of the name servers are faked: a test cannot query this machine's. */
describe('The addresses of a name', () => {
  afterEach(() => void vi.restoreAllMocks())

  const none = Object.assign(new Error('none'), { code: 'ENODATA' })
  const silent = Object.assign(new Error('silent'), { code: 'ETIMEOUT' })

  function answers(ipv4: string[] | Error, ipv6: string[] | Error): Promise<string[]> {
    const answer = (what: string[] | Error) => async () => {
      if (what instanceof Error) throw what
      return what
    }
    vi.spyOn(Resolver.prototype, 'resolve4').mockImplementation(answer(ipv4))
    vi.spyOn(Resolver.prototype, 'resolve6').mockImplementation(answer(ipv6))
    return ask(createResolve())
  }

  it('are those of both families', async () => {
    expect(await answers(['192.0.3.1', '192.0.3.2'], ['2606:4700::1111'])).toEqual([
      '192.0.3.1',
      '2606:4700::1111',
      '192.0.3.2',
    ])
  })

  it('are those of the family that resolves, if the other has none or times out', async () => {
    expect(await answers(['192.0.3.1'], none)).toEqual(['192.0.3.1'])
    expect(await answers(silent, ['2606:4700::1111'])).toEqual(['2606:4700::1111'])
  })

  it('are none if no query returned one', async () => {
    for (const each of [answers([], none), answers(none, []), answers([], [])]) {
      await expect(each).rejects.toMatchObject({ code: 'ENODATA' })
    }
  })

  it('are an error if both queries failed: the one for IPv4', async () => {
    await expect(answers(silent, none)).rejects.toBe(silent)
  })

  it('are asked of the name servers that the system names now, not of those of the start', () => {
    const asked = new Set<unknown>()
    for (const name of ['resolve4', 'resolve6'] as const) {
      vi.spyOn(Resolver.prototype, name).mockImplementation(function (this: unknown) {
        asked.add(this)
        return Promise.resolve([]) as never
      })
    }
    let now = 0
    const resolve = createResolve(() => now)
    for (now of [0, 29_000, 31_000, 59_000]) resolve('name.example')
    expect(asked.size).toBe(2)
  })
})
