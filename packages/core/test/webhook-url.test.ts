import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressGuard } from '../src/lib/address-guard.ts'
import { webhookUrlProblem } from '../src/model/webhook-url.ts'

const guard = addressGuard()
const detailOf = (url: string, allow: string[] = []) =>
  webhookUrlProblem(url, { guard: addressGuard({ allow }) }) ?? 'ok'

describe('A webhook URL is accepted', () => {
  it.each([
    'https://hooks.example.com',
    'https://hooks.example.com/',
    'HTTPS://Hooks.Example.COM/Path',
    'https://hooks.example.com:8443/in?a=b&c=%20d',
    'https://hooks.example.com./in',
    'https://hooks.example.com/a@b',
    'https://bücher.example/straße',
    'https://xn--bcher-kva.example/in',
    'https://my_team.example.com/in',
    'https://internal.example.com/in',
    'https://localhost.example.com/in',
    'https://hooks.notlocal/in',
    'https://8.8.8.8/in',
    'https://[2606:4700::1111]:8443/in',
  ])('%s', (url) => {
    expect(detailOf(url)).toBe('ok')
  })

  // Node's own URL.canParse refuses it on Node 20 and 22 once V8 has optimized the call.
  it('an international name, after any number of URLs', () => {
    const url = 'https://bücher.example/in'
    const problems = new Set(Array.from({ length: 20_000 }, () => webhookUrlProblem(url, { guard })))
    expect([...problems]).toEqual([undefined])
  })
})

describe('https only', () => {
  it.each([
    'http://hooks.example.com/',
    'ftp://hooks.example.com/',
    'javascript:alert(1)',
    'data:text/plain,x',
    'file:///etc/passwd',
    '//hooks.example.com/',
    '/in',
    'hooks.example.com',
    '',
    'https:',
    'https://',
    'https:hooks.example.com',
    'https:/hooks.example.com',
    'https:///hooks.example.com',
    'https://?x',
  ])('%j is refused', (url) => {
    expect(detailOf(url)).toBe('must be an absolute URL that starts with https://')
  })

  it.each([
    'https://hooks.example.com:99999/',
    'https://hooks.example.com:x/',
    'https://1.2.3.4.5/',
    'https://hooks.example.0x7f/',
    'https://[::1/',
    'https://[fe80::1%25eth0]/',
    'https://[::ffff:127.0.0.256]/',
    'https://a%00b.example/',
    'https://a%2fb.example/',
    'https://xn--/',
    'https://hooks.xn--/',
    'https://xn--0.example.com/',
    'https://xn--a-.example.com/',
  ])('%s is not a URL', (url) => {
    expect(detailOf(url)).toBe('must be a valid URL with a valid host and port')
  })
})

describe('no credentials, no fragment', () => {
  it.each([
    'https://user:hunter2@hooks.example.com/',
    'https://user@hooks.example.com/',
    'https://:hunter2@hooks.example.com/',
    'https://@hooks.example.com/',
    'https://hooks.example.com@evil.example/',
    'https://user:hunter2@127.0.0.1/',
    'https://a@b@hooks.example.com/',
  ])('%s is refused without repeating it', (url) => {
    expect(detailOf(url)).toBe('must not contain a user name or password')
  })

  it.each(['https://hooks.example.com/#top', 'https://hooks.example.com/#', 'https://hooks.example.com#@x'])(
    '%s is refused',
    (url) => {
      expect(detailOf(url)).toMatch(/fragment|user name/)
    },
  )
})

describe('at most 2,048 characters', () => {
  const ofLength = (length: number, character: string) => {
    const start = 'https://hooks.example.com/'
    return start + character.repeat(length - start.length)
  }

  it.each(['a', 'ä', '💶'])('counted in code points: %s', (character) => {
    expect(detailOf(ofLength(2048, character))).toBe('ok')
    expect(detailOf(ofLength(2049, character))).toBe('must have at most 2048 characters')
  })

  it('or a configured limit', () => {
    const url = 'https://a.example/'
    expect(webhookUrlProblem(url, { guard, maxLength: url.length })).toBeUndefined()
    expect(webhookUrlProblem(url, { guard, maxLength: url.length - 1 })).toBeDefined()
  })
})

