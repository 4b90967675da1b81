import { createHmac, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { ReceivedWebhook, Receiver } from '@quickquote/dev-servers'
import { complaintsOf, hasChromium, openBrowser, type Page } from '@quickquote/dev-servers/browser'
import { beforeAll, expect } from 'vitest'
import type { Host } from '../support/host.ts'
import { startWorker } from '../support/webhooks.ts'

/** Signs a member in. `url` is the host's. */
export type SignIn = (page: Page, url: string, member: string) => Promise<void>

export const signInByHeader: SignIn = (page, _url, member) => page.setExtraHTTPHeaders({ 'X-Member': member })

interface Visit {
  readonly host: Pick<Host, 'url' | 'app' | 'integrations' | 'startQuotation'>
  /** Listens on 127.0.0.1. */
  readonly receiver: Receiver
  /** The path before `/portal/`. */
  readonly path: string
  readonly signIn: SignIn
}

/** Runs in the browser. */
const ACTIONS = join(import.meta.dirname, 'portal-journey.browser.js')

/** One page for all hosts of a test file: it saves the start of a browser for each. */
export function useVisitor(): (visit: Visit) => Promise<void> {
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    if (!hasChromium) return
    const browser = await openBrowser()
    page = await browser.newPage({
      reducedMotion: 'reduce',
      viewport: { width: 800, height: 600 },
      ignoreHTTPSErrors: true,
    })
    page.setDefaultTimeout(60_000)
    await page.addInitScript({ path: ACTIONS })
    complaints = complaintsOf(page)
    return () => browser.close()
  })

  return async (visit) => {
    const stopWorker = await startWorker(visit.host, visit.receiver, { pollIntervalMs: 500 })
    try {
      await journey(page, visit)
    } finally {
      // Otherwise the page would keep sending requests, and Fastify would wait for the browser's spare connections.
      await page.goto('about:blank')
      // HTTP/2 servers do not have this method.
      visit.host.app.server.closeAllConnections?.()
      await stopWorker()
    }
    // The 401 is that of the first page, before the sign-in.
    expect(complaints.splice(0).filter((each) => !/status of 401/.test(each))).toEqual([])
  }
}

/** A new organization: the sign-in, every screen, and a member without permissions. */
async function journey(page: Page, { host, receiver, path, signIn }: Visit): Promise<void> {
  const organization = randomUUID()
  const portal = `${host.url}${path}/portal/`
  const act = <T>(name: string, ...values: string[]) =>
    page.evaluate<T>(`member.${name}(...${JSON.stringify(values)})`)

  await page.setExtraHTTPHeaders({})
  await page.context().clearCookies()
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
  const isTest = ({ path, rawBody }: ReceivedWebhook) =>
    path === `/${organization}` && !rawBody.includes(quotation)
  const { headers, rawBody } = await receiver.next(isTest)
  const signature = createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.`).update(rawBody)
  expect(headers['x-service-signature']).toBe(`v1=${signature.digest('hex')}`)
  await act('replays')
  await act('readsOn')

  await signIn(page, host.url, `member@${organization}`)
  await page.goto(`${portal}?member`)
  expect(await act('seesTabs')).toEqual(['API keys'])
}
