import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Host, openHost, useDatabase } from './support/host.ts'
import { sendRaw } from './support/socket.ts'
import { createEndpoint, WEBHOOKS } from './support/webhooks.ts'

const database = useDatabase()
const START = '/v1/integrations/quotations'

/** A gateway that serves an app below a path that the app does not see. */
async function openGateway(path = '/gateway') {
  let upstream = ''
  const gateway = createServer((incoming, outgoing) => {
    const url = incoming.url ?? ''
    if (!url.startsWith(`${path}/`)) return void outgoing.writeHead(404).end()
    const to = request(upstream + url.slice(path.length), {
      method: incoming.method,
      headers: { ...incoming.headers, host: 'inside.example:8080' },
    })
    to.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(to)
  })
  await new Promise<void>((listening) => gateway.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void gateway.close())
  return {
    publicUrl: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}${path}`,
    leadsTo: (host: Host) => {
      upstream = host.url
    },
  }
}

const linkOf = ({ headers }: { headers: Headers }) =>
  /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? ''

describe('publicUrl, behind a gateway that strips a path', () => {
  it.each([
    ['', '', '/gateway'],
    ['a prefix', '/api', '/gateway'],
    ['a prefix like the path of the gateway', '/gateway', '/gateway'],
    ['a gateway at the path that all routes begin with', '', '/v1'],
    ['a gateway at the beginning of a route', '/v1', '/v1/integrations'],
  ])(
    'leads with Link, Location and servers to the gateway, whatever host a request names: %s',
    async (_, prefix, path) => {
      const { publicUrl, leadsTo } = await openGateway(path)
      const host = await openHost({
        databaseUrl: database.url,
        plugin: { publicUrl: `${publicUrl}/`, prefix },
      })
      leadsTo(host)
      const { key } = await host.createKey()
      const headers = { 'X-API-Key': key }
      const base = publicUrl + prefix
      const post = () =>
        fetch(base + START, {
          method: 'POST',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: '{"requirementsText":"a"}',
        })
      const started = [await post(), await post(), await post()].at(-1) ?? expect.fail()
      const location = String(started.headers.get('location'))
      const { quotation_id } = (await started.json()) as { quotation_id: string }
      expect(location).toBe(`${base}${START}/${quotation_id}`)
      expect((await fetch(location, { headers })).status).toBe(200)

      const page = await fetch(`${base}${START}?limit=2`, { headers })
      expect(linkOf(page)).toMatch(`${base}${START}?limit=2&cursor=`)
      expect((await fetch(linkOf(page), { headers })).status).toBe(200)
      const feed = await fetch(`${base}/v1/integrations/events?limit=1`, { headers })
      expect(linkOf(feed)).toMatch(`${base}/v1/integrations/events?limit=1&after=`)
      expect((await fetch(linkOf(feed), { headers })).status).toBe(200)

      for (const name of ['json', 'partners/openapi-3.0.json', 'members/json']) {
        const { servers, paths } = (await (await fetch(`${base}/api-docs/${name}`)).json()) as Host['openapi']
        expect(servers).toEqual([{ url: publicUrl }])
        expect(Object.keys(paths)[0]).toMatch(new RegExp(`^${prefix}/v1/`))
      }
      const yaml = await (await fetch(`${base}/api-docs/yaml`)).text()
      expect(yaml).toContain(`servers:\n  - url: ${publicUrl}\n`)
      expect(yaml).toContain(`\n  ${prefix}/v1/integrations/quotations:\n`)
      const text = await (await fetch(`${base}/api-docs/llms.txt`)).text()
      expect(text).toContain(`The paths below follow \`${publicUrl}\`.`)
      expect(text).toContain(`\n- \`POST ${prefix}${START}\`: `)
      const [, named = ''] = /\]\((.*partners\/json)\)/.exec(text) ?? []
      expect((await fetch(named)).status).toBe(200)
      const { headers: ofPage } = await fetch(`${base}/api-docs`)
      expect(ofPage.get('content-security-policy')).toContain(
        `connect-src 'self' ${new URL(publicUrl).origin};`,
      )
    },
  )

  it("leads a member to a replay below the host's rewriteUrl", async () => {
    const { publicUrl, leadsTo } = await openGateway()
    const host = await openHost({
      databaseUrl: database.url,
      plugin: { publicUrl },
      fastify: { rewriteUrl: ({ url = '' }) => url.replace(/^\/inside/, '') },
    })
    leadsTo(host)
    const { id } = await createEndpoint(host)
    const begun = await host.call('POST', `/inside${WEBHOOKS}/${id}/replay`, {
      member: 'acme-admin',
      json: { since: new Date(Date.now() - 60_000).toISOString() },
    })
    const location = String(begun.headers.get('location'))
    expect(location).toBe(`${publicUrl}${WEBHOOKS}/${id}/replays/${begun.body['id']}`)
    expect((await fetch(location, { headers: { 'X-Member': 'acme-admin' } })).status).toBe(200)
  })
})

describe('a request that names another server (GET http://other/…)', () => {
  it.each([
    ['', {}],
    ['https://api.example.com/quotes', { publicUrl: 'https://api.example.com/quotes' }],
  ])('gets no link to it, but to %j', async (base, plugin) => {
    const host = await openHost({ databaseUrl: database.url, plugin })
    const { key } = await host.createKey()
    for (const url of [`http://evil.example${START}`, `HTTPS://evil.example${START}/`]) {
      const body = '{"requirementsText":"a"}'
      const answer = await sendRaw(
        host.url,
        `POST ${url} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nX-API-Key: ${key}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      )
      expect([url, answer]).toEqual([
        url,
        expect.stringMatching(
          new RegExp(`^HTTP/1.1 (202[^]*\r\nlocation: ${base}${START}/[\\da-f-]{36}\r\n|404)`, 'i'),
        ),
      ])
      expect(answer).not.toMatch(/evil/)
    }
  })
})
