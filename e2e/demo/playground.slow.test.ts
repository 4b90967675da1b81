import {
  type Browser,
  type BrowserContextOptions,
  hasChromium,
  openBrowser,
  type Page,
} from '@quickquote/dev-servers/browser'
import { printIfFailed } from '@quickquote/dev-servers/vitest'
import axe from 'axe-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { call } from '../../examples/demo/src/api-client.ts'
import { ACME } from '../../examples/demo/src/members.ts'
import { useExample } from './example-process.ts'
import { signIn } from './partner-client.ts'

/** The longest that a step of the page may take on a slow machine. It polls every 2 s. */
const PATIENCE_MS = 30_000
const PATIENCE = { timeout: PATIENCE_MS }

const server = useExample({ PIPELINE_STEP_MS: '50', RETRY_MS: '300' })

describe('The inbox of the page', () => {
  it('needs a session', async () => {
    for (const path of ['/play/inbox', '/play/inbox/webhooks']) {
      const response = await fetch(server.url + path)
      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({ code: 'SESSION_REQUIRED' })
    }
  })

  it('is separate for each organization', async () => {
    const urlFor = async (email: string) => {
      const headers = await signIn(server.url, email)
      return (await call<{ url: string }>(`${server.url}/play/inbox`, { status: 200, headers })).body.url
    }
    const acme = await urlFor('admin@acme.example')
    expect(await urlFor('member@acme.example')).toBe(acme)
    expect(await urlFor('admin@globex.example')).not.toBe(acme)
  })

  it('refuses an unknown behavior', async () => {
    const response = await fetch(`${server.url}/play/inbox`, {
      method: 'PATCH',
      headers: { ...(await signIn(server.url)), 'Content-Type': 'application/json' },
      body: JSON.stringify({ behaviour: 'explodes' }),
    })
    expect(response.status).toBe(400)
  })
})

