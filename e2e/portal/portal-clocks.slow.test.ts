import { button, dialog, hasChromium, type Page } from '@quickquote/dev-servers/browser'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ACME, DEMO_PASSWORD } from '../../examples/demo/src/members.ts'
import { usePortal } from './portal-browser.ts'

const NEW_YORK = { timezoneId: 'America/New_York' }
const DAY_MS = 86_400_000

describe.runIf(hasChromium || process.env['CI'] !== undefined)(
  'The clocks of the portal, in Chromium',
  () => {
    const { server, open } = usePortal()

    /** A member of Acme at another time, by the clock of the page and of the service. */
    async function openAt(time: string, path: string): Promise<Page> {
      const page = await open(null, '', NEW_YORK)
      onTestFinished(() => page.unrouteAll({ behavior: 'ignoreErrors' }))
      await page.clock.setFixedTime(time)
      await page.route('**/v1/**', async (route) => {
        // The service has no counts of then.
        if (route.request().url().includes('/hours')) return route.fulfill({ json: [] })
        const response = await route.fetch()
        await route.fulfill({
          response,
          headers: { ...response.headers(), date: new Date(time).toUTCString() },
        })
      })
      const data = { email: 'admin@acme.example', password: DEMO_PASSWORD }
      await page.context().request.post(`${server.url}/login`, { data })
      await page.goto(`${server.url}/portal/#/${ACME}/${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      return page
    }

    it('name the hour that comes twice with its offset: in the chart, the filter and the address', async () => {
      const page = await openAt('2026-11-01T08:30:00Z', 'deliveries')
      const bars = page.locator('.chart-bars button')
      await expect.poll(() => bars.count()).toBe(24)
      const names = await bars.evaluateAll((all) => all.map((bar) => String(bar.getAttribute('title'))))
      const twice = names.filter((name) => name.includes('1:00')).map((name) => name.split(': ')[0])
      expect(twice.slice(-2).map((name) => name?.split(' ').at(-1))).toEqual(['GMT-4', 'GMT-5'])
      expect(new Set(names).size).toBe(24)

      const query = () => new URL(page.url().replace('#', '')).searchParams
      await bars.nth(names.findLastIndex((name) => name.includes('GMT-5'))).click()
      const offset = page.getByLabel('From: before or after the clocks go back')
      await offset.waitFor()
      expect(query().get('since')).toBe('2026-11-01T06:00:00.000Z')
      expect(await offset.locator('option').allTextContents()).toEqual(['GMT-4', 'GMT-5'])
      // The same time again is the same hour.
      const from = page.getByLabel('From', { exact: true })
      expect(await from.inputValue()).toBe('2026-11-01T01:00')
      await from.dispatchEvent('change')
      expect(query().get('since')).toBe('2026-11-01T06:00:00.000Z')
      await offset.selectOption('GMT-4')
      await expect.poll(() => query().get('since')).toBe('2026-11-01T05:00:00.000Z')
      expect(await from.inputValue()).toBe('2026-11-01T01:00')
      // An empty one says that it is empty, whatever the browser shows in it.
      await from.fill('')
      await page.getByText('Fromany').waitFor()
    })

    it('offer the viewer’s days for a key, from tomorrow until the last one that the service accepts', async () => {
      const now = '2026-11-28T02:00:00Z'
      const page = await openAt(now, 'api-keys')
      await button(page, 'Create key').first().click()
      await dialog(page).getByLabel('Expires').selectOption('date')
      const day = dialog(page).getByLabel('Last day')
      expect(await day.getAttribute('min')).toBe('2026-11-28')
      const last = String(await day.getAttribute('max'))
      // It ends at 23:59:59 in New York.
      const end = Date.parse(`${last}T23:59:59-05:00`)
      expect(end).toBeLessThanOrEqual(Date.parse(now) + 731 * DAY_MS)
      expect(end).toBeGreaterThan(Date.parse(now) + 730 * DAY_MS)
    })
  },
)
