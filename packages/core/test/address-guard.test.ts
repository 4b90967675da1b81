import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { describe, expect, it } from 'vitest'
import { addressGuard } from '../src/lib/address-guard.ts'
import { ConfigurationError } from '../src/lib/errors.ts'

const guard = addressGuard()
const isAllowed = (address: string, allow?: string[]) =>
  addressGuard(allow && { allow }).check(address).allowed
const reasonOf = (address: string) => {
  const verdict = guard.check(address)
  return verdict.allowed ? 'allowed' : verdict.reason
}

const dotted = (bits: number) => [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.')
const groups = (bits: bigint) =>
  [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((bits >> shift) & 0xffffn).toString(16))
const full = (bits: bigint) => groups(bits).join(':')

/** Random IPv4 addresses, mostly in or near special ranges. */
const SPECIAL_IPV4 = [0, 10, 100, 127, 168, 169, 172, 192, 198, 203, 224, 240, 255]
const ipv4 = fc.oneof(
  fc.integer({ min: 0, max: 0xffff_ffff }),
  fc
    .tuple(fc.constantFrom(...SPECIAL_IPV4), fc.integer({ min: 0, max: 0xff_ffff }))
    .map(([first, rest]) => first * 2 ** 24 + rest),
  fc
    .constantFrom('168.63.129.16', '169.254.169.254', '192.88.99.1', '192.0.2.1', '198.51.100.1')
    .map((text) => Number(BigInt(`0x${Buffer.from(ipaddr.parse(text).toByteArray()).toString('hex')}`))),
)

/** Random IPv6 addresses, mostly in or near special ranges. */
const SPECIAL_IPV6 = [
  ['::', 64],
  ['::ffff:0:0', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2000::', 3],
  ['2001::', 22],
  ['2001:db8::', 31],
  ['2002::', 15],
  ['2620:4f:8000::', 47],
  ['3fff::', 19],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
] as const
const anyBits = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n })
const bitsOf = (address: string) =>
  BigInt(`0x${Buffer.from(ipaddr.parse(address).toByteArray()).toString('hex')}`)
const ipv6 = fc.oneof(
  anyBits,
  fc.tuple(fc.constantFrom(...SPECIAL_IPV6), anyBits).map(([[base, length], bits]) => {
    const host = (1n << BigInt(128 - length)) - 1n
    return (bitsOf(base) & ~host) | (bits & host)
  }),
  // ISATAP
  anyBits.map((bits) => (bits & ~(0xffff_ffffn << 32n)) | (0x5efen << 32n)),
)

