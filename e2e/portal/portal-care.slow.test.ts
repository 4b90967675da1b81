import { button, dialog, hasChromium, type Page, row } from '@quickquote/dev-servers/browser'
import { describe, expect, it } from 'vitest'
import { ACME, DEMO_PASSWORD } from '../../examples/demo/src/members.ts'
import { PATIENCE, usePortal } from './portal-browser.ts'

const REFUSAL = 'Der Endpunkt ist abgeschaltet. Schalten Sie ihn zuerst ein.'

describe.runIf(hasChromium || process.env['CI'] !== undefined)('The portal, in Chromium', () => {
  const { server, as, open } = usePortal()

  /** Holds the answers of a method until it is called. */
  async function hold(page: Page, method: string, path: string): Promise<() => void> {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(path, async (route) => {
      if (route.request().method() === method) await released
      await route.continue()
    })
    return release
  }

  const act = async (page: Page, name: string, item: string) => {
    await button(page, `More actions for ${name}`).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  const secret = (page: Page) => dialog(page).locator('.secret code')
  const stored = (page: Page) => button(page, 'I have stored it').click()
  const keysOf = async (page: Page, name: string) => {
    const answer = await page.request.get(`${server.url}/v1/organizations/${ACME}/api-keys`)
    const keys: { name: string; masked_key: string }[] = await answer.json()
    return keys.filter((key) => key.name === name)
  }

  it('shows a key or a secret until it is stored, whatever Esc, Cancel or Back do meanwhile', async () => {
    const page = await open('admin@acme.example', 'events')
    await page.goto(`${server.url}/portal/#/${ACME}/api-keys`)
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
    const create = button(page, 'Create key')
    await create.first().click()
    await dialog(page).getByLabel('Name').fill('Shown until stored')
    const release = await hold(page, 'POST', '**/api-keys')
    await dialog(page).getByRole('button', { name: 'Create key' }).click()
    // It runs: the key may exist already.
    await dialog(page).locator('[aria-busy]').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    expect(await button(page, 'Cancel').isDisabled()).toBe(true)
    await page.goBack()
    await page.getByRole('heading', { name: 'Leave this page?' }).waitFor()
    await button(page, 'Stay').click()
    await page.goBack()
    await page.getByText('The request is still running.').waitFor()
    release()

    await secret(page).waitFor()
    await page.getByText('The request is still running.').waitFor({ state: 'detached' })
    const key = String(await secret(page).textContent())
    for (let pressed = 0; pressed < 4; pressed += 1) await page.keyboard.press('Escape')
    await page.goBack()
    await page.getByText('This is shown only once.').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    expect(await secret(page).textContent()).toBe(key)
    await stored(page)
    await row(page, 'Shown until stored').waitFor()
    // In a year: a date, not "next yr".
    const year = new Date(Date.now() + 365 * 86_400_000).getFullYear()
    expect(await row(page, 'Shown until stored').locator('time').textContent()).toContain(String(year))
    expect(await keysOf(page, 'Shown until stored')).toHaveLength(1)
    // The first key has replaced the button of the empty list, so the title has the focus.
    await page.locator('h1:focus').waitFor()
    await create.click()
    await dialog(page).getByLabel('Name').waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await page.locator('button:focus', { hasText: 'Create key' }).waitFor()
  })

  it('rotates a secret and adds an endpoint without losing what is shown once', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Rotated')
    const page = await open('admin@acme.example', `endpoints/${id}`)
    await button(page, 'Rotate…').click()
    await dialog(page).getByLabel('no longer, because it has leaked').check()
    const release = await hold(page, 'POST', '**/rotate-secret')
    await button(page, 'Issue a new secret').click()
    await dialog(page).locator('[aria-busy]').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    release()
    expect(await secret(page).textContent()).toMatch(/^whsec_/)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await stored(page)
    await page.locator('button:focus', { hasText: 'Rotate…' }).waitFor()

    await page.goto(`${server.url}/portal/#/${ACME}/endpoints/new`)
    await page.getByLabel('Name', { exact: true }).fill('Added')
    await page.getByLabel('URL').fill(admin.receiver)
    await button(page, 'Add an endpoint').click()
    await secret(page).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    expect(await secret(page).textContent()).toMatch(/^whsec_/)
    await stored(page)
    await page.getByRole('heading', { name: 'Added' }).waitFor()
  })

  it('asks before a dialog closes in which somebody has typed', async () => {
    const page = await open('admin@acme.example', 'api-keys')
    await button(page, 'Create key').first().click()
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('Half-typed')
    const question = page.getByRole('heading', { name: 'Discard what you entered?' })
    await page.keyboard.press('Escape')
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    expect(await name.inputValue()).toBe('Half-typed')
    await button(page, 'Cancel').click()
    await question.waitFor()
    await button(page, 'Leave').click()
    await dialog(page).waitFor({ state: 'detached' })
  })

  it('asks before a half-typed form is left, by a tab, Cancel, Back or Reload', async () => {
    const page = await open('admin@acme.example', 'endpoints')
    const add = () => page.getByRole('button', { name: 'Add an endpoint' }).first().click()
    const name = page.getByLabel('Name', { exact: true })
    const question = page.getByText('What you have entered is not saved.')
    const stay = async () => {
      await question.waitFor()
      await button(page, 'Stay').click()
      expect(await name.inputValue()).toBe('Half-typed')
    }
    await add()
    await name.fill('Half-typed')
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await stay()
    await button(page, 'Cancel').click()
    await stay()
    await page.goBack()
    await stay()
    const isUnloaded = "dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    expect(await page.evaluate(isUnloaded)).toBe(false)

    await page.goBack()
    await button(page, 'Leave').click()
    await page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor()
    await expect.poll(() => page.evaluate(isUnloaded), PATIENCE).toBe(true)
    // What nobody typed in is left without a question.
    await add()
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
  })

  it('asks before the form is left by a click that comes before the page is painted', async () => {
    const page = await open('admin@acme.example', 'endpoints/new')
    await page.getByLabel('Name', { exact: true }).waitFor()
    await page.evaluate(`(async () => {
      const field = document.querySelector('form input')
      field.value = 'Half-typed'
      field.dispatchEvent(new Event('input', { bubbles: true }))
      await new Promise((resolve) => setTimeout(resolve))
      const links = [...document.querySelectorAll('a')]
      links.find(({ textContent }) => textContent.includes('Deliveries')).click()
    })()`)
    await page.getByText('What you have entered is not saved.').waitFor()
  })

  it('says when an endpoint or a key could not be switched on, and where a form is wrong', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Off')
    await admin.send('PATCH', `/webhooks/${id}`, 200, { is_enabled: false })
    const page = await open('admin@acme.example', `endpoints/${id}`)
    await page.route(/\/(webhooks\/[^/]+|activate)$/, (route) =>
      ['PATCH', 'POST'].includes(route.request().method())
        ? route.fulfill({ status: 500, json: { code: 'INTERNAL_ERROR', detail: 'no' } })
        : route.continue(),
    )
    const failed = page.getByRole('alert').getByText('The service failed. Try again.')
    await button(page, 'Enable').click()
    await failed.waitFor()

    await page.getByRole('link', { name: 'API keys' }).click()
    await failed.waitFor({ state: 'detached' })
    await button(page, 'Create key').first().click()
    await dialog(page).getByLabel('Name').fill('Switched on')
    await dialog(page).getByRole('button', { name: 'Create key' }).click()
    await stored(page)
    await act(page, 'Switched on', 'Deactivate')
    await button(page, 'Deactivate').click()
    await row(page, 'Switched on').getByText('Inactive').waitFor()
    await act(page, 'Switched on', 'Activate')
    await failed.waitFor()

    // A menu that the keyboard leaves is closed.
    const more = button(page, 'More actions for Switched on')
    await more.click()
    await page.locator('[role=menuitem]:focus').waitFor()
    await page.keyboard.press('Tab')
    await page.getByRole('menu').waitFor({ state: 'hidden' })
  })

  it('says why a resend, a replay or a test did not work, in the language of the reader', async () => {
    const admin = await as('admin@acme.example')
    await admin.endpoint('Beside it')
    const { id } = await admin.endpoint('Refused')
    await admin.answer('broken')
    await admin.quote('Refused')
    const page = await open('admin@acme.example', `endpoints/${id}`, { locale: 'de-DE' })
    await button(page, 'Test senden').click()
    await dialog(page).getByRole('button', { name: 'Senden' }).click()
    await dialog(page).getByText('Nicht zugestellt: Der Empfänger hat mit 500 geantwortet.').waitFor()
    await dialog(page).getByText('Der Empfänger ist gescheitert. Sehen Sie in sein Protokoll.').waitFor()
    await admin.answer('ok')

    const [attempt] = await admin.send<{ delivery_id: string }[]>(
      'GET',
      `/webhooks/deliveries?endpoint_id=${id}&undelivered=all`,
      200,
    )
    await admin.send('PATCH', `/webhooks/${id}`, 200, { is_enabled: false })
    await page.goto(`${server.url}/portal/#/${ACME}/deliveries/${attempt?.delivery_id}`)
    await button(page, 'Jetzt senden').click()
    await page.getByRole('alert').getByText(REFUSAL).waitFor()
    await page.goto(`${server.url}/portal/#/${ACME}/deliveries?endpoint=${id}`)
    await page.reload()
    await page.getByRole('button', { name: 'Nachholen' }).click()
    await dialog(page).locator('option', { hasText: 'Refused (abgeschaltet)' }).waitFor({ state: 'attached' })
    await dialog(page).getByText(REFUSAL).waitFor()
    await button(page, 'Nachholen starten').click()
    await dialog(page).getByRole('alert').getByText(REFUSAL).waitFor()
  })

  it('leads to the first wrong field, and to a header that is added', async () => {
    const page = await open('admin@acme.example', 'endpoints/new')
    await button(page, 'Add an endpoint').click()
    await page.getByText('2 fields need your attention.').waitFor()
    expect(await page.locator(':focus').getAttribute('id')).toBe(
      await page.getByLabel('Name', { exact: true }).getAttribute('id'),
    )
    await page.getByLabel('Name', { exact: true }).fill('Wrong')
    await page.getByLabel('URL').fill('https://localhost/')
    // What only the API finds.
    await button(page, 'Add an endpoint').click()
    await page.locator('input[type=url]:focus').waitFor()
    await page.getByText('More options').click()
    await button(page, 'Add a header').click()
    await page.locator('.header-name:focus').waitFor()
    await button(page, 'Remove ').click()
    await page.locator('button:focus', { hasText: 'Add a header' }).waitFor()
  })

  it.each([
    ['right', 0],
    ['three minutes slow', -180_000],
  ])('counts down and back by the time of the service, on a clock that is %s', async (_, wrong) => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint(`Clock ${wrong}`)
    await admin.answer('broken')
    const page = await open(null, '')
    await page.clock.install({ time: Date.now() + wrong })
    await page.context().request.post(`${server.url}/login`, {
      data: { email: 'admin@acme.example', password: DEMO_PASSWORD },
    })
    await admin.quote(`Seen by a clock ${wrong}`)
    await page.goto(`${server.url}/portal/#/${ACME}/deliveries?endpoint=${id}&show=all`)
    const retrying = page.getByText(/^Retrying in \d+ min$/)
    await retrying.waitFor()
    const when = page.locator('tbody time').first()
    expect(await when.textContent()).not.toMatch(/^in /)

    // From now on this page is alone with its clock: no answer corrects it.
    await page.route('**/v1/**', (route) => route.abort())
    await page.clock.pauseAt(Date.now() + wrong + 5000)
    const status = page.locator('tbody .status').first()
    for (let run = 0; run < 60 && (await status.textContent())?.includes('min'); run += 1) {
      await page.clock.runFor(15_000)
    }
    const seconds = async () =>
      Number(/^Retrying in (\d+) sec$/.exec(String(await status.textContent()))?.[1])
    const before = await seconds()
    await page.clock.runFor(3000)
    await expect.poll(seconds).toBe(before - 3)
    expect(await when.textContent()).toMatch(/^\d+ min ago$/)

    await admin.answer('ok')
  })
})
