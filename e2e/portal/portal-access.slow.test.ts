import { button, dialog, hasChromium, type Page, row } from '@quickquote/dev-servers/browser'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { ACME, DEMO_PASSWORD, GLOBEX } from '../../examples/demo/src/members.ts'
import { choose, press, type } from './keyboard.ts'
import {
  expectAccessible,
  expectFits,
  expectNoViolations,
  PATIENCE,
  usePortal,
  VIEWS,
} from './portal-browser.ts'

/** For many steps, each of which may be slow. */
const JOURNEY_MS = 300_000
describe.runIf(hasChromium || process.env['CI'] !== undefined)(
  'The portal, for everybody, in Chromium',
  () => {
    const { server, as, open, everyScreen, goTo } = usePortal()

    describe('by keyboard alone', () => {
      it(
        'goes from the first empty screen to a verified webhook',
        async () => {
          const admin = await as('admin@globex.example')
          const page = await open('admin@globex.example', 'endpoints')
          await press(page, page.locator('main').getByRole('button', { name: 'Add an endpoint' }).last())
          await type(page, page.getByLabel('Name'), 'By keyboard')
          await type(page, page.getByLabel('URL'), admin.receiver)
          await press(page, page.getByLabel('All of quotation'), 'Space')
          await press(page, page.getByLabel('quotation.completed'), 'Space')
          await press(page, page.getByText('More options'))
          // The radio buttons are one stop; arrows choose.
          await press(page, page.getByLabel('As fast as possible'), 'ArrowDown')
          await press(page, button(page, 'Add an endpoint'))

          await admin.trust(String(await dialog(page).locator('.secret code').textContent()))
          await page.keyboard.press('Escape')
          await press(page, button(page, 'I have stored it'))
          await page.getByText('In order, for each quote').waitFor()
          await press(page, button(page, 'Send a test'))
          await press(page, button(page, 'Send'))
          await page.getByText('Your receiver responded with 204. It works.').waitFor()
          await press(page, page.getByRole('link', { name: 'See the request and the response' }))
          await page.getByRole('heading', { name: 'quotation.completed', level: 1 }).waitFor()
          await page.getByText('204 No Content').first().waitFor()
        },
        JOURNEY_MS,
      )

      it(
        'rotates a secret, edits, disables, enables and deletes an endpoint',
        async () => {
          const admin = await as('admin@acme.example')
          await admin.endpoint('Keyed')
          const page = await open('admin@acme.example', 'endpoints')
          await press(page, page.getByRole('link', { name: 'Keyed' }))
          await choose(page, 'More actions for Keyed', 'Rotate…')
          await press(page, dialog(page).getByLabel('for a day'), 'ArrowDown')
          await press(page, button(page, 'Issue a new secret'))
          await press(page, button(page, 'I have stored it'))
          await page.getByText(/also signed with the previous secret whsec_….{4} until/).waitFor()

          await press(page, button(page, 'Edit'))
          await type(page, page.getByLabel('Name'), 'Keyed again')
          await page.keyboard.press('Enter')
          await page.getByRole('heading', { name: 'Keyed again' }).waitFor()

          await choose(page, 'More actions for Keyed again', 'Disable…')
          await press(page, button(page, 'Disable endpoint'))
          await page.getByText('Nothing is sent to this endpoint.').waitFor()
          await press(page, button(page, 'Enable'))
          await page.getByText('Nothing is sent to this endpoint.').waitFor({ state: 'detached' })

          await choose(page, 'More actions for Keyed again', 'Delete…')
          await dialog(page).waitFor()
          await page.keyboard.press('Escape')
          await dialog(page).waitFor({ state: 'detached' })
          await choose(page, 'More actions for Keyed again', 'Delete…')
          await press(page, button(page, 'Delete endpoint'))
          await page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor()
        },
        JOURNEY_MS,
      )

      it(
        'finds an undelivered event, sends it again, and replays',
        async () => {
          const admin = await as('admin@acme.example')
          const { id } = await admin.endpoint('Broken')
          await admin.answer('broken')
          await admin.quote('Not delivered')
          const page = await open('admin@acme.example', `deliveries?endpoint=${id}`)
          await press(page, button(page, 'Undelivered'))
          await press(page, page.getByRole('link', { name: /Retrying/ }))
          await page.getByText('500 Internal Server Error').first().waitFor()
          await admin.answer('ok')
          await press(page, button(page, 'Resend now'))
          await page.getByText('204 No Content').first().waitFor()

          await press(page, page.getByRole('navigation').getByRole('link', { name: 'Deliveries' }))
          await press(page, button(page, 'Replay…'))
          // An arrow up wraps from the first option to the last, all events.
          await press(page, dialog(page).getByLabel('Missed'), 'ArrowUp')
          // Missed events, the default, would be none.
          await page.getByText(/[1-9]\d* events? will be sent/).waitFor()
          await press(page, button(page, 'Start the replay'))
          await page.getByRole('heading', { name: 'Replay completed' }).waitFor()
          await press(page, button(page, 'Close'))
          await press(page, page.getByRole('navigation').getByRole('link', { name: 'Audit log' }))
          await row(page, 'Resent a delivery to Broken').waitFor()
          await press(page, page.getByRole('navigation').getByRole('link', { name: 'Events' }))
          await press(page, page.locator('summary', { hasText: 'quotation.failed' }))
          await page.getByText('"generation_source"').last().waitFor()
        },
        JOURNEY_MS,
      )

      it(
        'creates, renames, deactivates, replaces and revokes a key',
        async () => {
          const page = await open('member@acme.example', 'api-keys')
          const create = async (name: string) => {
            await press(page, button(page, 'Create key').first())
            await type(page, dialog(page).getByLabel('Name'), name)
            await page.keyboard.press('Enter')
            await press(page, button(page, 'I have stored it'))
            await row(page, name).getByText('Active', { exact: true }).waitFor()
          }
          await create('Typed')
          await choose(page, 'More actions for Typed', 'Rename…')
          await type(page, dialog(page).getByLabel('Name'), 'Renamed')
          await page.keyboard.press('Enter')
          await row(page, 'Renamed').waitFor()
          await choose(page, 'More actions for Renamed', 'Deactivate')
          await press(page, button(page, 'Deactivate'))
          await row(page, 'Renamed').getByText('Inactive').waitFor()
          await choose(page, 'More actions for Renamed', 'Activate')
          await row(page, 'Renamed').getByText('Active', { exact: true }).waitFor()
          await choose(page, 'More actions for Renamed', 'Revoke…')
          await press(page, button(page, 'Revoke key'))
          await row(page, 'Renamed').getByText('Revoked').waitFor()
        },
        JOURNEY_MS,
      )
    })

    it('reports too many requests, waits briefly by itself, and repeats no change', async () => {
      const page = await open('admin@acme.example', 'events')
      const keys = '**/api-keys*'
      const seen: string[] = []
      let retryAfter = '1'
      await page.route(keys, (route) => {
        seen.push(route.request().method())
        if (retryAfter === '') return route.continue()
        return route.fulfill({
          status: 429,
          headers: { 'Retry-After': retryAfter },
          json: { code: 'RATE_LIMITED' },
        })
      })
      const nav = page.getByRole('navigation')
      await nav.getByRole('link', { name: 'API keys' }).click()
      await vi.waitFor(() => expect(seen.length).toBeGreaterThan(1), PATIENCE)
      retryAfter = ''
      await button(page, 'Create key').first().click()
      await page.locator('main .skeleton').waitFor({ state: 'detached' })

      retryAfter = '60'
      await dialog(page).getByLabel('Name').fill('Kept while it waits')
      const before = seen.length
      await dialog(page).getByRole('button', { name: 'Create key' }).click()
      await page.getByText('Too many requests. Try again in 60 seconds.').waitFor()
      expect(seen.slice(before)).toEqual(['POST'])
      expect(await dialog(page).getByLabel('Name').inputValue()).toBe('Kept while it waits')
      retryAfter = ''
      await dialog(page).getByRole('button', { name: 'Create key' }).click()
      await button(page, 'I have stored it').click()
      await row(page, 'Kept while it waits').waitFor()
    })

    it('shows the command that forwards events to your machine', async () => {
      const page = await open('admin@acme.example', 'endpoints')
      await button(page, 'Try it on my machine').first().click()
      const command = String(await dialog(page).locator('pre').textContent())
      expect(command).toContain(`npx @quickquote/client listen`)
      expect(command).toContain(`--base-url ${server.url} `)
      expect(command).toContain('--forward-to http://localhost:4000/webhooks')
    })

    it.each(VIEWS)(
      'dialogs, menus and empty screens fit, and axe finds nothing there, light and dark: $width px, $locale',
      async ({ width, locale, hasAxe }) => {
        const admin = await as('admin@acme.example')
        const { id } = await admin.endpoint('Looked at')
        const options = { locale, reducedMotion: 'reduce', viewport: { width, height: 900 } } as const
        const look = async (page: Page, what: string) => {
          if (hasAxe) await expectAccessible(page, what)
          await expectFits(page, what)
        }

        const page = await open('admin@acme.example', `endpoints/${id}`, options)
        const menu = page.locator('main .page-head [aria-haspopup="menu"]')
        await page.locator('.event-list li').first().waitFor()
        await menu.click()
        await page.getByRole('menuitem').first().waitFor()
        await look(page, 'menu')
        const items = await page.getByRole('menuitem').count()
        await page.keyboard.press('Escape')
        for (let index = 0; index < items; index += 1) {
          await menu.click()
          await page.getByRole('menuitem').nth(index).click()
          await dialog(page).waitFor()
          await look(page, `dialog ${index} of the menu`)
          await page.keyboard.press('Escape')
          await dialog(page).waitFor({ state: 'detached' })
        }
        // "Send a test" and "Check the receiver", then "How to verify".
        const head = page.locator('main .page-head .actions button')
        await head.nth(0).click()
        await dialog(page).waitFor()
        await look(page, 'test')
        await page.keyboard.press('Escape')
        await dialog(page).waitFor({ state: 'detached' })
        await head.nth(1).click()
        await dialog(page).locator('footer button').last().click()
        await dialog(page).locator('.lines li').first().waitFor()
        await look(page, 'check')
        await page.keyboard.press('Escape')
        await dialog(page).waitFor({ state: 'detached' })
        await page.locator('main .card button.quiet').first().click()
        await dialog(page).locator('.code').first().waitFor()
        await look(page, 'verify')
        await page.keyboard.press('Escape')

        await page.goto(`${server.url}/portal/?listen#/${ACME}/endpoints`)
        await page.locator('main table').waitFor()
        await page.locator('main .page-head .actions button').first().click()
        await dialog(page).waitFor()
        await look(page, 'listen')
        await page.goto(`${server.url}/portal/?key#/${ACME}/api-keys`)
        await page.locator('main .button.primary').click()
        await dialog(page).waitFor()
        await look(page, 'new key')

        // The other organization has no key.
        await page.context().request.post(`${server.url}/login`, {
          data: { email: 'member@globex.example', password: DEMO_PASSWORD },
        })
        await page.goto(`${server.url}/portal/?empty#/${GLOBEX}/api-keys`)
        await page.locator('main .empty').waitFor()
        await look(page, 'empty')
      },
      JOURNEY_MS,
    )

    it.each([1440, 320])(
      'fits a right-to-left language and forced colors: %i px',
      async (width) => {
        const page = await open('admin@acme.example', 'events', {
          forcedColors: 'active',
          viewport: { width, height: 900 },
        })
        // The settings of a host with its own language.
        await page.route('**/portal/?*', async (route) => {
          const response = await route.fetch()
          const html = await response.text()
          const messages = { ar: { 'keys.title': 'مفاتيح', 'endpoints.title': 'نقاط النهاية' } }
          await route.fulfill({
            response,
            body: html.replace(
              /(id="settings"[^>]*>\{)/,
              `$1"locale":"ar","messages":${JSON.stringify(messages)},`,
            ),
          })
        })
        for (const [index, path] of ['api-keys', 'endpoints', 'deliveries', 'audit-log'].entries()) {
          await page.goto(`${server.url}/portal/?${index}#/${ACME}/${path}`)
          await page.getByRole('heading', { level: 1 }).waitFor()
          await page.locator('main :is(table, .empty)').first().waitFor()
          expect(await page.locator('.portal').getAttribute('dir')).toBe('rtl')
          await expectFits(page, path)
          await expectNoViolations(page, path)
        }
        await page.goto(`${server.url}/portal/?5#/${ACME}/endpoints`)
        await page.getByRole('heading', { level: 1, name: 'نقاط النهاية' }).waitFor()
      },
      JOURNEY_MS,
    )

    describe('on every screen', () => {
      let screens: Awaited<ReturnType<typeof everyScreen>> = []

      beforeAll(async () => {
        screens = await everyScreen()
      })

      it('asks for nothing twice', async () => {
        const page = await open('admin@acme.example', 'events')
        // No refreshes.
        await page.addInitScript('window.setInterval = () => 0')
        const asked: string[] = []
        page.on('request', (request) => asked.push(request.url()))
        for (const screen of screens) {
          asked.length = 0
          await goTo(page, screen)
          await page.waitForLoadState('networkidle')
          expect(asked.filter((url) => url.includes('/v1/')).length).toBeGreaterThan(1)
          expect([screen[0], asked.filter((url, index) => asked.indexOf(url) < index)]).toEqual([
            screen[0],
            [],
          ])
        }
      })

      it.each(VIEWS)(
        'nothing is wider than the page, and axe finds nothing, light and dark: $width px, $locale',
        async ({ width, locale, hasAxe }) => {
          const page = await open('admin@acme.example', 'events', {
            locale,
            reducedMotion: 'reduce',
            viewport: { width, height: 900 },
          })
          for (const screen of screens) {
            await goTo(page, screen)
            if (hasAxe) await expectAccessible(page, screen[0])
            await expectFits(page, screen[0])
          }
        },
        // For eight whole screens.
        300_000,
      )
    })
  },
)