describe('refuses characters that a parser would silently drop or rewrite', () => {
  it.each([
    ' https://hooks.example.com/',
    'https://hooks.example.com/ ',
    'https://hooks.example.com/a b',
    'https://hooks.exa\tmple.com/',
    'https://hooks.example.com/\r\nX-Evil: 1',
    'https://hooks.example.com/\0',
    'https://hooks.example.com\\@evil.example/',
    'https:\\\\hooks.example.com/',
    'https://hooks.example.com/\u00a0',
    'https://hooks.example.com/\u2028',
    'https://hooks.exam\u00adple.com/',
    'https://hooks.exam\u200bple.com/',
    'https://hooks.example.com/\u202egnp.exe',
    'https://hooks.example.com/\ud800',
    '\ufeffhttps://hooks.example.com/',
    'https://hooks.example.com/\u007f',
    'https://hooks.example.com/\u0085',
  ])('%j', (url) => {
    expect(detailOf(url)).toMatch(/^must not contain spaces, control or invisible characters/)
  })
})

describe('refuses an address of a blocked range, in any spelling', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1 is loopback (127.0.0.0/8)'],
    ['127.0.0.1.', '127.0.0.1 is loopback (127.0.0.0/8)'],
    ['127.1', '127.0.0.1 is loopback (127.0.0.0/8)'],
    ['0x7f.1', '127.0.0.1 is loopback (127.0.0.0/8)'],
    ['0177.0.0.01', '127.0.0.1 is loopback (127.0.0.0/8)'],
    ['2130706433', '127.0.0.1 is loopback (127.0.0.0/8)'],
    ['0x7f000001', '127.0.0.1 is loopback (127.0.0.0/8)'],
    ['%31%32%37.1', '127.0.0.1 is loopback (127.0.0.0/8)'],
    ['１２７.0.0.1', '127.0.0.1 is loopback (127.0.0.0/8)'],
    ['127。0。0。1', '127.0.0.1 is loopback (127.0.0.0/8)'],
    ['①②⑦.0.0.①', '127.0.0.1 is loopback (127.0.0.0/8)'],
    ['0', '0.0.0.0 is unspecified (0.0.0.0)'],
    ['10.0.0.5:8443', '10.0.0.5 is private (10.0.0.0/8)'],
    ['169.254.169.254', '169.254.169.254 is a metadata service (169.254.169.254)'],
    ['0xa9fea9fe', '169.254.169.254 is a metadata service (169.254.169.254)'],
    ['[::1]', '::1 is loopback (::1)'],
    ['[0:0:0:0:0:0:0:1]', '::1 is loopback (::1)'],
    ['[::]', ':: is unspecified (::)'],
    ['[::ffff:127.0.0.1]', '::ffff:7f00:1 is loopback (127.0.0.0/8)'],
    ['[::127.0.0.1]', '::7f00:1 is IPv4 in IPv6 (::/96)'],
    ['[64:ff9b::10.0.0.5]', '64:ff9b::a00:5 is private (10.0.0.0/8)'],
    ['[2002:7f00:1::]', '2002:7f00:1:: is IPv4 in IPv6 (2002::/16)'],
    ['[fd00:ec2::254]', 'fd00:ec2::254 is a metadata service (fd00:ec2::254)'],
    ['[FE80::1]', 'fe80::1 is link-local (fe80::/10)'],
  ])('%s', (host, what) => {
    expect(detailOf(`https://${host}/in`)).toBe(`must have a public host: address ${what}`)
  })

  it('every IPv4 address, in every form that the parser accepts', () => {
    const number = fc.integer({ min: 0, max: 0xffff_ffff })
    const fullWidth = (text: string) =>
      text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
    const percent = (text: string) => text.replace(/\d/g, (digit) => `%3${digit}`)
    fc.assert(
      fc.property(
        fc.oneof(
          number,
          fc.constantFrom(10, 127, 172, 192).map((first) => first * 2 ** 24 + 1),
        ),
        (bits) => {
          const octets = [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255)
          const dotted = octets.join('.')
          const { allowed } = guard.check(dotted)
          const spellings = [
            dotted,
            `${dotted}.`,
            String(bits),
            `0x${bits.toString(16)}`,
            `0${bits.toString(8)}`,
            octets.map((octet) => `0x${octet.toString(16)}`).join('.'),
            octets.map((octet) => `0${octet.toString(8)}`).join('.'),
            `${octets[0]}.${bits & 0xff_ffff}`,
            `${octets[0]}.${octets[1]}.${bits & 0xffff}`,
            fullWidth(dotted),
            percent(dotted),
            `[::ffff:${dotted}]`,
            `[64:ff9b::${dotted}]`,
          ]
          for (const host of spellings)
            expect(detailOf(`https://${host}:8443/in`) === 'ok', host).toBe(allowed)
        },
      ),
      { numRuns: 1000 },
    )
  })
})

