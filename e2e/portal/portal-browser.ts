import {
  type Browser,
  type BrowserContextOptions,
  complaintsOf,
  openBrowser,
  type Page,
} from '@quickquote/dev-servers/browser'
import { printIfFailed } from '@quickquote/dev-servers/vitest'
import axe from 'axe-core'
import { beforeAll, expect, onTestFinished, vi } from 'vitest'
import { call } from '../../examples/demo/src/api-client.ts'
import { ACME, DEMO_PASSWORD, GLOBEX } from '../../examples/demo/src/members.ts'
import { useExample } from '../demo/example-process.ts'
import { signIn } from '../demo/partner-client.ts'

/** The longest that a step may take on a slow machine. */
export const PATIENCE_MS = 30_000
export const PATIENCE = { timeout: PATIENCE_MS }

export const organizationOf = (email: string) => (email.includes('acme') ? ACME : GLOBEX)

/** An unmasked key or signing secret. */
const SECRET = /pk_[0-9A-Za-z]{20}|whsec_[0-9A-Za-z+/]{20}/

/** The widths, languages and color schemes of tests for everybody. A pseudo-language has the longest texts. */
export const VIEWS = [
  { width: 1440, locale: 'en-US', hasAxe: true },
  { width: 320, locale: 'de-DE', hasAxe: true },
  { width: 320, locale: 'en-XA', hasAxe: false },
  { width: 720, locale: 'en-XA', hasAxe: false },
] as const

/** Nothing is wider than the page or a dialog. */
export async function expectFits(page: Page, what: string): Promise<void> {
  const overflow = `Math.max(...[document.documentElement, ...document.querySelectorAll('.dialog-body')]
    .map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))`
  expect([what, await page.evaluate(overflow)]).toEqual([what, 0])
}

const COLORS = ['color-contrast', 'link-in-text-block']

/** axe finds nothing, by all its rules or those that are given. */
export async function expectNoViolations(page: Page, what: string, rules?: readonly string[]): Promise<void> {
  // Half a megabyte, once a page.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
  const found = `axe.run(${JSON.stringify(rules && { runOnly: rules }) ?? ''}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`
  expect([what, await page.evaluate(found)]).toEqual([what, []])
}

/** axe finds nothing on a light page, and nothing about its colors when it turns dark. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  await expectNoViolations(page, what)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectNoViolations(page, `${what} in dark`, COLORS)
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Actions outside the screens, as a member over HTTP. */
export async function member(url: string, email: string) {
  const headers = await signIn(url, email)
  const base = `${url}/v1/organizations/${organizationOf(email)}`
  const send = async <T>(method: string, path: string, status: number, body?: object): Promise<T> => {
    const address = path.startsWith('/play') || path === '/quotes' ? url + path : base + path
    return (await call<T>(address, { method, status, headers, ...(body && { body }) })).body
  }
  const inbox = await send<{ url: string }>('GET', '/play/inbox', 200)
  return {
    send,
    receiver: inbox.url,
    answer: (behaviour: string) => send('PATCH', '/play/inbox', 200, { behaviour }),
    trust: (secret: string) => send('PATCH', '/play/inbox', 200, { secret }),
    async endpoint(name: string) {
      const events = ['quotation.failed', 'quotation.completed']
      const created = await send<{ id: string; secret: string }>('POST', '/webhooks', 201, {
        name,
        url: inbox.url,
        events,
        trigger_mode: 'always',
      })
      await send('PATCH', '/play/inbox', 200, { secret: created.secret })
      return created
    },
    /** A failed quote, with its event recorded. */
    async quote(name: string): Promise<void> {
      const started = await send<{ quotation_id: string }>('POST', '/quotes', 202, {
        organization_id: organizationOf(email),
        name,
        requirementsText: 'Sells tea.',
        metadata: { demo: { step_ms: 10, fail_at: 'requirement_analysis' } },
      })
      await vi.waitFor(async () => {
        const quotes = await send<{ id: string; status: string }[]>('GET', '/play/quotes', 200)
        expect(quotes.find(({ id }) => id === started.quotation_id)?.status).toBe('failed')
      }, PATIENCE)
    },
  }
}

/**
 * The portal on a server of the example, for the tests of a file.
 * @param debuggingPort where other programs can reach the browser too
 */
export function usePortal(debuggingPort?: number) {
  const server = useExample({
    PIPELINE_STEP_MS: '20',
    // So late that no retry changes a screen during a test.
    RETRY_MS: '600000',
  })
  let browser: Browser

  beforeAll(async () => {
    browser = await openBrowser(debuggingPort)
    return () => browser.close()
  })

  const as = (email: string) => member(server.url, email)

  /** The path of each screen of Acme's admin, filled, with a part that is there once it is complete. */
  async function everyScreen(): Promise<[path: string, part: string][]> {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('With a very long name that says what it is for and who asked for it')
    await admin.answer('broken')
    await admin.quote('A quote with a long name, too')
    const attempts = () =>
      admin.send<{ delivery_id: string }[]>('GET', `/webhooks/deliveries?endpoint_id=${id}`, 200)
    await vi.waitFor(async () => expect(await attempts()).toHaveLength(1), PATIENCE)
    await admin.answer('ok')
    const [attempt] = await attempts()
    const key = await admin.send<{ id: string }>('POST', '/api-keys', 201, {
      name: 'Soon to expire',
      expires_at: new Date(Date.now() + 10 * 86_400_000).toISOString(),
    })
    return [
      ['api-keys', 'table'],
      [`api-keys/${key.id}`, '.chart'],
      ['endpoints', 'table'],
      [`endpoints/${id}`, '.chart'],
      [`endpoints/${id}?edit=yes`, 'form'],
      ['deliveries', 'table'],
      [`deliveries/${attempt?.delivery_id}`, '.code'],
      ['events', 'details'],
      ['audit-log', 'table'],
    ]
  }

  /** Opens one of them. */
  async function goTo(page: Page, [path, part]: readonly [path: string, part: string]): Promise<void> {
    // A different URL before the `#` reloads the page, so that no part of the previous screen is left.
    await page.goto(`${server.url}/portal/?${encodeURIComponent(path)}#/${ACME}/${path}`)
    await page.locator(`main ${part}`).first().waitFor()
  }

  /**
   * A page of a signed-in member. It must log no error of scripts, content policy or loading, and no key or secret may be in
   * its requests' URLs or its log.
   */
  async function open(
    email: string | null,
    path: string,
    options: BrowserContextOptions = {},
  ): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, ...options })
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    const seen: string[] = []
    page.on('request', (request) => seen.push(request.url()))
    page.on('console', (line) => seen.push(line.text()))
    onTestFinished(async () => {
      await context.close()
      // A refusal or a lost connection that the page shows is not an error.
      expect(complaints.filter((each) => !/status of [45]\d\d|ERR_FAILED/.test(each))).toEqual([])
      expect(seen.filter((each) => SECRET.test(each))).toEqual([])
    })
    printIfFailed(page)
    if (email !== null) {
      await context.request.post(`${server.url}/login`, { data: { email, password: DEMO_PASSWORD } })
      await page.goto(`${server.url}/portal/#/${organizationOf(email)}/${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
    }
    return page
  }

  return { server, as, open, everyScreen, goTo }
}
