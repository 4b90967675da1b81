import { readFile } from 'node:fs/promises'
import { button, dialog, hasChromium, type Page, row, styleOf } from '@quickquote/dev-servers/browser'
import { describe, expect, it } from 'vitest'
import { ACME, DEMO_PASSWORD } from '../../examples/demo/src/members.ts'
import { signIn } from '../demo/partner-client.ts'
import { PATIENCE, usePortal } from './portal-browser.ts'

describe.runIf(hasChromium || process.env['CI'] !== undefined)('The portal, in Chromium', () => {
  const { server, as, open } = usePortal()
  const kept = (page: Page) =>
    page.evaluate<unknown[]>(
      '[localStorage.length, sessionStorage.length, document.cookie, location.href, document.title]',
    )

  it('takes a new admin from the first empty screen to a verified webhook', async () => {
    const page = await open('admin@globex.example', 'endpoints')
    // The example's receiver, on its page.
    const play = await page.context().newPage()
    await play.goto(server.url)
    await play.locator('#receiver-url', { hasText: 'https://' }).waitFor()
    const receiver = String(await play.locator('#receiver-url').textContent())

    await page.getByText('No endpoint yet').waitFor()
    await page.locator('main').getByRole('button', { name: 'Add an endpoint' }).last().click()
    await button(page, 'Add an endpoint').click()
    await page.getByText('This is required.').first().waitFor()

    await page.getByLabel('Name').fill('CRM production')
    await page.getByLabel('URL').fill('http://crm.example')
    await button(page, 'Add an endpoint').click()
    await page.getByText('starts with https://').waitFor()
    await page.getByLabel('URL').fill(receiver)
    await page.getByLabel('All of quotation').uncheck()
    await page.getByLabel('quotation.completed').check()
    await button(page, 'Add an endpoint').click()

    const secret = String(await dialog(page).locator('.secret code').textContent())
    expect(secret).toMatch(/^whsec_/)
    expect(JSON.stringify(await kept(page))).not.toContain(secret)
    // Shown with the code that verifies.
    await dialog(page).getByText('@quickquote/webhook-signature').first().waitFor()
    await play.getByText('Create the endpoint in the portal instead').click()
    await play.getByLabel('signing secret').fill(secret)
    await button(play, 'Use this secret').click()
    await play.getByText('The receiver verifies with this secret').waitFor()
    // Only its button closes a secret that is shown once.
    await page.keyboard.press('Escape')
    await button(page, 'I have stored it').click()

    await button(page, 'Send a test').click()
    await button(page, 'Send').click()
    await page.getByText('Your receiver responded with 204. It works.').waitFor()
    await page.getByRole('link', { name: 'See the request and the response' }).click()
    await page.getByRole('heading', { name: 'quotation.completed', level: 1 }).waitFor()
    await page.getByText('204 No Content').first().waitFor()
    expect(await page.getByText('X-Service-Event-Id').count()).toBe(1)
    expect(await page.content()).not.toContain(secret)
  })

  it('creates a key that is shown once, renames, deactivates, activates, rolls and revokes it', async () => {
    const page = await open('member@acme.example', 'api-keys')
    await button(page, 'Create key').first().click()
    await dialog(page).getByLabel('Name').fill('Zapier')
    await dialog(page).getByLabel('Expires').selectOption('30')
    await dialog(page).getByRole('button', { name: 'Create key' }).click()
    const key = String(await dialog(page).locator('.secret code').textContent())
    expect(key).toMatch(/^pk_/)
    const described = page.getByRole('group', { name: '“Zapier” was created' })
    const description = await page
      .locator(`[id="${await described.getAttribute('aria-describedby')}"]`)
      .textContent()
    expect(description).toContain('It is shown only once.')
    await page.keyboard.press('Escape')
    expect(await dialog(page).isVisible()).toBe(true)
    await button(page, 'I have stored it').click()
    await row(page, 'Zapier').getByText('Active').waitFor()
    expect(await page.content()).not.toContain(key)
    expect(JSON.stringify(await kept(page))).not.toContain(key)

    const headers = { 'X-API-Key': key }
    await page.request.get(`${server.url}/v1/integrations/me`, { headers })
    await page.request.get(`${server.url}/v1/integrations/nothing`, { headers })
    // Not a real one: its events would be in the replays of other tests.
    const quote = { id: ACME, name: 'Of Zapier', status: 'queued', created_at: new Date().toISOString() }
    await page.route('**/api-keys/*/quotations', (route) => route.fulfill({ json: [quote] }))
    await row(page, 'Zapier').getByText('never').click()
    await page.getByRole('heading', { name: 'Zapier', level: 1 }).waitFor()
    await page.getByText('1 answered', { exact: true }).waitFor()
    await page.getByText('Of Zapier', { exact: true }).waitFor()
    await row(page, 'GET /v1/integrations/*').getByText('404').waitFor()
    await row(page, 'GET /v1/integrations/me').getByText('127.0.0.1').waitFor()
    await page.locator('.chart-bars button').first().click()
    await page.getByText('No request', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'API keys' }).last().click()

    const act = async (name: string, item: string) => {
      await button(page, `More actions for ${name}`).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await act('Zapier', 'Rename…')
    await dialog(page).getByLabel('Name').fill('Zapier Europe')
    await button(page, 'Save').click()
    await row(page, 'Zapier Europe').waitFor()

    await act('Zapier Europe', 'Deactivate')
    await button(page, 'Deactivate').click()
    await row(page, 'Zapier Europe').getByText('Inactive').waitFor()
    await act('Zapier Europe', 'Activate')
    await row(page, 'Zapier Europe').getByText('Active', { exact: true }).waitFor()

    await act('Zapier Europe', 'Roll…')
    await dialog(page)
      .getByText(/^pk_.* works until /)
      .waitFor()
    await button(page, 'Create the new key').click()
    await button(page, 'I have stored it').click()
    // The old one works for a day, and cannot be rolled again.
    await expect.poll(() => row(page, 'Zapier Europe').count(), PATIENCE).toBe(2)
    const old = row(page, 'Zapier Europe').filter({ hasText: /tomorrow|in 2[34] hr/ })
    await old.getByRole('button', { name: 'More actions' }).click()
    expect(await page.getByRole('menuitem', { name: 'Roll…' }).count()).toBe(0)
    await page.getByRole('menuitem', { name: 'Deactivate' }).click()
    await button(page, 'Deactivate').click()
    // Not by the row's whole text: "pk_…in" followed by "Active" contains "inactive" too.
    const inactive = page.getByRole('row').filter({ has: page.getByText('Inactive', { exact: true }) })
    await inactive.waitFor()
    expect(await row(page, 'Zapier Europe').count()).toBe(2)

    await inactive.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Revoke…' }).click()
    await page.getByRole('heading', { name: 'Revoke “Zapier Europe”?' }).waitFor()
    await button(page, 'Revoke key').click()
    await row(page, 'Revoked').waitFor()
  })

  it('shows an undelivered event, sends it again, and replays missed events after counting them', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Data warehouse')
    await admin.answer('broken')
    await admin.quote('Website relaunch')

    const page = await open('admin@acme.example', `deliveries?show=all&endpoint=${id}`)
    await row(page, 'Website relaunch')
      .getByText(/Retrying in/)
      .waitFor()
    await row(page, 'Website relaunch').locator('.answer', { hasText: '500' }).waitFor()
    await page.getByRole('link', { name: /Retrying/ }).click()
    await page.getByText('500 Internal Server Error').first().waitFor()
    await page.getByText('"quotation.failed"').waitFor()

    await admin.answer('ok')
    await button(page, 'Resend now').click()
    await page.getByText('204 No Content').first().waitFor()
    await page.goto(`${server.url}/portal/#/${ACME}/deliveries?show=all&endpoint=${id}`)
    await page.getByText('Nothing found').waitFor()

    await admin.send('PATCH', `/webhooks/${id}`, 200, { is_enabled: false })
    await admin.quote('While it was off')
    await admin.quote('While it was still off')
    await admin.send('PATCH', `/webhooks/${id}`, 200, { is_enabled: true })
    await page.reload()
    await button(page, 'Replay…').click()
    await page.getByText('2 events will be sent.').waitFor()
    await button(page, 'Start the replay').click()
    await page.getByRole('heading', { name: 'Replay completed' }).waitFor()
    await page.getByText('2 events are sent again.').waitFor()
    await button(page, 'Close').click()
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await row(page, 'While it was still off').getByText('Delivered').waitFor()

    // The endpoint has all of it: how it answered, its latest deliveries, and the replay, which can be found again.
    await page.goto(`${server.url}/portal/#/${ACME}/endpoints/${id}`)
    await page.getByText('1 × 5xx').waitFor()
    await page.getByText(/^median \d+ ms, 95% within \d+ ms$/).waitFor()
    await row(page, 'While it was still off').getByText('Delivered').waitFor()
    await page.route(/\/replays(\/[^/]+)?$/, async (route) => {
      const answer = await (await route.fetch()).json()
      const running = (replay: object) => ({ ...replay, state: 'running' })
      await route.fulfill({ json: Array.isArray(answer) ? answer.map(running) : running(answer) })
    })
    await page.route('**/replays/*/stop', (route) =>
      route.fulfill({ json: { state: 'stopped', progress: { examined: 1, total: 2 }, resent: 1 } }),
    )
    await page.reload()
    await button(page, 'Replay in progress').click()
    await button(page, 'Stop').click()
    await page.getByRole('heading', { name: 'Replay stopped' }).waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('checks a receiver by keyboard, and announces what it does with each delivery', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Checked')
    const page = await open('admin@acme.example', `endpoints/${id}`)
    const check = async () => {
      await button(page, 'Check now').or(button(page, 'Check again')).focus()
      await page.keyboard.press('Enter')
    }
    const result = page.locator('dialog div[aria-live="polite"]')
    await button(page, 'Check the receiver').focus()
    await page.keyboard.press('Enter')
    await dialog(page).getByText('a receiver that does not recognize it acts twice').waitFor()
    // There before its content, which is announced when it comes.
    expect(await result.textContent()).toBe('')
    await check()
    await result.getByText('The receiver works: it accepts genuine and repeated events').waitFor()
    expect(await result.locator('li').allTextContents()).toEqual([
      'genuine event: 204, as expected',
      'forged signature: 401, as expected',
      'signed ten minutes ago: 401, as expected',
      'genuine event again: 204, as expected',
    ])
    await page.keyboard.press('Escape')
    await admin.send('POST', `/webhooks/${id}/rotate-secret`, 200, { overlap_seconds: 3600 })
    await button(page, 'Check the receiver').click()
    await check()
    await result.getByText('previous secret only: 204, as expected').waitFor()
    await result.getByRole('link', { name: 'See the requests and the responses' }).click()
    await row(page, 'check: forged signature').first().getByText('401').waitFor()
  })

  it('says in German what a receiver does wrong, and shows a limit', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Broken')
    await admin.answer('broken')
    const page = await open('admin@acme.example', `endpoints/${id}`, { locale: 'de-DE' })
    await button(page, 'Empfänger prüfen').click()
    const result = page.locator('dialog div[aria-live="polite"]')
    for (const name of ['Jetzt prüfen', 'Erneut prüfen']) {
      await button(page, name).click()
      await result.getByText('Der Empfänger scheitert an echten Ereignissen: siehe sein Protokoll.').waitFor()
      await result.getByText('echtes Ereignis: 500 statt 2xx').waitFor()
      await result.getByText('gefälschte Signatur: 401, wie erwartet').waitFor()
    }
    await button(page, 'Erneut prüfen').click()
    await dialog(page).getByRole('alert').waitFor()
    await admin.answer('ok')
  })

  it('shows each secret that still signs, and which one another rotation ends', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Rotated often')
    const page = await open('admin@acme.example', `endpoints/${id}`)
    const earlier = 'Earlier secrets sign until their own overlap ends.'
    for (const hint of [
      'both secrets',
      earlier,
      earlier,
      /the oldest one \(whsec_….{4}\) expires now instead of/,
    ]) {
      await button(page, 'Rotate…').click()
      await dialog(page).getByText(hint).waitFor()
      await button(page, 'Issue a new secret').click()
      await button(page, 'I have stored it').click()
    }
    const signing = page.getByText(/also signed with the previous secret whsec_….{4} until/)
    await expect.poll(() => signing.count()).toBe(3)
  })

  it('rotates a secret, disables, enables and deletes an endpoint, all in the audit log', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Old staging')
    const page = await open('admin@acme.example', `endpoints/${id}`)
    const act = async (item: string) => {
      await button(page, 'More actions for Old staging').click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await button(page, 'Rotate…').click()
    await button(page, 'Issue a new secret').click()
    expect(await dialog(page).locator('.secret code').textContent()).toMatch(/^whsec_/)
    await button(page, 'I have stored it').click()
    await page.getByText(/also signed with the previous secret whsec_….{4} until/).waitFor()
    await page.locator('.facts div').filter({ hasText: 'Sent from' }).getByText('127.0.0.1').waitFor()

    await button(page, 'How to verify').click()
    await page.getByText('fastifyWebhooks, {').waitFor()
    await button(page, 'Python').click()
    await page.getByText('hmac.compare_digest').waitFor()
    await button(page, 'Close').click()

    await act('Disable…')
    await button(page, 'Disable endpoint').click()
    await page.getByText('Nothing is sent to this endpoint.').waitFor()
    await button(page, 'Enable').click()
    await page.getByText('Nothing is sent to this endpoint.').waitFor({ state: 'detached' })
    await act('Delete…')
    await page.getByRole('heading', { name: 'Delete “Old staging”?' }).waitFor()
    await button(page, 'Delete endpoint').click()
    await page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor()

    await page.getByRole('link', { name: 'Audit log' }).click()
    for (const done of [
      'Added the endpoint',
      'Rotated the secret of',
      'Disabled the endpoint',
      'Deleted the endpoint',
    ]) {
      await row(page, `${done} Old staging`).waitFor()
    }
    // In words, and what still exists is a link.
    await row(page, 'Enabled Old staging').getByText('Ada Becker').waitFor()
    await page.getByLabel('Who').selectOption('Ada Becker')
    await row(page, 'Enabled Old staging').waitFor()
    const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Export as CSV').click()])
    expect(file.suggestedFilename()).toBe('audit-log.csv')
    const csv = await readFile(await file.path(), 'utf8')
    expect(csv).toMatch(/"Ada Becker",.*"Enabled Old staging"/)
    await page.getByLabel('Action').selectOption('webhook_endpoint.deleted')
    await row(page, 'Rotated').waitFor({ state: 'detached' })
    await page.getByLabel('Action').selectOption('webhook_endpoint.created')
    await page.getByLabel('About').selectOption({ index: 1 })
    await page.locator('.audit tbody tr').first().getByRole('link').click()
    await page.locator('.event-list').first().waitFor()
    await page.getByRole('link', { name: 'Events' }).click()
    await page.locator('summary', { hasText: 'quotation.failed' }).click()
    await page.getByText('"generation_source"').last().waitFor()
  })

  it('shows a member without the permission only their own keys and allowed actions', async () => {
    const page = await open('member@acme.example', 'deliveries')
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
    expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual(['API keys'])
    expect(await button(page, 'Everyone’s').count()).toBe(0)
  })

  it('shows a viewer everything, and nothing that only others may do', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Looked at')
    await admin.send('POST', '/api-keys', 201, {
      name: 'Another’s',
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    })
    const page = await open('viewer@acme.example', `endpoints/${id}`)
    const buttons = async () =>
      (await page.locator('main button').allTextContents()).filter((text) => text !== '')
    await page.getByText('You can view everything, but not change it.').waitFor()
    await page.getByRole('heading', { name: 'Health' }).waitFor()
    expect(await page.getByRole('button', { name: /Rotate|test|Edit|More/ }).count()).toBe(0)
    for (const tab of ['Endpoints', 'Deliveries', 'Events', 'Audit log']) {
      await page.getByRole('navigation').getByRole('link', { name: tab }).click()
      await page.getByRole('heading', { name: tab, level: 1 }).waitFor()
      await page.getByText('You can view everything, but not change it.').waitFor()
      expect((await buttons()).filter((text) => /Add an|Replay/.test(text))).toEqual([])
    }
    await page.getByRole('navigation').getByRole('link', { name: 'API keys' }).click()
    await button(page, 'Everyone’s').click()
    await page.locator('tbody tr').first().waitFor()
    expect(await page.getByRole('button', { name: /^More actions/ }).count()).toBe(0)
    // Keys of their own are every member's.
    await button(page, 'Create key').waitFor()
  })

  it('finds the organization of the session; without a session, leads to sign-in and back', async () => {
    const page = await open('admin@acme.example', 'api-keys')
    await page.goto(`${server.url}/portal`)
    await page.getByText('Acme GmbH').first().waitFor()
    expect(page.url()).toContain(ACME)
    await page.locator('header').getByText('Ada Becker').waitFor()
    // The name of the product leads back to it.
    expect(await page.getByRole('link', { name: 'Quick Quotes' }).getAttribute('href')).toBe('/')
    await page.context().clearCookies()
    await page.goto(`${server.url}/portal/?again#/${ACME}/events`)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.getByLabel('Member').selectOption('admin@acme.example')
    await button(page, 'Sign in').click()
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor()
  })

  it('keeps typed input when the session ends', async () => {
    const page = await open('admin@acme.example', 'endpoints/new')
    await page.getByLabel('Name').fill('Typed with care')
    await page.getByLabel('URL').fill('https://crm.example.com/hook')
    await page.context().clearCookies()
    await button(page, 'Add an endpoint').click()
    await page.getByText('Your session has ended.').waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed with care')
    await page.context().request.post(`${server.url}/login`, {
      data: { email: 'admin@acme.example', password: DEMO_PASSWORD },
    })
    await button(page, 'I have signed in').click()
    await page.getByText('Your session has ended.').waitFor({ state: 'detached' })
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed with care')
    await button(page, 'Add an endpoint').click()
    await button(page, 'I have stored it').click()
    await page.getByRole('heading', { name: 'Typed with care' }).waitFor()
  })

  it('keeps input in a dialog when the session ends, and offers sign-in inside the dialog', async () => {
    const page = await open('member@acme.example', 'api-keys')
    await button(page, 'Create key').first().click()
    await dialog(page).getByLabel('Name').fill('Typed in a dialog')
    await page.context().clearCookies()
    const create = dialog(page).getByRole('button', { name: 'Create key' })
    await create.click()
    const signIn = dialog(page).getByRole('link', { name: 'Sign in in a new tab' })
    await signIn.waitFor()
    expect(await signIn.getAttribute('target')).toBe('_blank')
    await page.context().request.post(`${server.url}/login`, {
      data: { email: 'member@acme.example', password: DEMO_PASSWORD },
    })
    await create.click()
    await button(page, 'I have stored it').click()
    await row(page, 'Typed in a dialog').waitFor()
    // A successful response means signed in: no confirmation needed.
    await page.getByText('Your session has ended.').waitFor({ state: 'detached' })
  })

  it('sends a change once when the network is lost, and keeps the input', async () => {
    const page = await open('member@acme.example', 'api-keys')
    let sent = 0
    await page.route('**/api-keys', (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      sent += 1
      return route.abort()
    })
    await button(page, 'Create key').first().click()
    await dialog(page).getByLabel('Name').fill('Offline')
    await dialog(page).getByRole('button', { name: 'Create key' }).click()
    await dialog(page).getByText('The service could not be reached.').waitFor()
    expect(sent).toBe(1)
    expect(await dialog(page).getByLabel('Name').inputValue()).toBe('Offline')
  })

  it('shows an admin the concurrent change of another, and keeps both changes', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Of two admins')
    const page = await open('admin@acme.example', `endpoints/${id}?edit=yes`)
    await page.getByLabel('Description').fill('Mine')
    await admin.send('PATCH', `/webhooks/${id}`, 200, { name: 'Renamed meanwhile' })
    await button(page, 'Save').click()
    await page.getByText('Someone else has changed this endpoint (name)').waitFor()
    await button(page, 'Save my changes').click()
    await page.getByRole('heading', { name: 'Renamed meanwhile' }).waitFor()
    await page.getByText('Mine').waitFor()
  })

  it('adds and removes headers of an endpoint, whose values are not shown again', async () => {
    const admin = await as('admin@acme.example')
    const page = await open('admin@acme.example', 'endpoints/new')
    await page.getByLabel('Name', { exact: true }).fill('Behind a gateway')
    await page.getByLabel('URL').fill(admin.receiver)
    await page.getByText('More options').click()
    const add = async (name: string, value: string) => {
      await button(page, 'Add a header').click()
      await page.getByLabel('Header name').last().fill(name)
      await page.getByLabel('Value').last().fill(value)
    }
    await add('Authorization', 'Bearer of-the-gateway')
    await add('Host', 'elsewhere')
    await button(page, 'Add an endpoint').click()
    await page.locator('.headers .field-error', { hasText: /./ }).waitFor()
    await button(page, 'Remove Host').click()
    await add('X-Zone', 'eu')
    await button(page, 'Add an endpoint').click()
    await button(page, 'I have stored it').click()
    await page.getByText('Authorization, X-Zone').waitFor()
    expect(await page.content()).not.toContain('of-the-gateway')

    await button(page, 'Edit').click()
    await button(page, 'Remove X-Zone').click()
    await button(page, 'Keep X-Zone').click()
    await button(page, 'Remove Authorization').click()
    await button(page, 'Save').click()
    await page.locator('dd', { hasText: /^X-Zone$/ }).waitFor()

    // Values are not sent to another server: the member is warned, and the change is saved.
    await button(page, 'Edit').click()
    await page.getByLabel('URL').fill('https://elsewhere.example.com/hook')
    await page.getByText('The new URL is on another server').waitFor()
    expect(await button(page, 'Remove X-Zone').count()).toBe(0)
    await button(page, 'Save').click()
    await page.getByText('https://elsewhere.example.com/hook').waitFor()
    await page.locator('dt', { hasText: 'Order' }).waitFor()
    expect(await page.getByText('X-Zone').count()).toBe(0)
  })

  it('updates its rows instead of replacing them', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Live')
    await admin.quote('The first of two')
    const page = await open('admin@acme.example', `deliveries?endpoint=${id}`)
    const first = row(page, 'The first of two')
    await first.waitFor()
    await first.evaluate((element) => element.setAttribute('data-same', 'yes'))
    await admin.quote('The second of two')
    await row(page, 'The second of two').waitFor()
    expect(await first.getAttribute('data-same')).toBe('yes')
  })

  it('moves the focus to the heading of a new screen', async () => {
    const page = await open('admin@acme.example', 'events')
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.locator('h1:focus', { hasText: 'Audit log' }).waitFor()
  })

  it('reports that the network or the service is unavailable, and continues when it is back', async () => {
    const page = await open('admin@acme.example', 'events')
    await page.locator('summary', { hasText: 'quotation.failed' }).waitFor()
    const keys = '**/api-keys*'
    await page.route(keys, (route) => route.abort())
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByText('The service could not be reached.').waitFor()
    await page.unroute(keys)
    let refused = 0
    await page.route(keys, (route) => {
      refused += 1
      return refused > 1
        ? route.continue()
        : route.fulfill({
            status: 503,
            headers: { 'Retry-After': '1' },
            json: { code: 'SERVICE_UNAVAILABLE' },
          })
    })
    await button(page, 'Try again').click()
    await page.getByText('The service could not be reached.').waitFor({ state: 'detached' })
    expect(refused).toBeGreaterThan(1)
    await page.unroute(keys)
    // A proxy that wants a password.
    await page.route(keys, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Sign in</h1>' }))
    await page.getByText('Everyone’s').click()
    await page.getByText('The response is not from the service.').waitFor()
  })

  it('never parses text of partners or receivers as markup', async () => {
    const admin = await as('admin@acme.example')
    const evil = '<img src=x onerror=alert(1)>'
    const { id } = await admin.endpoint(evil)
    await admin.quote(`${evil} <script>alert(2)</script>`)
    const page = await open('admin@acme.example', `endpoints/${id}`)
    await page.getByRole('heading', { name: evil }).waitFor()
    await page.goto(`${server.url}/portal/#/${ACME}/deliveries?endpoint=${id}`)
    await row(page, '<script>').first().waitFor()
    expect(await page.locator('main img, main script').count()).toBe(0)

    // A receiver's recorded response.
    await page.route('**/webhooks/deliveries/*', async (route) => {
      const response = await route.fetch()
      const delivery = await response.json()
      for (const attempt of delivery.attempts ?? []) {
        Object.assign(attempt, { response_body: evil, error: evil, request_headers: { [evil]: evil } })
      }
      await route.fulfill({ response, json: delivery })
    })
    await row(page, '<script>').first().getByRole('link').click()
    await page.locator('.code', { hasText: evil }).waitFor()
    expect(await page.locator('main img, main script').count()).toBe(0)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('can be used with the keyboard alone', async () => {
    const page = await open('member@globex.example', 'api-keys')
    // The button of the empty list replaces that of the title, which may have had the focus.
    await page.getByText('No API key yet').waitFor()
    const focused = () => page.evaluate<string>('document.activeElement.textContent')
    for (let presses = 0; presses < 20 && (await focused()) !== 'Create key'; presses++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await dialog(page).waitFor()
    await page.keyboard.type('By keyboard')
    await page.keyboard.press('Enter')
    await page.getByText('I have stored it').waitFor()
    for (let presses = 0; presses < 5 && (await focused()) !== 'I have stored it'; presses++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await row(page, 'By keyboard').waitFor()

    const menu = button(page, 'More actions for By keyboard')
    await menu.focus()
    await page.keyboard.press('Enter')
    await page.locator('[role=menuitem]:focus').waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Revoke “By keyboard”?' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    expect(await row(page, 'By keyboard').getByText('Active').count()).toBe(1)
  })

  describe('as an element', () => {
    /** A page of the host, on its origin, whose session is a bearer token. */
    async function embed(attributes: string, script: string): Promise<Page> {
      const page = await open(null, '')
      await page.route(`${server.url}/own-page`, (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `<!doctype html><html lang="en"><title>Own page</title><style>h1 { color: red }</style>
            <script type="module" src="/portal/element.js"></script>
            <script type="module">${script}</script>
            <quickquote-integrations organization="${ACME}" ${attributes}></quickquote-integrations></html>`,
        }),
      )
      await page.goto(`${server.url}/own-page`)
      return page
    }

    it('shows the same screens with a token, isolated from the page’s styles and URL', async () => {
      const headers = JSON.stringify(await signIn(server.url, 'admin@acme.example'))
      const page = await embed(
        'view="events"',
        `const element = document.querySelector('quickquote-integrations')
         element.headers = async () => (${headers})
         element.addEventListener('quickquote-navigate', ({ detail }) => { document.title = detail.view })`,
      )
      await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor()
      await page.getByRole('link', { name: 'API keys' }).click()
      const heading = page.getByRole('heading', { name: 'API keys', level: 1 })
      await heading.waitFor()
      expect(await styleOf(heading, 'color')).not.toBe('rgb(255, 0, 0)')
      expect(page.url()).toBe(`${server.url}/own-page`)
      expect(await page.title()).toBe('api-keys')
    })

    it('shows only the chosen screens, read-only', async () => {
      const headers = JSON.stringify(await signIn(server.url, 'admin@acme.example'))
      const page = await embed(
        'view="api-keys" features="api-keys events" readonly locale="de"',
        `document.querySelector('quickquote-integrations').headers = ${headers}`,
      )
      await page.getByRole('heading', { name: 'API-Schlüssel', level: 1 }).waitFor()
      expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
        'API-Schlüssel',
        'Ereignisse',
      ])
      expect(await page.getByRole('button', { name: /erstellen/ }).count()).toBe(0)
    })

    it('begins at a filtered list, whose links have addresses in the host’s page', async () => {
      const headers = JSON.stringify(await signIn(server.url, 'admin@acme.example'))
      const page = await embed(
        'view="deliveries?show=given_up&span=all" link-template="/own/{path}"',
        `const element = document.querySelector('quickquote-integrations')
         element.headers = ${headers}
         element.addEventListener('quickquote-navigate', ({ detail }) => { document.title = detail.path })`,
      )
      await page.locator('button[aria-pressed=true]', { hasText: 'Failed' }).waitFor()
      const link = page.getByRole('navigation').getByRole('link', { name: 'Endpoints' })
      expect(await link.getAttribute('href')).toBe('/own/endpoints')
      await button(page, 'Retrying').click()
      await expect.poll(() => page.title(), PATIENCE).toBe('deliveries?show=retrying&span=all')
      expect(page.url()).toBe(`${server.url}/own-page`)
    })

    it('takes properties that are set before it is defined, and texts at any time', async () => {
      const headers = JSON.stringify(await signIn(server.url, 'admin@acme.example'))
      const page = await open(null, '')
      await page.route(`${server.url}/own-page`, (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `<!doctype html><html lang="en"><title>Own page</title>
            <quickquote-integrations organization="${ACME}" view="events"></quickquote-integrations>
            <script type="module">
              const element = document.querySelector('quickquote-integrations')
              element.headers = async () => (${headers})
              await import('/portal/element.js')
            </script></html>`,
        }),
      )
      await page.goto(`${server.url}/own-page`)
      await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor()
      await page.evaluate(
        `document.querySelector('quickquote-integrations').messages = { en: { 'events.title': 'What happens' } }`,
      )
      await page.getByRole('heading', { name: 'What happens', level: 1 }).waitFor()
      const prototype = `customElements.get('quickquote-integrations').prototype`
      const hasSetters = `['headers', 'fetch', 'messages'].every((name) =>
        Object.getOwnPropertyDescriptor(${prototype}, name)?.set)`
      expect(await page.evaluate(hasSetters)).toBe(true)
    })

    it('runs from right to left in browsers that do not know directions, and marks what is English', async () => {
      const headers = JSON.stringify(await signIn(server.url, 'admin@acme.example'))
      const page = await embed(
        'view="events" locale="ar"',
        `delete Intl.Locale.prototype.getTextInfo
         const element = document.querySelector('quickquote-integrations')
         element.headers = ${headers}
         element.messages = { ar: { 'nav.deliveries': 'Taslimat' } }`,
      )
      await page.locator('.portal[dir=rtl][lang=ar]').waitFor()
      await page.locator('nav a[lang=en]', { hasText: 'Endpoints' }).waitFor()
      expect(await page.getByRole('link', { name: 'Taslimat' }).getAttribute('lang')).toBeNull()
      // The names of events begin at their beginning.
      const event = page.locator('summary [dir=ltr]').first()
      expect(await styleOf(event, 'direction')).toBe('ltr')
    })

    it('reports that nobody is signed in, and leads to sign-in once it knows where', async () => {
      const page = await embed('', '')
      await page.getByText('You are not signed in.').waitFor()
      await page.evaluate(
        `document.querySelector('quickquote-integrations').setAttribute('sign-in-url', '/login?next={url}')`,
      )
      const signIn = page.getByRole('link', { name: 'Sign in' })
      expect(await signIn.getAttribute('href')).toMatch(/^\/login\?next=/)
    })
  })
})

describe.skipIf(hasChromium || process.env['CI'] !== undefined)('The portal', () => {
  it('is skipped: Chromium is not installed', () => {
    console.log('Skipped: the portal in Chromium. Install it, or set CHROMIUM to its path.')
  })
})
