import type { LookupAddress, LookupOptions } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { addressGuard } from '@quickquote/core/internal'
import { afterEach, describe, expect, it, vi } from 'vitest'
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

/** What a socket is told: an error, or one address, or all of them. */
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
    ['all that are allowed', [PUBLIC, PUBLIC_V6], [PUBLIC, PUBLIC_V6]],
    [
      'none of the blocked, wherever they stand',
      [BLOCKED, PUBLIC, METADATA, PUBLIC_V6, BLOCKED],
      [PUBLIC, PUBLIC_V6],
    ],
  ])('tells a socket that asks for all %s', async (_, found, expected) => {
    expect(await ask(async () => found)).toEqual([null, expected])
  })

  it('tells a socket that asks for one the first that is allowed, with its family', async () => {
    const found = [BLOCKED, PUBLIC_V6, PUBLIC]
    expect(await ask(async () => found, { options: {} })).toEqual([null, PUBLIC_V6.address, 6])
  })

  it('fails with the guard’s reason for the first where all are blocked, and tells no address', async () => {
    for (const options of [{}, { all: true }]) {
      const [error, told] = await ask(async () => [METADATA, BLOCKED], { options })
      expect(error).toBeInstanceOf(BlockedAddressError)
      expect((error as Error).message).toBe('address 169.254.169.254 is a metadata service (169.254.169.254)')
      expect(told).toEqual([])
    }
  })

  it('fails as a name without addresses does where there are none: no address is a reason for a block', async () => {
    const [error, told] = await ask(async () => [])
    expect(error).toMatchObject({ code: 'ENODATA', syscall: 'query' })
    expect(error).not.toBeInstanceOf(BlockedAddressError)
    expect(told).toEqual([])
  })

  it('fails as the resolver does', async () => {
    const fault = Object.assign(new Error('down'), { code: 'ESERVFAIL' })
    expect(await ask(() => Promise.reject(fault))).toEqual([fault, []])
  })

  it('asks this machine about the very name that the host allowed, and checks none of its addresses', async () => {
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

/** The answers of the name servers alone are not real here: a test cannot ask the ones of this machine. */
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

  it('are those of both families, the IPv4 ones first', async () => {
    expect(await answers(['192.0.3.1', '192.0.3.2'], ['2606:4700::1111'])).toEqual([
      { address: '192.0.3.1', family: 4 },
      { address: '192.0.3.2', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ])
  })

  it('are those of the family that is answered, where the other one has none or is not answered', async () => {
    expect(await answers(['192.0.3.1'], none)).toEqual([{ address: '192.0.3.1', family: 4 }])
    expect(await answers(silent, ['2606:4700::1111'])).toEqual([{ address: '2606:4700::1111', family: 6 }])
  })

  it('are none where one of the questions was answered with none', async () => {
    expect(await answers([], none)).toEqual([])
    expect(await answers(none, [])).toEqual([])
    expect(await answers([], [])).toEqual([])
  })

  it('are an error where neither question was answered: that of IPv4', async () => {
    await expect(answers(silent, none)).rejects.toBe(silent)
  })
})