describe('Blocked IPv4 ranges: first and last address, and their neighbors', () => {
  it.each([
    ['0.0.0.1', '0.255.255.255', 'on this network (0.0.0.0/8)', null, '1.0.0.0'],
    ['10.0.0.0', '10.255.255.255', 'private (10.0.0.0/8)', '9.255.255.255', '11.0.0.0'],
    ['100.64.0.0', '100.127.255.255', 'shared by a carrier (100.64.0.0/10)', '100.63.255.255', '100.128.0.0'],
    ['127.0.0.0', '127.255.255.255', 'loopback (127.0.0.0/8)', '126.255.255.255', '128.0.0.0'],
    ['169.254.0.0', '169.254.255.255', 'link-local (169.254.0.0/16)', '169.253.255.255', '169.255.0.0'],
    ['172.16.0.0', '172.31.255.255', 'private (172.16.0.0/12)', '172.15.255.255', '172.32.0.0'],
    ['192.0.0.0', '192.0.0.255', 'reserved (192.0.0.0/24)', '191.255.255.255', '192.0.1.0'],
    ['192.0.2.0', '192.0.2.255', 'for documentation (192.0.2.0/24)', '192.0.1.255', '192.0.3.0'],
    [
      '192.31.196.0',
      '192.31.196.255',
      'an AS112 or AMT node (192.31.196.0/24)',
      '192.31.195.255',
      '192.31.197.0',
    ],
    [
      '192.52.193.0',
      '192.52.193.255',
      'an AS112 or AMT node (192.52.193.0/24)',
      '192.52.192.255',
      '192.52.194.0',
    ],
    ['192.88.99.0', '192.88.99.255', 'a 6to4 relay (192.88.99.0/24)', '192.88.98.255', '192.88.100.0'],
    ['192.168.0.0', '192.168.255.255', 'private (192.168.0.0/16)', '192.167.255.255', '192.169.0.0'],
    [
      '192.175.48.0',
      '192.175.48.255',
      'an AS112 or AMT node (192.175.48.0/24)',
      '192.175.47.255',
      '192.175.49.0',
    ],
    ['198.18.0.0', '198.19.255.255', 'for benchmarking (198.18.0.0/15)', '198.17.255.255', '198.20.0.0'],
    [
      '198.51.100.0',
      '198.51.100.255',
      'for documentation (198.51.100.0/24)',
      '198.51.99.255',
      '198.51.101.0',
    ],
    ['203.0.113.0', '203.0.113.255', 'for documentation (203.0.113.0/24)', '203.0.112.255', '203.0.114.0'],
    ['224.0.0.0', '239.255.255.255', 'multicast (224.0.0.0/4)', '223.255.255.255', null],
    ['240.0.0.0', '255.255.255.254', 'reserved (240.0.0.0/4)', null, null],
  ])('%s to %s is %s', (first, last, what, before, after) => {
    for (const address of [first, last]) expect(reasonOf(address)).toBe(`address ${address} is ${what}`)
    for (const address of [before, after]) if (address !== null) expect(reasonOf(address)).toBe('allowed')
  })
})

