import { freePort } from '@quickquote/dev-servers'
import { button, hasChromium, type Page } from '@quickquote/dev-servers/browser'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { installLighthouse, type Lighthouse } from './lighthouse.ts'
import { expectNoViolations, usePortal } from './portal-browser.ts'

const debuggingPort = await freePort()

/** axe looks at the portal with its dialogs, and at the page of the example, in the tests of these. */
describe.runIf(hasChromium || process.env['CI'] !== undefined)('Lighthouse, in Chromium', () => {
  const { server, open, everyScreen, goTo } = usePortal(debuggingPort)
  let lighthouse: Lighthouse | undefined
  let screens: Awaited<ReturnType<typeof everyScreen>>

  beforeAll(async () => {
    lighthouse = await installLighthouse(debuggingPort).catch((error: unknown) => {
      if (process.env['CI'] !== undefined) throw error
      console.log('Skipped: Lighthouse. npm could not install it.')
      return undefined
    })
    screens = await everyScreen()
    return lighthouse?.remove
  })

  beforeEach(({ skip }) => skip(lighthouse === undefined))

  const expectFullScore = async (page: Page, what: string) =>
    expect([what, await lighthouse?.accessibilityOf(page)]).toEqual([what, { score: 100, found: [] }])

  it.each(['light', 'dark'] as const)('gives each page 100 for accessibility: %s', async (colorScheme) => {
    const page = await open('admin@acme.example', 'events', { colorScheme, reducedMotion: 'reduce' })
    for (const screen of screens) {
      await goTo(page, screen)
      await expectFullScore(page, screen[0])
    }

    await page.goto(server.url)
    await button(page, 'Create a key').click()
    await page.getByText('The key was created').waitFor()
    await page.locator('#quotes > li').first().waitFor()
    await expectFullScore(page, 'the page of the example')

    await page.goto(`${server.url}/api-docs`)
    await button(page, 'post /v1/integrations/quotations').click()
    const operation = page.locator('.opblock.is-open')
    await operation.locator('.highlight-code').first().waitFor()
    await expectFullScore(page, 'an operation')
    await expectNoViolations(page, 'an operation')
    await operation.getByRole('tab', { name: 'Schema' }).first().click()
    await operation.getByRole('button', { name: 'Try it out' }).click()
    await operation.getByRole('button', { name: 'Execute' }).waitFor()
    await expectNoViolations(page, 'an operation that is tried out')
  })

  it('finds a text that is too faint', async () => {
    const page = await open('admin@acme.example', 'events')
    await page.evaluate("document.querySelector('h1').style.color = '#bbb'")
    expect(await lighthouse?.accessibilityOf(page)).toEqual({
      score: expect.toSatisfy((score: number) => score < 100),
      found: [['color-contrast', expect.stringContaining('<h1')]],
    })
  })
})
