import { button, dialog, hasChromium, row } from '@quickquote/dev-servers/browser'
import { describe, expect, it, onTestFinished } from 'vitest'
import { expectFits, usePortal } from './portal-browser.ts'

const EMAIL = 'admin@acme.example'
const LONG = `Long ${'o'.repeat(195)}`

describe.runIf(hasChromium || process.env['CI'] !== undefined)(
  'The portal on small screens, in Chromium',
  () => {
    const { as, open } = usePortal()

    it('has a header for members of two organizations, whose name is cut', async () => {
      const page = await open(null, '', { viewport: { width: 360, height: 700 } })
      onTestFinished(() => page.unrouteAll({ behavior: 'ignoreErrors' }))
      await page.route('**/me', async (route) => {
        const me = await (await route.fetch()).json()
        const organizations = [
          { ...me.organization, name: LONG },
          { id: me.organization.id, name: 'Other' },
        ]
        await route.fulfill({ json: { ...me, organization: organizations[0], organizations } })
      })
      const member = await open(EMAIL, 'api-keys')
      await page.context().addCookies(await member.context().cookies())
      for (const width of [360, 320]) {
        await page.setViewportSize({ width, height: 700 })
        await page.goto(member.url().replace('/portal/', `/portal/?${width}`))
        await button(page, `Switch organization (now ${LONG})`).waitFor()
        await expectFits(page, `${width} px`)
        await page.getByRole('link', { name: 'API reference' }).click({ trial: true })
      }
    })

    it('shows a name of 200 letters on one line, with the whole in its title', async () => {
      const admin = await as(EMAIL)
      await admin.endpoint(LONG)
      await admin.quote(LONG)
      await admin.send('POST', '/api-keys', 201, {
        name: LONG,
        expires_at: new Date(Date.now() + 10 * 86_400_000).toISOString(),
      })
      const page = await open(EMAIL, 'endpoints')
      for (const [width, highest] of [
        [1440, 42],
        [1000, 62],
      ] as const) {
        await page.setViewportSize({ width, height: 700 })
        for (const name of ['Endpoints', 'Deliveries', 'API keys']) {
          await page.getByRole('link', { name, exact: name !== 'Endpoints' }).click()
          await page
            .locator('tbody tr', { has: page.locator(`[title="${LONG}"]`) })
            .first()
            .waitFor()
          const box = await row(page, LONG).first().boundingBox()
          expect([name, width, Number(box?.height) <= highest]).toEqual([name, width, true])
          await expectFits(page, `${name} at ${width}`)
        }
      }
    })

    it('has the time of an audit entry beside its name, and breaks no event name inside a word', async () => {
      const admin = await as(EMAIL)
      await admin.endpoint(LONG)
      const page = await open(EMAIL, 'audit-log', { viewport: { width: 360, height: 700 } })
      await page.locator('tbody time').first().waitFor()
      // Measured at once: the time's text changes.
      const gap = `document.querySelector('tbody .phone-end').getBoundingClientRect().left -
      document.querySelector('tbody th').getBoundingClientRect().right`
      expect(await page.evaluate<number>(gap)).toBeGreaterThanOrEqual(0)
      expect(await page.locator('tbody strong').first().getAttribute('title')).toBe(LONG)
      // A line ends only after a dot or an underscore: each part is on one line.
      const lines = (await page.evaluate(
        `[...document.querySelectorAll('[dir=ltr] > span')].map((part) =>
        [...part.getClientRects()].filter(({ width }) => width > 0).length)`,
      )) as number[]
      expect(lines.length).toBeGreaterThan(2)
      expect(Math.max(...lines)).toBe(1)
    })

    it('can be used at 400 %: a dialog scrolls as a whole', async () => {
      const page = await open(EMAIL, 'api-keys', { viewport: { width: 320, height: 225 } })
      await button(page, 'Create key').first().click()
      await dialog(page).getByLabel('Name').fill('At 400 %')
      await dialog(page).getByRole('button', { name: 'Create key' }).click()
      await button(page, 'I have stored it').click()
      await expectFits(page, '400 %')
    })

    it('prints what can be read, and nothing to click', async () => {
      const page = await open(EMAIL, 'events')
      await page.locator('summary').first().click()
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      await page.getByRole('navigation').waitFor({ state: 'hidden' })
      expect(await page.locator('main button:visible').count()).toBe(0)
      const code = page.locator('.code').first()
      const cut = 'element.scrollHeight - element.clientHeight'
      expect(
        await code.evaluate(new Function('element', `return ${cut}`) as (element: unknown) => number),
      ).toBe(0)
    })
  },
)