describe('Blocked IPv6 ranges', () => {
  it.each([
    ['fc00::', 'private (fc00::/7)'],
    ['fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'private (fc00::/7)'],
    ['fe80::1', 'link-local (fe80::/10)'],
    ['febf::1', 'link-local (fe80::/10)'],
    ['fec0::1', 'site-local (fec0::/10)'],
    ['feff::1', 'site-local (fec0::/10)'],
    ['ff02::1', 'multicast (ff00::/8)'],
    ['2001:db8::1', 'for documentation (2001:db8::/32)'],
    ['3fff:fff::1', 'for documentation (3fff::/20)'],
    ['2001:2:0:1::1', 'for benchmarking (2001:2::/48)'],
    ['2001:10::1', 'reserved (2001::/23)'],
    ['2001:20::1', 'reserved (2001::/23)'],
    ['2001:1ff::1', 'reserved (2001::/23)'],
    ['2620:4f:8000::1', 'an AS112 or AMT node (2620:4f:8000::/48)'],
    ['100::1', 'discarded (100::/64)'],
    ['100:0:0:1::1', 'not global unicast (2000::/3)'],
    ['5f00::1', 'not global unicast (2000::/3)'],
    ['4000::1', 'not global unicast (2000::/3)'],
    ['1fff::1', 'not global unicast (2000::/3)'],
    ['::1:0:0', 'not global unicast (2000::/3)'],
    ['::', 'unspecified (::)'],
    ['::1', 'loopback (::1)'],
  ])('%s is %s', (address, what) => {
    expect(reasonOf(address)).toBe(`address ${address} is ${what}`)
  })

  it.each([
    '2001:200::1',
    '2001:4860:4860::8888',
    '2001:db7::1',
    '2001:db9::1',
    '2003::1',
    '2606:4700::1111',
    '3ffe::1',
    '3fff:1000::1',
  ])('%s is public', (address) => {
    expect(reasonOf(address)).toBe('allowed')
  })
})

describe('The reason names', () => {
  it.each(['169.254.169.254', '168.63.129.16', '100.100.100.200', 'fd00:ec2::254', 'fd00:0ec2:0:0::254'])(
    '%s',
    (address) => {
      expect(reasonOf(address)).toMatch(/is a metadata service \(/)
    },
  )

  it('0.0.0.0 and broadcast', () => {
    expect(reasonOf('0.0.0.0')).toBe('address 0.0.0.0 is unspecified (0.0.0.0)')
    expect(reasonOf('255.255.255.255')).toBe('address 255.255.255.255 is broadcast (255.255.255.255)')
  })
})

describe('IPv4 inside IPv6', () => {
  it.each([
    ['::ffff:10.0.0.5', 'private (10.0.0.0/8)'],
    ['::ffff:a00:5', 'private (10.0.0.0/8)'],
    ['0:0:0:0:0:FFFF:10.0.0.5', 'private (10.0.0.0/8)'],
    ['64:ff9b::169.254.169.254', 'a metadata service (169.254.169.254)'],
    ['64:ff9b:1::a00:5', 'IPv4 in IPv6 (64:ff9b:1::/48)'],
    ['::8.8.8.8', 'IPv4 in IPv6 (::/96)'],
    ['::ffff:0:8.8.8.8', 'IPv4 in IPv6 (::ffff:0:0:0/96)'],
    ['2002:808:808::1', 'IPv4 in IPv6 (2002::/16)'],
    ['2001:0:808:808::1', 'IPv4 in IPv6 (2001::/32)'],
    ['2a00:1450::5efe:10.0.0.5', 'IPv4 in IPv6 (ISATAP)'],
    ['2a00:1450::200:5efe:8.8.8.8', 'IPv4 in IPv6 (ISATAP)'],
  ])('%s is %s', (address, what) => {
    expect(reasonOf(address)).toBe(`address ${address} is ${what}`)
  })

  it('is checked as its IPv4 address if mapped or behind NAT64', () => {
    fc.assert(
      fc.property(ipv4, (bits) => {
        const low = `${(bits >>> 16).toString(16)}:${(bits & 0xffff).toString(16)}`
        for (const prefix of ['::ffff:', '64:ff9b::']) {
          expect(isAllowed(prefix + dotted(bits))).toBe(isAllowed(dotted(bits)))
          expect(isAllowed(prefix + low)).toBe(isAllowed(dotted(bits)))
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('is refused in every other form', () => {
    fc.assert(
      fc.property(ipv4, fc.bigInt({ min: 0n, max: (1n << 61n) - 1n }), (bits, prefix) => {
        const low = BigInt(bits)
        const forms = [
          low, // compatible
          (0xffffn << 48n) | low, // translated
          (0x64_ff9b_0001n << 80n) | low, // NAT64 for local use
          (0x2002n << 112n) | (low << 80n), // 6to4
          (0x2001n << 112n) | (low << 64n), // Teredo server
          (0x2001n << 112n) | (low ^ 0xffff_ffffn), // Teredo client
          (1n << 125n) | (prefix << 64n) | (0x5efen << 32n) | low, // ISATAP
          (1n << 125n) | (prefix << 64n) | (0x0200_5efen << 32n) | low,
        ]
        for (const form of forms) expect(isAllowed(full(form)), full(form)).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('Against independent implementations', () => {
  it('IPv4: allows what ipaddr.js calls unicast, except Azure’s metadata service', () => {
    fc.assert(
      fc.property(ipv4, (bits) => {
        const text = dotted(bits)
        const expected = ipaddr.IPv4.parse(text).range() === 'unicast' && text !== '168.63.129.16'
        expect(isAllowed(text), text).toBe(expected)
      }),
      { numRuns: 5000 },
    )
  })

  it('IPv6: allows what ipaddr.js calls unicast in 2000::/3, except ISATAP', () => {
    const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
    fc.assert(
      fc.property(ipv6, (bits) => {
        const address = ipaddr.IPv6.parse(full(bits))
        const embedded =
          address.isIPv4MappedAddress() || address.match(ipaddr.IPv6.parseCIDR('64:ff9b::/96'))
            ? dotted(Number(bits & 0xffff_ffffn))
            : undefined
        const [mark4 = '', mark5 = ''] = groups(bits).slice(4, 6)
        const isIsatap = mark5 === '5efe' && ['0', '100', '200', '300'].includes(mark4)
        const expected =
          embedded === undefined
            ? address.range() === 'unicast' && address.match(globalUnicast) && !isIsatap
            : isAllowed(embedded)
        expect(isAllowed(full(bits)), full(bits)).toBe(expected)
      }),
      { numRuns: 5000 },
    )
  })

  it('ignores the spelling: zeros, capitals, compression, brackets, a dotted tail', () => {
    fc.assert(
      fc.property(ipv6, (bits) => {
        const address = ipaddr.IPv6.parse(full(bits))
        const padded = groups(bits)
          .map((group) => group.padStart(4, '0'))
          .join(':')
        const spellings = [
          address.toString(),
          address.toNormalizedString().toUpperCase(),
          address.toRFC5952String(),
          padded,
          `[${padded.toUpperCase()}]`,
          `${groups(bits).slice(0, 6).join(':')}:${dotted(Number(bits & 0xffff_ffffn))}`,
          new URL(`https://[${full(bits)}]`).hostname,
        ]
        for (const spelling of spellings) expect(isAllowed(spelling), spelling).toBe(isAllowed(full(bits)))
      }),
      { numRuns: 2000 },
    )
  })

  it('an allowed CIDR covers exactly the addresses that net.BlockList finds in it', () => {
    const cidr4 = fc.tuple(fc.integer({ min: 0, max: 0xff_ffff }), fc.integer({ min: 8, max: 32 }))
    fc.assert(
      fc.property(cidr4, fc.integer({ min: 0, max: 0xff_ffff }), fc.nat(32), ([net, length], noise, keep) => {
        const mask = length === 32 ? -1 : ~(-1 >>> length)
        const base = dotted(((10 << 24) | net) & mask)
        // Near the network: the same first bits, then random ones.
        const near = keep === 0 ? 0 : keep >= 32 ? -1 : ~(-1 >>> keep)
        const address = dotted((10 << 24) | (net & near & 0xff_ffff) | (noise & ~near & 0xff_ffff))
        const list = new BlockList()
        list.addSubnet(base, length, 'ipv4')
        expect(isAllowed(address, [`${base}/${length}`])).toBe(list.check(address, 'ipv4'))
        expect(isAllowed(`::ffff:${address}`, [`${base}/${length}`])).toBe(list.check(address, 'ipv4'))
      }),
      { numRuns: 2000 },
    )
    fc.assert(
      fc.property(
        anyBits,
        anyBits,
        fc.integer({ min: 7, max: 128 }),
        fc.nat(128),
        (net, noise, length, keep) => {
          const hostMask = (size: number) => (1n << BigInt(128 - size)) - 1n
          const unique = (bits: bigint) => (0xfcn << 120n) | (bits & hostMask(7))
          const base = full(unique(net) & ~hostMask(length))
          const address = full(unique((net & ~hostMask(keep)) | (noise & hostMask(keep))))
          const list = new BlockList()
          list.addSubnet(base, length, 'ipv6')
          expect(isAllowed(address, [`${base}/${length}`])).toBe(list.check(address, 'ipv6'))
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('Refuses anything but an IP address', () => {
  it.each([
    '',
    ' ',
    'example.com',
    'localhost',
    '8.8.8',
    '8.8.8.8.',
    '08.8.8.8',
    '0x8.8.8.8',
    '134744072',
    '8.8.8.8/32',
    '8.8.8.8:443',
    ' 8.8.8.8',
    '8.8.8.8\n',
    '[8.8.8.8]',
    '[2606:4700::1111',
    '2606:4700::1111]',
    '[[2606:4700::1111]]',
    'x[2606:4700::1111]',
    '[2606:4700::1111]:443',
    '2606:4700:::1111',
    '2606:4700::11111',
    '２606:4700::1111',
    'fe80::1%eth0',
    '2606:4700::1111%eth0',
    '[2606:4700::1111%25eth0]',
  ])('%j', (text) => {
    expect(reasonOf(text)).toBe('not an IP address, or one with a zone')
  })

  it('any other text', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.%[]/x') }),
    )
    fc.assert(
      fc.property(text, (text) => {
        if (isIP(text.replace(/^\[(.*)\]$/, '$1')) === 0) expect(isAllowed(text), text).toBe(false)
        else guard.check(text)
      }),
      { numRuns: 2000 },
    )
  })

  it('even if everything is allowed', () => {
    const everything = ['0.0.0.0/0', '::/0', 'example.com']
    expect(isAllowed('10.0.0.1', everything)).toBe(true)
    expect(isAllowed('::1', everything)).toBe(true)
    expect(isAllowed('example.com', everything)).toBe(false)
    expect(isAllowed('fe80::1%eth0', everything)).toBe(false)
  })
})

describe('The allow-list', () => {
  it('allows the addresses of a CIDR, and no others', () => {
    expect(isAllowed('10.1.2.3', ['10.1.0.0/16'])).toBe(true)
    expect(isAllowed('10.2.0.0', ['10.1.0.0/16'])).toBe(false)
    expect(isAllowed('::1', ['::1/128'])).toBe(true)
    expect(isAllowed('127.0.0.1', ['::1/128'])).toBe(false)
    expect(isAllowed('10.0.0.5', ['10.0.0.5'])).toBe(true)
    expect(isAllowed('10.0.0.6', ['10.0.0.5'])).toBe(false)
    expect(isAllowed('8.8.8.8', ['10.0.0.5'])).toBe(true)
  })

  it('checks addresses the same way if it also has host names', () => {
    const allow = ['receiver.internal', '10.1.0.0/16', 'localhost']
    expect(isAllowed('10.1.2.3', allow)).toBe(true)
    expect(isAllowed('10.2.0.0', allow)).toBe(false)
    expect(isAllowed('8.8.8.8', allow)).toBe(true)
  })

  it('covers an IPv4 address inside IPv6 that reaches the same address', () => {
    for (const address of ['::ffff:10.1.2.3', '64:ff9b::10.1.2.3', '[::ffff:a01:203]']) {
      expect(isAllowed(address, ['10.1.0.0/16']), address).toBe(true)
    }
    expect(isAllowed('2002:a01:203::1', ['10.1.0.0/16'])).toBe(false)
  })

  it('covers an IPv4 address by an IPv6 entry only if the entry spells it out', () => {
    for (const length of [0, 1, 64, 80]) {
      expect(isAllowed('10.0.0.5', [`::/${length}`])).toBe(false)
      expect(isAllowed('::ffff:10.0.0.5', [`::/${length}`])).toBe(false)
    }
    expect(isAllowed('10.0.0.5', ['64:ff9b::/96'])).toBe(false)
    expect(isAllowed('64:ff9b::10.0.0.5', ['64:ff9b::/96'])).toBe(true)
    expect(isAllowed('10.0.0.5', ['::ffff:10.0.0.0/104'])).toBe(true)
  })

  it('matches host names exactly, ignoring case and a trailing dot', () => {
    const { allowsHost } = addressGuard({ allow: ['Receiver.internal', 'localhost.', '10.0.0.0/8'] })
    for (const name of ['receiver.internal', 'RECEIVER.INTERNAL', 'receiver.internal.', 'localhost']) {
      expect(allowsHost(name), name).toBe(true)
    }
    for (const name of ['a.receiver.internal', 'internal', 'receiver.internal..', '10.0.0.1', '']) {
      expect(allowsHost(name), name).toBe(false)
    }
    expect(guard.allowsHost('localhost')).toBe(false)
  })

  it.each([
    '',
    '10.0.0.5/8',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.256',
    '10.0.0',
    '0x7f.1',
    '2130706433',
    'fe80::1/64',
    '::/129',
    'fe80::%eth0/64',
    '[::1]',
    '[::1]/128',
    'https://10.0.0.0/8',
    '*.internal',
    'https://receiver.internal',
    'receiver.internal:8443',
    'receiver internal',
    'user@receiver.internal',
    'bücher.example',
    '１０.0.0.0/8',
    'a..b',
    '.internal',
  ])('refuses the entry %j when the host starts', (entry) => {
    expect(() => addressGuard({ allow: ['10.0.0.0/8', entry] })).toThrow(ConfigurationError)
    expect(() => addressGuard({ allow: ['10.0.0.0/8', entry] })).toThrow(
      /^allowAddresses\[1\] must be a CIDR/,
    )
  })
})
