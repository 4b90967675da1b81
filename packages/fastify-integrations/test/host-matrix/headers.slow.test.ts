import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import { expect, it } from 'vitest'
import { ACME, sessionOf } from '../support/host.ts'
import { useHostMatrix } from './matrix.ts'
import { HTML, SIGN_IN_PAGE } from './portal-journey.ts'

const beside = useHostMatrix()

for (const when of ['before', 'after'] as const) {
  for (const options of [{}, { enableCSPNonces: true }, { contentSecurityPolicy: false }]) {
    const csp = 'contentSecurityPolicy' in options ? {} : { 'content-security-policy': expect.any(String) }
    beside(`@fastify/helmet, registered ${when}, ${JSON.stringify(options)}`, {
      [when]: async (app: FastifyInstance) => void (await app.register(helmet, options)),
      ...(Object.keys(options).length === 0 && { browser: {} }),
      own: [
        {
          method: 'GET',
          path: '/host/answer',
          expected: { headers: { 'x-content-type-options': 'nosniff', ...csp } },
        },
      ],
    })
  }
}

const PARTNER = 'https://partner.example.com'
const preflight = (path: string) => ({
  method: 'OPTIONS',
  path,
  headers: {
    Origin: PARTNER,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'content-type,x-api-key',
  },
  expected: { status: 204, headers: { 'access-control-allow-origin': PARTNER } },
})

for (const when of ['before', 'after'] as const) {
  beside(
    `@fastify/cors, registered ${when}`,
    {
      [when]: async (app: FastifyInstance) => void (await app.register(cors, { origin: [PARTNER] })),
      own: [
        preflight('/host/json'),
        {
          method: 'GET',
          path: '/host/answer',
          headers: { Origin: PARTNER },
          expected: { headers: { 'access-control-allow-origin': PARTNER } },
        },
      ],
    },
    (row) => {
      it('answers preflights of our routes, and lets the listed pages read our responses', async () => {
        const path = '/v1/integrations/quotations'
        const { status, headers } = await row.host.call('OPTIONS', path, preflight(path))
        expect([status, headers.get('access-control-allow-origin')]).toEqual([204, PARTNER])
        for (const key of [row.key, 'pk_wrong']) {
          const answer = await row.host.call('GET', `${path}/${ACME}`, { key, headers: { Origin: PARTNER } })
          expect(answer.headers.get('access-control-allow-origin')).toBe(PARTNER)
        }
      })
    },
  )
}

beside(
  'preflights answered by a route of the host',
  {
    after(app) {
      app.options('/*', async (request, reply) => {
        reply.header('access-control-allow-origin', request.headers.origin ?? 'none')
        return 'of the host'
      })
    },
    own: [{ method: 'OPTIONS', path: '/host/json', expected: { body: 'of the host' } }],
  },
  (row) => {
    it('answers preflights of our routes there, and leaves other requests to us', async () => {
      for (const path of ['/v1/integrations/quotations', `/v1/organizations/${ACME}/webhooks`]) {
        const { headers, body } = await row.host.call('OPTIONS', path, preflight(path))
        expect([headers.get('access-control-allow-origin'), body['text']]).toEqual([PARTNER, 'of the host'])
        const { status } = await row.host.call('OPTIONS', path)
        expect(status).toBe(401)
      }
      const { status, headers } = await row.host.call('OPTIONS', '/v1/integrations/quotations', {
        key: row.key,
      })
      expect([status, headers.get('allow')]).toEqual([405, 'POST, GET, HEAD'])
    })
  },
)

const signIn = async (app: FastifyInstance) => {
  await app.register(cookie, { secret: 'of the host' })
  app.get('/host/sign-in', async (request, reply) => {
    const { member = 'acme-admin' } = request.query as { member?: string }
    reply.setCookie('session', member, { signed: true, httpOnly: true, path: '/' })
    return reply.headers(HTML).send(SIGN_IN_PAGE)
  })
}

beside(
  '@fastify/cookie, which resolveSession reads',
  {
    before: signIn,
    plugin: {
      resolveSession(request) {
        const { value, valid } = request.unsignCookie(request.cookies['session'] ?? '')
        // The requests that every row sends carry a header.
        const memberId = valid ? value : request.headers['x-member']
        return sessionOf(String(memberId))
      },
    },
    browser: {
      async signIn(page, url, member) {
        await page.goto(`${url}/host/sign-in?member=${member}`)
      },
    },
    own: [
      {
        method: 'GET',
        path: '/host/sign-in',
        expected: { headers: { 'set-cookie': expect.stringMatching(/^session=acme-admin\./) } },
      },
    ],
  },
  (row) => {
    it('serves members who signed in at a route of the host', async () => {
      const cookies = (await row.host.call('GET', '/host/sign-in')).headers.get('set-cookie') ?? ''
      const list = (value: string) =>
        row.host.call('GET', `/v1/organizations/${ACME}/webhooks`, { headers: { Cookie: value } })
      expect((await list(cookies.split(';')[0] ?? '')).status).toBe(200)
      expect((await list('session=acme-admin.forged')).status).toBe(401)
    })
  },
)