describe('refuses localhost and other local names', () => {
  it.each([
    'localhost.localdomain.localhost',
    'a.localhost',
    'A.LOCALHOST.',
    'printer.local',
    'metadata.google.internal',
    'nas.home.arpa',
    'home.arpa',
    'svc.cluster.local.',
    'svc%2elocal',
    'ｓvc.local',
  ])('%s', (host) => {
    expect(detailOf(`https://${host}/in`)).toBe(
      'must have a public host: localhost, local, internal, home.arpa and their subdomains are local',
    )
  })

  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'loc%61lhost',
    'ⓛocalhost',
    'postgres',
    'com',
    'a..b',
    '.',
    '.com',
    'localhost..',
  ])('%s is not a full domain name', (host) => {
    expect(detailOf(`https://${host}/in`)).toBe(
      'must have a full domain name as its host, such as hooks.example.com',
    )
  })
})

describe('accepts what the service allows', () => {
  it('addresses of a CIDR', () => {
    expect(detailOf('https://127.0.0.1:8443/in', ['127.0.0.0/8'])).toBe('ok')
    expect(detailOf('https://0x7f.1:8443/in', ['127.0.0.0/8'])).toBe('ok')
    expect(detailOf('https://[::1]:8443/in', ['::1/128'])).toBe('ok')
    expect(detailOf('https://10.0.0.1/in', ['127.0.0.0/8'])).not.toBe('ok')
  })

  it('hosts by name', () => {
    for (const url of [
      'https://localhost:8443/in',
      'https://LOCALHOST./in',
      'https://receiver.internal/in',
    ]) {
      expect(detailOf(url, ['localhost', 'receiver.internal'])).toBe('ok')
    }
    expect(detailOf('https://other.internal/in', ['localhost', 'receiver.internal'])).not.toBe('ok')
  })

  it('but still applies every other rule', () => {
    const allow = ['0.0.0.0/0', '::/0', 'localhost']
    for (const url of [
      'http://localhost/',
      'https://u:p@localhost/',
      'https://localhost/#a',
      'https://a.localhost/',
    ]) {
      expect(detailOf(url, allow), url).not.toBe('ok')
    }
  })
})

it('never throws, and accepts only plain https URLs', () => {
  const text = fc.oneof(
    fc.webUrl({ validSchemes: ['https', 'http'], withFragments: true, withQueryParameters: true }),
    fc.string({ unit: 'binary' }).map((rest) => `https://${rest}`),
    fc.string({ unit: fc.constantFrom(...'@:/?#[].%\\ 0127xaloch') }).map((rest) => `https://${rest}`),
  )
  fc.assert(
    fc.property(text, (url) => {
      if (detailOf(url) !== 'ok') return
      const parsed = new URL(url)
      expect(parsed.protocol).toBe('https:')
      expect([parsed.username, parsed.password, parsed.hash]).toEqual(['', '', ''])
      expect(parsed.hostname).toMatch(/^\[.*\]$|\./)
    }),
    { numRuns: 2000 },
  )
})
