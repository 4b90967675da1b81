import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createChains } from './support/certificates.ts'
import { certificate, openReceiver } from './support/host.ts'
import { answered, http, listen, post, tlsServer } from './support/raw-receivers.ts'

const certificates = await createChains()
const pem = (names: readonly (keyof typeof certificates)[]) =>
  names.map((name) => certificates[name].cert).join('\n')

describe('errors of the connection', () => {
  it.each([
    [
      'a receiver that is down',
      async () => 'https://127.0.0.1:1',
      'connection_refused',
      'connection refused',
    ],
    [
      'a reset',
      async () => (await openReceiver(() => ({ reset: true }))).url,
      'connection_reset',
      'connection reset',
    ],
    [
      'a connection closed without a response',
      () => tlsServer((socket) => socket.once('data', () => socket.end())),
      'connection_closed',
      'the connection was closed before a response arrived',
    ],
    [
      'something that is not HTTP',
      () => tlsServer((socket) => socket.write('220 mail.example ESMTP\r\n')),
      'not_http',
      'the response is not HTTP',
    ],
    [
      'a port without TLS',
      async () => {
        const server = createServer((socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'))
        return `https://127.0.0.1:${await listen(server)}`
      },
      'tls',
      'the TLS handshake failed: the port does not speak TLS',
    ],
    [
      'a client certificate that is required (TLS 1.2)',
      () => tlsServer(() => undefined, { requestCert: true, maxVersion: 'TLSv1.2' }),
      'tls',
      'the TLS handshake failed: the receiver has no cipher in common, or requires a client certificate',
    ],
    [
      'a client certificate that is required (TLS 1.3)',
      () => tlsServer(() => undefined, { requestCert: true, minVersion: 'TLSv1.3' }),
      'tls',
      'the TLS handshake failed: the receiver requires a client certificate, which webhooks do not have',
    ],
    [
      'no cipher in common',
      () => tlsServer(() => undefined, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }),
      'tls',
      'the TLS handshake failed: the receiver has no cipher in common, or requires a client certificate',
    ],
    [
      'a receiver of HTTP/2 only',
      () => tlsServer(() => undefined, { ALPNProtocols: ['h2'] }),
      'tls',
      'the TLS handshake failed: the receiver does not support HTTP/1.1 (ALPN)',
    ],
    [
      'a receiver of old TLS only',
      () =>
        tlsServer(() => undefined, {
          minVersion: 'TLSv1',
          maxVersion: 'TLSv1.1',
          ciphers: 'ALL:@SECLEVEL=0',
        }),
      'tls',
      'the TLS handshake failed: the receiver does not support TLS 1.2 or 1.3',
    ],
    [
      'contradictory lengths',
      () =>
        tlsServer((socket) =>
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'),
        ),
      'contradictory_lengths',
      'the length of the response is contradictory: send one `Content-Length`, or `Transfer-Encoding: chunked` without one',
    ],
    [
      'two equal lengths, which our HTTP client reads as one number',
      () =>
        tlsServer((socket) =>
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok'),
        ),
      'contradictory_lengths',
      'the length of the response is contradictory: send one `Content-Length`, or `Transfer-Encoding: chunked` without one',
    ],
  ])('%s is described in few words', async (_, start, code, error) => {
    expect(await post(http(), await start())).toEqual({ kind: 'error', code, error })
  })

  it.each<[string, (keyof typeof certificates)[], (keyof typeof certificates)[], string]>([
    ['signed with SHA-1', ['sha1'], ['rsaRoot'], 'it is signed with SHA-1 or MD5'],
    ['that has expired', ['expired'], ['root'], 'it has expired'],
    ['of the future', ['early'], ['root'], 'it is not valid yet'],
    ['for clients', ['forClients'], ['root'], 'it is not for servers (extended key usage)'],
    [
      'without its intermediate one',
      ['leaf'],
      ['root'],
      'the chain is incomplete, or its issuer is a private one',
    ],
    [
      'of a private authority',
      ['leaf'],
      ['rsaRoot'],
      'the chain is incomplete, or its issuer is a private one',
    ],
    [
      'of a private authority, with its chain',
      ['leaf', 'intermediate'],
      ['rsaRoot'],
      'the issuer is not trusted',
    ],
    [
      'of a private authority, with its root',
      ['leaf', 'intermediate', 'root'],
      ['rsaRoot'],
      'self-signed certificate in the chain',
    ],
  ])('a certificate %s is described in few words', async (_, chain, trusted, text) => {
    const origin = await tlsServer(() => undefined, {
      key: certificates[chain[0] ?? 'leaf'].private,
      cert: pem(chain),
      ciphers: 'DEFAULT@SECLEVEL=0',
    })

    expect(await post(http({ ca: pem(trusted) }), origin)).toEqual({
      kind: 'error',
      code: 'certificate',
      error: `certificate: ${text}`,
    })
  })

  it('a complete chain of a trusted authority is none', async () => {
    const origin = await tlsServer(
      (socket) => socket.on('data', () => socket.write('HTTP/1.1 204 No Content\r\n\r\n')),
      { key: certificates.leaf.private, cert: pem(['leaf', 'intermediate']) },
    )
    expect(await post(http({ ca: pem(['root']) }), origin)).toEqual(answered(204))
  })

  // Older versions die of their own `fetch` without WebAssembly, and have no permission for the network.
  it.each([
    ['--jitless', 24, 'WebAssembly is not defined'],
    ['--permission', 25, '--allow-net'],
  ])(
    "a worker that cannot open connections (%s) says why, in Node's own words",
    async (flag, since, text) => {
      if (Number.parseInt(process.versions.node, 10) < since) return
      const partner = await openReceiver()
      const program = new URL('./programs/posting-process.js', import.meta.url).pathname
      const flags = flag === '--permission' ? [flag, '--allow-fs-read=*'] : [flag]
      const { stdout } = await promisify(execFile)(process.execPath, [
        ...flags,
        program,
        partner.url,
        certificate.cert,
      ])
      expect(JSON.parse(stdout)).toEqual({
        kind: 'error',
        code: 'worker_unable',
        error: expect.stringMatching(
          `^this service's worker cannot open connections: ask its operator to allow it .*${text}`,
        ),
      })
    },
  )

  it.each([
    ['ENOTFOUND', 'dns_not_found', 'the host name does not exist'],
    ['ENODATA', 'dns_no_address', 'the host name has no address'],
    ['ESERVFAIL', 'dns_failed', 'the host name could not be resolved'],
    ['ECONNREFUSED', 'dns_failed', 'the host name could not be resolved'],
  ])('%s of a name server is described in few words', async (errno, code, error) => {
    const fault = Object.assign(new Error(`queryA ${errno} name.example`), {
      code: errno,
      syscall: 'queryA',
    })
    const client = http({ resolve: () => Promise.reject(fault) })

    expect(await post(client, 'https://name.example')).toEqual({ kind: 'error', code, error })
  })

  it('a name without addresses is described', async () => {
    expect(await post(http({ resolve: async () => [] }), 'https://name.example')).toEqual({
      kind: 'error',
      code: 'dns_no_address',
      error: 'the host name has no address',
    })
  })
})
