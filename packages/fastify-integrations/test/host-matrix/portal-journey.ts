import { createHmac, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { ReceivedWebhook, Receiver } from '@quickquote/dev-servers'
import { type Browser, complaintsOf, openBrowser, type Page } from '@quickquote/dev-servers/browser'
import { printIfFailed } from '@quickquote/dev-servers/vitest'
import { afterAll, expect, onTestFinished } from 'vitest'
import { type Host, YEAR_AHEAD } from '../support/host.ts'

/** Signs a member in. `url` is the host's. */
export type SignIn = (page: Page, url: string, member: string) => Promise<void>

/** The page where a host signs members in. For a page without one, a browser would ask the host for an icon, which it lacks. */
export const SIGN_IN_PAGE = '<!doctype html><link rel="icon" href="data:," /><title>Sign in</title>'
export const HTML = { 'Content-Type': 'text/html' }

export const signInByHeader: SignIn = (page, _url, member) => page.setExtraHTTPHeaders({ 'X-Member': member })

interface Visit {
  /** With a worker on its database. */
  readonly host: Pick<Host, 'url' | 'integrations' | 'startQuotation'>
  /** Listens on 127.0.0.1. */
  readonly receiver: Receiver
  /** The path before `/portal/`. */
  readonly path: string
  readonly signIn: SignIn
}

/** Runs in the browser. */
const ACTIONS = join(import.meta.dirname, 'portal-journey.browser.js')

/** One browser for the hosts of a test file that need one. */
export function useVisitor(): (visit: Visit) => Promise<void> {
  let browser: Browser | undefined
  afterAll(() => browser?.close())

  return async (visit) => {
    browser ??= await openBrowser()
    const page = await browser.newPage({
      reducedMotion: 'reduce',
      viewport: { width: 800, height: 600 },
      ignoreHTTPSErrors: true,
    })
    page.setDefaultTimeout(60_000)
    // With its connections: Fastify waits for them, for those of HTTP/2 more than a minute.
    onTestFinished(async () => {
      await page.close()
      // The 401 is that of the first page, before the sign-in.
      expect(complaints.filter((each) => !/status of 401/.test(each))).toEqual([])
    })
    printIfFailed(page)
    const complaints = complaintsOf(page)
    await page.addInitScript({ path: ACTIONS })
    await journey(page, visit)
  }
}

/** A new organization: the sign-in, every screen, and a member without permissions. */
async function journey(page: Page, { host, receiver, path, signIn }: Visit): Promise<void> {
  const organization = randomUUID()
  const portal = `${host.url}${path}/portal/`
  const act = <T>(name: string, ...values: string[]) =>
    page.evaluate<T>(`member.${name}(...${JSON.stringify(values)})`)

  await page.goto(portal)
  await page.waitForURL('**/host/early?next=*')
  const back = String(new URL(page.url()).searchParams.get('next'))
  await signIn(page, host.url, `admin@${organization}`)
  await page.goto(new URL(back, host.url).href)

  const key = await act<string>('createsKey')
  const secret = await act<string>('addsEndpoint', `${receiver.url}/${organization}`)
  const quotation = await host.startQuotation(key, { name: 'Website', requirementsText: 'It sells tea.' })
  await host.integrations.pipeline(quotation).failed({ errorCode: 'MODEL_TIMEOUT' })

  await act('sendsTest')
  expectSigned(
    await receiver.next(({ path, rawBody }) => path === `/${organization}` && !rawBody.includes(quotation)),
    secret,
  )
  await act('replays')
  await act('readsOn')

  await signIn(page, host.url, `member@${organization}`)
  await page.goto(`${portal}?member`)
  expect(await act('seesTabs')).toEqual(['API keys'])
}

function expectSigned({ headers, rawBody }: ReceivedWebhook, secret: string): void {
  const signature = createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.`).update(rawBody)
  expect(headers['x-service-signature']).toBe(`v1=${signature.digest('hex')}`)
}

/** What the same screens send and read, without a browser. A worker runs on the host's database. */
export async function requestAsScreens(host: Host, receiver: Receiver, prefix: string): Promise<void> {
  const organization = randomUUID()
  const url = `${receiver.url}/${organization}`
  const send = async (member: string, method: string, path: string, json?: object) => {
    const answer = await host.call(method, `${prefix}/v1/organizations/${organization}${path}`, {
      headers: { 'X-Member': `${member}@${organization}` },
      json,
    })
    return answer.status < 300 ? answer.body : answer.status
  }
  const read = (path: string) => send('admin', 'GET', path)
  const change = async (path: string, json?: object) =>
    (await send('admin', 'POST', path, json)) as Record<string, unknown>
  const event_type = 'quotation.failed'

  expect(await read('/me')).toMatchObject({ permissions: ['manage_integrations', 'view_integrations'] })
  const { key } = await change('/api-keys', { name: 'CRM', expires_at: YEAR_AHEAD })
  expect(await read('/api-keys?owner=all')).toMatchObject([{ name: 'CRM' }])
  const { id, secret } = await change('/webhooks', { name: 'CRM', url, events: [event_type] })
  expect(await read('/webhooks')).toMatchObject([{ id, url }])

  expect(await change(`/webhooks/${id}/test`, { event_type })).toMatchObject({ http_status: 204 })
  expectSigned(await receiver.next(({ path }) => path === `/${organization}`), String(secret))
  const quotation = await host.startQuotation(String(key))
  await host.integrations.pipeline(quotation).failed({ errorCode: 'MODEL_TIMEOUT' })
  await expect
    .poll(() => read('/webhooks/deliveries'))
    .toMatchObject([{ is_test: false, status: 'succeeded', http_status: 204 }, { is_test: true }])
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const replay = await change(`/webhooks/${id}/replay`, { since, status: 'all' })
  await expect
    .poll(() => read(`/webhooks/${id}/replays/${replay['id']}`))
    .toMatchObject({ state: 'completed', resent: 1 })

  expect(await read('/webhooks/events')).toEqual(
    expect.arrayContaining([expect.objectContaining({ type: event_type })]),
  )
  expect(await read('/audit-log')).toMatchObject([{ action: 'webhook_endpoint.replay_started' }, {}, {}, {}])
  expect(await send('member', 'GET', '/me')).toMatchObject({ permissions: [] })
  expect(await send('member', 'GET', '/webhooks')).toBe(403)
}
