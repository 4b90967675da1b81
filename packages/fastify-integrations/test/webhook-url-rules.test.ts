import { beforeAll, describe, expect, it } from 'vitest'
import { useHost } from './support/host.ts'
import { createEndpoint, WEBHOOKS } from './support/webhooks.ts'

const context = useHost({ integrations: { allowAddresses: [], limits: { webhookEndpoints: 1000 } } })
let endpointId: string

beforeAll(async () => {
  endpointId = (await createEndpoint(context.host)).id
})

const create = (url: unknown) =>
  context.host.call('POST', WEBHOOKS, {
    member: 'acme-admin',
    json: { name: 'CRM', url, events: ['quotation.completed'] },
  })
const update = (url: unknown) =>
  context.host.call('PATCH', `${WEBHOOKS}/${endpointId}`, { member: 'acme-admin', json: { url } })

const LONGEST = `https://crm.example.com/${'x'.repeat(2048 - 'https://crm.example.com/'.length)}`

describe('the URL of an endpoint, on create and on update', () => {
  it.each([
    ['plain http', 'http://crm.example.com/hook'],
    ['ftp', 'ftp://crm.example.com/hook'],
    ['wss', 'wss://crm.example.com/hook'],
    ['javascript', 'javascript:alert(1)'],
    ['data', 'data:text/plain,x'],
    ['file', 'file:///etc/passwd'],
    ['an unknown scheme', 'crm://crm.example.com'],
    ['no scheme', 'crm.example.com/hook'],
    ['only a scheme', 'https://'],
    ['a relative URL', '//crm.example.com/hook'],
    ['a user and password', 'https://user:secret@crm.example.com/hook'],
    ['a user', 'https://user@crm.example.com/hook'],
    ['an empty user', 'https://@crm.example.com/hook'],
    ['a fragment', 'https://crm.example.com/hook#top'],
    ['an empty fragment', 'https://crm.example.com/hook#'],
    ['localhost', 'https://localhost/hook'],
    ['localhost in capitals, with a dot', 'https://LocalHost./hook'],
    ['a name below localhost', 'https://crm.localhost/hook'],
    ['a name of one label', 'https://intranet/hook'],
    ['.internal', 'https://metadata.google.internal/computeMetadata'],
    ['.local', 'https://printer.local/'],
    ['loopback', 'https://127.0.0.1/hook'],
    ['loopback, elsewhere', 'https://127.8.9.10/hook'],
    ['loopback, short', 'https://127.1/hook'],
    ['loopback, decimal', 'https://2130706433/hook'],
    ['loopback, octal', 'https://0177.0.0.1/hook'],
    ['loopback, hex', 'https://0x7f000001/hook'],
    ['loopback, mixed', 'https://0x7f.1/hook'],
    ['loopback, trailing dot', 'https://127.0.0.1./hook'],
    ['loopback, fullwidth digits', 'https://１２７.０.０.１/hook'],
    ['loopback, ideographic dots', 'https://127。0。0。1/hook'],
    ['loopback, percent-encoded', 'https://%31%32%37.0.0.1/hook'],
    ['the unspecified address', 'https://0.0.0.0/hook'],
    ['zero', 'https://0/hook'],
    ['10.0.0.0/8', 'https://10.1.2.3/hook'],
    ['172.16.0.0/12', 'https://172.31.255.255/hook'],
    ['192.168.0.0/16', 'https://192.168.1.1:8443/hook'],
    ['CGNAT', 'https://100.64.0.1/hook'],
    ['link-local', 'https://169.254.1.1/hook'],
    ['metadata', 'https://169.254.169.254/latest/meta-data'],
    ['metadata, decimal', 'https://2852039166/latest/meta-data'],
    ['metadata, hex', 'https://0xa9fea9fe/'],
    ['metadata, octal', 'https://0251.0376.0251.0376/'],
    ["Azure's metadata", 'https://168.63.129.16/'],
    ['multicast', 'https://224.0.0.1/'],
    ['broadcast', 'https://255.255.255.255/'],
    ['documentation', 'https://192.0.2.1/'],
    ['IPv6 loopback', 'https://[::1]/hook'],
    ['IPv6 unspecified', 'https://[::]/hook'],
    ['IPv6 unique local', 'https://[fd00::1]/hook'],
    ['IPv6 link-local', 'https://[fe80::1]/hook'],
    ['IPv6 metadata', 'https://[fd00:ec2::254]/latest'],
    ['IPv4-mapped', 'https://[::ffff:127.0.0.1]/hook'],
    ['IPv4-mapped, in hex', 'https://[::ffff:a9fe:a9fe]/latest'],
    ['IPv4-compatible', 'https://[::127.0.0.1]/hook'],
    ['NAT64', 'https://[64:ff9b::10.0.0.1]/hook'],
    ['6to4', 'https://[2002:7f00:1::]/hook'],
    ['an address with a zone', 'https://[fe80::1%25eth0]/hook'],
    ['a space', 'https://crm.example.com/a b'],
    ['a space in front', ' https://crm.example.com/'],
    ['a line break', 'https://crm.example.com/\nHost: x'],
    ['a backslash', 'https://crm.example.com\\@127.0.0.1/'],
    ['a port that does not exist', 'https://crm.example.com:65536/'],
    ['a broken escape in the host', 'https://%zz.example.com/'],
    ['2,049 characters', `${LONGEST}x`],
    ['nothing', ''],
    ['NUL', 'https://crm.example.com/\u0000'],
    ['a number', 5],
    ['null', null],
    ['a list', ['https://crm.example.com']],
  ])('is refused with 400: %s', async (_, url) => {
    for (const { status, body } of [await create(url), await update(url)]) {
      expect(status).toBe(400)
      expect(body['code']).toBe('VALIDATION_FAILED')
      expect((body['errors'] as { pointer: string }[])[0]?.pointer).toBe('/url')
      // The URL may contain a password.
      expect(JSON.stringify(body)).not.toContain('secret@')
    }
  })

  it.each([
    ['another port', 'https://crm.example.com:8443/hook'],
    ['a query', 'https://crm.example.com/hook?token=abc&x=1'],
    ['no path', 'https://crm.example.com'],
    ['a name in capitals', 'HTTPS://CRM.Example.COM/Hook'],
    ['an international name', 'https://bücher.example/hook'],
    ['the same name in ASCII', 'https://xn--bcher-kva.example/hook'],
    ['a name with a trailing dot', 'https://crm.example.com./hook'],
    ['a public address', 'https://93.184.216.34/hook'],
    ['a public IPv6 address', 'https://[2606:2800:220:1:248:1893:25c8:1946]:8443/hook'],
    ['2,048 characters', LONGEST],
  ])('is accepted unchanged: %s', async (_, url) => {
    const created = await create(url)
    expect([created.status, created.body['url']]).toEqual([201, url])
    const updated = await update(url)
    expect([updated.status, updated.body['url']]).toEqual([200, url])
  })
})
