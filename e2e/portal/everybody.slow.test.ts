import { readFile } from 'node:fs/promises'
import { button, dialog, hasChromium, type Page, row } from '@quickquote/dev-servers/browser'
import postgres from 'postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { choose, press, type } from './keyboard.ts'
import { PATIENCE, usePortal } from './portal-browser.ts'

/** For many steps, each of which may be slow. */
const JOURNEY_MS = 300_000

/** The jobs of an admin, besides those of portal-access.slow.test.ts, and the page beside the portal. */
describe.runIf(hasChromium || process.env['CI'] !== undefined)('For everybody, in Chromium', () => {
  const { server, as, open } = usePortal()

  const rows = (page: Page) => page.locator('.deliveries tbody tr')
  const filter = (page: Page, label: string, key: string) =>
    press(page, page.getByLabel(label, { exact: true }), key)
  const search = async (page: Page, text: string) => {
    await type(page, page.getByRole('searchbox'), text)
    await page.keyboard.press('Enter')
  }
  const shows = (page: Page, count: number) => expect.poll(() => rows(page).count(), PATIENCE).toBe(count)

  it(
    'by keyboard alone: finds deliveries by filters, the chart and a search; then an event at all endpoints, and its resends',
    async () => {
      const admin = await as('admin@acme.example')
      const { id } = await admin.endpoint('Zebra')
      await admin.answer('broken')
      await admin.quote('Sought')
      const sent = () =>
        admin.send<{ event_id: string }[]>('GET', `/webhooks/deliveries?endpoint_id=${id}`, 200)
      await expect.poll(sent, PATIENCE).toHaveLength(1)
      const [first] = await sent()
      await admin.answer('ok')
      await admin.send('POST', `/webhooks/${id}/test`, 200, { event_type: 'quotation.failed' })
      const page = await open('admin@acme.example', 'deliveries')
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await filter(page, 'Endpoint', 'Z')
      await shows(page, 2)
      await filter(page, 'Response', '5')
      await shows(page, 1)
      await filter(page, 'Response', 'Home')
      await filter(page, 'Event', 'q')
      await page.keyboard.type('uotation.failed')
      await shows(page, 2)
      await filter(page, 'Event', 'Home')
      await filter(page, 'Time', 'A')
      // A free range of time: from now on, nothing.
      await press(page, page.getByLabel('From'), '0')
      await page.keyboard.type('1012035')
      await page.keyboard.press('Tab')
      await page.keyboard.type('1200AM')
      await page.getByText('Nothing found').waitFor()
      await filter(page, 'Time', 'E')
      await shows(page, 2)

      // A bar of the chart is one stop; arrows choose the hour.
      await press(page, page.locator('.chart button[tabindex="0"]'), 'Home')
      await page.keyboard.press('Enter')
      await page.getByText('Nothing found').waitFor()

      await search(page, String(first?.event_id))
      await shows(page, 1)
      await press(page, page.getByRole('link', { name: /Retrying/ }))
      await press(page, button(page, 'Resend now'))
      await page.getByText('204 No Content').first().waitFor()
      await press(page, page.locator('.facts div').filter({ hasText: 'Resend of' }).getByRole('link'))
      await page.getByText('500 Internal Server Error').first().waitFor()
      await press(page, page.locator('.facts div').filter({ hasText: 'Resent as' }).getByRole('link'))
      await page.getByText('204 No Content').first().waitFor()
      const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
      for (const [name, text] of [
        ['Copy: Event ID', /^evt_/],
        ['Copy: URL', /^https:/],
        ['Copy as curl', /^# Unsigned/],
      ] as const) {
        await press(page, button(page, name))
        await expect.poll(copied, PATIENCE).toMatch(text)
      }
      await press(page, page.getByRole('link', { name: 'All its deliveries' }).first())
      await shows(page, 2)
      await press(page, page.locator('.head-button'))
      await page.locator('.head-button[aria-pressed="true"]').waitFor()
    },
    JOURNEY_MS,
  )

  it(
    'by keyboard alone: replays an endpoint, finds the replay again, and goes from its chart to an hour',
    async () => {
      const admin = await as('admin@acme.example')
      const { id } = await admin.endpoint('Replayed')
      await admin.quote('Delivered twice')
      const page = await open('admin@acme.example', `endpoints/${id}`)
      await press(page, button(page, 'More actions for Replayed'))
      await page.locator('[role=menuitem]:focus').waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await press(page, dialog(page).getByLabel('Missed'), 'ArrowUp')
      await page.getByText(/[1-9]\d* events? will be sent/).waitFor()
      await press(page, button(page, 'Start the replay'))
      await page.getByRole('heading', { name: 'Replay completed' }).waitFor()
      await press(page, button(page, 'Close'))
      await press(page, button(page, 'Replay completed'))
      await dialog(page).getByText('is sent again').or(dialog(page).getByText('are sent again')).waitFor()
      await page.keyboard.press('Escape')
      await press(page, page.locator('.chart button[tabindex="0"]'), 'Enter')
      await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
      expect(new URL(page.url()).hash).toMatch(/span=own/)
    },
    JOURNEY_MS,
  )

  it(
    'by keyboard alone: stops a replay',
    async () => {
      const admin = await as('admin@acme.example')
      const { id } = await admin.endpoint('Stopped')
      await admin.quote('Delivered once')
      const sent = () => admin.send<object[]>('GET', `/webhooks/deliveries?endpoint_id=${id}`, 200)
      await expect.poll(sent, PATIENCE).toHaveLength(1)
      const page = await open('admin@acme.example', `endpoints/${id}`)
      const sql = postgres(server.databaseUrl, { max: 1 })
      onTestFinished(() => sql.end())
      await sql.begin(async (tx) => {
        // No worker continues a replay as long as its endpoint is locked.
        await tx`select from quickquote.webhook_endpoints where id = ${id} for update`
        await choose(page, 'More actions for Stopped', 'Replay…')
        await press(page, dialog(page).getByLabel('Missed'), 'ArrowUp')
        await page.getByText(/[1-9]\d* events? will be sent/).waitFor()
        await press(page, button(page, 'Start the replay'))
        await page.getByRole('heading', { name: 'Replay in progress' }).waitFor()
        await press(page, button(page, 'Stop'))
        await page.getByRole('heading', { name: 'Replay stopped' }).waitFor()
      })
      await press(page, button(page, 'Close'))
      await press(page, button(page, 'Replay stopped'))
      await dialog(page).getByText('0 events are sent again').waitFor()
    },
    JOURNEY_MS,
  )

  it(
    'by keyboard alone: rolls a key, then finds in the audit log who did it, and exports it',
    async () => {
      const page = await open('admin@acme.example', 'api-keys')
      await press(page, button(page, 'Create key').first())
      await type(page, dialog(page).getByLabel('Name'), 'Rolled')
      await page.keyboard.press('Enter')
      await press(page, button(page, 'I have stored it'))
      await press(page, button(page, 'More actions for Rolled'))
      await page.locator('[role=menuitem]:focus').waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await press(page, dialog(page).getByLabel('for a day'), 'ArrowDown')
      await dialog(page)
        .getByText(/^pk_.* works until /)
        .waitFor()
      await press(page, button(page, 'Create the new key'))
      await press(page, button(page, 'I have stored it'))
      await expect.poll(() => row(page, 'Rolled').count(), PATIENCE).toBe(2)

      await press(page, page.getByRole('navigation').getByRole('link', { name: 'Audit log' }))
      await row(page, 'Rolled the key').getByText('Ada Becker').waitFor()
      await press(page, page.getByLabel('Action'), 'K')
      await press(page, page.getByLabel('Who'), 'A')
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        press(page, button(page, 'Export as CSV')),
      ])
      expect(await readFile(await file.path(), 'utf8')).toContain('Rolled')
    },
    JOURNEY_MS,
  )
})