describe.runIf(hasChromium || process.env['CI'] !== undefined)('The page at /, in Chromium', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await openBrowser()
    return () => browser.close()
  })

  /** A page that must log no error of scripts, content policy or loading. */
  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1200, height: 1000 }, ...options })
    // Shorter than the test's timeout, so that the error names the step.
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('pageerror', ({ message }) => complaints.push(message))
    page.on('console', (line) => {
      // A refusal that the page shows is not an error.
      if (line.type() === 'error' && !/status of 4\d\d/.test(line.text())) complaints.push(line.text())
    })
    onTestFinished(async () => {
      await context.close()
      expect(complaints).toEqual([])
    })
    printIfFailed(page)
    await page.goto(server.url)
    return page
  }

  async function signInAs(page: Page, email: string): Promise<void> {
    await page.getByLabel('Member').selectOption(email)
    await press(page, 'Sign in')
    await page.getByText(`You are ${email}`).waitFor()
  }

  /** The page loads itself again, which would undo a sign-in before that. */
  async function signOut(page: Page): Promise<void> {
    await press(page, 'Sign out')
    await page.getByText('Two organizations, each with').waitFor()
  }

  const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click()
  const webhooks = (page: Page) => page.getByRole('list', { name: 'Webhooks' }).locator('summary')
  /** A quote on the page, with a name unique among the tests. */
  const quote = (page: Page, name: string) => page.locator('#quotes > li').filter({ hasText: name })
  const proposal = (page: Page, name: string) =>
    quote(page, name).getByRole('link', { name: 'Open the proposal' })

  async function startQuote(page: Page, name: string, button = 'Start with the API key'): Promise<void> {
    await page.getByLabel('Name of the quote').fill(name)
    await press(page, button)
  }

  /** An admin with a key and a connected receiver. */
  async function openAsAdmin(organization: string, options?: BrowserContextOptions): Promise<Page> {
    const page = await open(options)
    await signInAs(page, `admin@${organization}.example`)
    await press(page, 'Create a key')
    // A quote started before the key exists is refused. The key of an earlier test is shown until then.
    await page.getByText('The key was created').waitFor()
    await press(page, 'Connect it')
    await page.getByText('Connected to 7 events').waitFor()
    return page
  }

  it('takes a newcomer from signing in to verified webhooks and the proposal', async () => {
    const page = await openAsAdmin('acme')
    await startQuote(page, 'A tea shop')

    const document = await page.request.get(
      server.url + (await proposal(page, 'A tea shop').getAttribute('href')),
    )
    expect(document.headers()['content-type']).toBe('application/pdf')
    await expect.poll(() => webhooks(page).allTextContents(), PATIENCE).toHaveLength(6)
    for (const line of await webhooks(page).allTextContents()) {
      expect(line).toMatch(/signature verified.*answered 204/)
    }
    await webhooks(page).filter({ hasText: 'quotation.completed' }).click()
    const details = await page.locator('#webhooks details[open]').textContent()
    expect(details).toContain('x-service-signature: v1=')
    expect(details).toContain('"type": "quotation.completed"')
  })

  it('starts a quote from dropped files', async () => {
    const page = await openAsAdmin('acme')
    const dropped = await page.evaluateHandle(`
      const transfer = new DataTransfer()
      transfer.items.add(new File(['# Sells tea'], 'requirements.md', { type: 'text/markdown' }))
      transfer`)
    await page.locator('#drop').dispatchEvent('drop', { dataTransfer: dropped })
    expect(await page.evaluate("document.getElementById('quote-files').files[0].name")).toBe(
      'requirements.md',
    )
    await startQuote(page, 'From a file')
    await proposal(page, 'From a file').waitFor()

    await page.setInputFiles('#quote-files', {
      name: 'tool.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('MZ'),
    })
    await press(page, 'Start with the API key')
    await page.getByRole('alert').getByText('must be a PDF document').waitFor()
  })

  it('shows a quote that a member started without a key, and the retries of a failing, then gone receiver', async () => {
    const page = await open()
    await signInAs(page, 'admin@globex.example')
    await press(page, 'Connect it')
    await page.getByText('Connected to 7 events').waitFor()
    await page.getByLabel('500: error').check()
    await page.getByLabel('The simulated pipeline').selectOption('requirement_analysis')
    await startQuote(page, 'Of a member', 'Start as a member')
    await quote(page, 'Of a member').getByText('started by a member').waitFor()
    await webhooks(page).getByText('arrival 2').first().waitFor()
    await page.getByLabel('410: gone').check()
    await webhooks(page).getByText('answered 410').first().waitFor()
  })

  it('cancels a quote', async () => {
    const page = await openAsAdmin('acme')
    const requirements = { name: 'Not needed', requirementsText: '- Sells tea' }
    await page.request.post(`${server.url}/quotes`, {
      data: { ...requirements, organization_id: ACME, metadata: { demo: { step_ms: 600_000 } } },
    })
    await quote(page, 'Not needed').getByText('running').first().waitFor()
    await quote(page, 'Not needed').getByRole('button', { name: 'Cancel' }).click()
    await quote(page, 'Not needed').getByText('CANCELLED').waitFor()
    expect(await quote(page, 'Not needed').getByRole('button').count()).toBe(0)
    await webhooks(page).filter({ hasText: 'quotation.failed' }).first().waitFor()
  })

  it('remembers session, key, endpoint and webhooks after a reload, until signing out', async () => {
    const page = await openAsAdmin('globex')
    await startQuote(page, 'Before the reload')
    await proposal(page, 'Before the reload').waitFor()
    await webhooks(page).filter({ hasText: 'quotation.completed' }).first().waitFor()
    const key = String(await page.locator('#new-key-value').textContent())

    await page.reload()
    await page.getByText('You are admin@globex.example').waitFor()
    await page.getByText('Connected to 7 events').waitFor()
    await webhooks(page).filter({ hasText: 'quotation.completed' }).first().waitFor()
    expect(await page.content()).not.toContain(key)
    await startQuote(page, 'After the reload')
    await proposal(page, 'After the reload').waitFor()

    // Each result leads to its place in the portal.
    await quote(page, 'After the reload').getByRole('link', { name: 'Its deliveries' }).click()
    await page.getByRole('row').filter({ hasText: 'After the reload' }).first().waitFor()
    await page.goBack()
    // Until the page knows its endpoint, the link leads to the list.
    await page.getByText('Connected to 7 events').waitFor()
    await page.getByRole('link', { name: 'Your endpoints in the portal' }).click()
    await page.getByRole('heading', { name: 'playground: the receiver of the page' }).waitFor()
    await page.goto(server.url)
    await page.getByText('You are admin@globex.example').waitFor()
    await signOut(page)
    await page.locator('#workspace').waitFor({ state: 'hidden' })
  })

  it('shows a plain member what only admins may do', async () => {
    const page = await open()
    await signInAs(page, 'member@acme.example')
    await press(page, 'Connect it')
    await page.getByRole('alert').getByText('PERMISSION_REQUIRED (403)').waitFor()
    await press(page, 'Start with the API key')
    await page.getByRole('alert').getByText('Create an API key first').waitFor()
  })

  it('keeps nothing in the browser: another organization that signs in finds no trace', async () => {
    const page = await openAsAdmin('acme')
    const key = await page.locator('#new-key-value').textContent()
    expect(key).toMatch(/^pk_/)
    const kept = await page.evaluate(
      '[localStorage.length, sessionStorage.length, document.cookie, location.href]',
    )
    expect(kept).toEqual([0, 0, '', `${server.url}/`])
    await signInAs(page, 'admin@globex.example')
    expect(await page.locator('#new-key').isVisible()).toBe(false)
    // Signing out ended what the partner's system had, too.
    await signOut(page)
    await signInAs(page, 'admin@globex.example')
    await press(page, 'Start with the API key')
    await page.getByRole('alert').getByText('Create an API key first').waitFor()
  })

  it('does not show a key that was created for the member before', async () => {
    const page = await open()
    await signInAs(page, 'admin@acme.example')
    let answer = () => {}
    const answering = new Promise<void>((resolve) => (answer = resolve))
    let hasCreated = () => {}
    const created = new Promise<void>((resolve) => (hasCreated = resolve))
    await page.route('**/api-keys', async (route) => {
      const response = await route.fetch()
      hasCreated()
      await answering
      await route.fulfill({ response })
    })
    await press(page, 'Create a key')
    await created
    await signInAs(page, 'admin@globex.example')
    const arrived = page.waitForResponse('**/api-keys')
    answer()
    await (await arrived).finished()
    const session = "fetch('/play/session').then((response) => response.json())"
    expect(await page.evaluate(session)).toMatchObject({ email: 'admin@globex.example', api_key: null })
    await press(page, 'Start with the API key')
    await page.getByRole('alert').getByText('Create an API key first').waitFor()
    expect(await page.locator('#new-key').isVisible()).toBe(false)
  })

  it('does not connect the receiver of a member with the endpoint of the member before', async () => {
    const page = await open()
    await signInAs(page, 'admin@acme.example')
    let answer = () => {}
    const answering = new Promise<void>((resolve) => (answer = resolve))
    let hasConnected = (_endpoint: { id: string; secret: string }) => {}
    const connected = new Promise<{ id: string; secret: string }>((resolve) => (hasConnected = resolve))
    // Creates the endpoint, or issues a new secret if an earlier test has created it.
    await page.route(/\/webhooks(\/[^/]+\/rotate-secret)?$/, async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      const response = await route.fetch()
      hasConnected(await response.json())
      await answering
      await route.fulfill({ response })
    })
    await press(page, 'Connect it')
    const endpoint = await connected
    await signInAs(page, 'admin@globex.example')
    await page.locator('#sign-in button[type=submit]:enabled').waitFor()
    const sent: (string | null)[] = []
    page.on('request', (request) => sent.push(request.postData()))
    answer()
    await page.locator('#connect:enabled').waitFor()
    expect(sent.filter((body) => body?.includes(endpoint.secret))).toEqual([])
    expect(await page.locator('#endpoint-link').getAttribute('href')).not.toContain(endpoint.id)
    expect(await page.locator('#notice').textContent()).toBe('Signed in as admin@globex.example')
  })

  it.each([
    ['a phone', { viewport: { width: 360, height: 740 } }],
    ['a dark screen', { colorScheme: 'dark' as const }],
    ['a light screen', { colorScheme: 'light' as const }],
  ])('is accessible on %s, and fits its width', async (_, options) => {
    const page = await openAsAdmin('acme', { reducedMotion: 'reduce', ...options })
    await startQuote(page, 'To look at')
    await proposal(page, 'To look at').first().waitFor()
    await webhooks(page).first().click()

    await page.evaluate(axe.source)
    const violations = await page.evaluate(`axe.run().then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`)
    expect(violations).toEqual([])
    const widths = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate(widths)).toBe(0)
  })
})

describe.skipIf(hasChromium || process.env['CI'] !== undefined)('The page at /', () => {
  it('is skipped: Chromium is not installed', () => {
    console.log('Skipped: the page at / in Chromium. Install it, or set CHROMIUM to its path.')
  })
})
