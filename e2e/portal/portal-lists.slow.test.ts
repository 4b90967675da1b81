import { button, hasChromium, row } from '@quickquote/dev-servers/browser'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ACME, DEMO_PASSWORD } from '../../examples/demo/src/members.ts'
import { PATIENCE, usePortal } from './portal-browser.ts'

const EMAIL = 'admin@acme.example'

describe.runIf(hasChromium || process.env['CI'] !== undefined)('The lists of the portal, in Chromium', () => {
  const { server, as, open } = usePortal()

  it('drop what no longer belongs to a filter, and count down to nothing that is parked', async () => {
    const admin = await as(EMAIL)
    const { id } = await admin.endpoint('Repaired')
    await admin.answer('broken')
    await admin.quote('Repaired by a resend')
    await admin.quote('Parked')
    const page = await open(EMAIL, `deliveries?show=all&endpoint=${id}`)
    await row(page, 'Repaired by a resend')
      .getByText(/Retrying in/)
      .waitFor()
    await admin.answer('ok')
    const attempts = await admin.send<{ delivery_id: string; quotation_name: string }[]>(
      'GET',
      `/webhooks/deliveries?endpoint_id=${id}`,
      200,
    )
    const repaired = attempts.find(({ quotation_name }) => quotation_name === 'Repaired by a resend')
    await admin.send('POST', `/webhooks/deliveries/${repaired?.delivery_id}/resend`, 202)
    await row(page, 'Repaired by a resend').waitFor({ state: 'detached' })
    await admin.send('PATCH', `/webhooks/${id}`, 200, { is_enabled: false })
    await row(page, 'Parked').locator('th', { hasText: 'Parked' }).waitFor()
    await button(page, 'Failed').click()
    await page.getByText('Nothing found').waitFor()
  })

  it('move nothing under the pointer, and stop at the pause button', async () => {
    const admin = await as(EMAIL)
    const { id } = await admin.endpoint('Pointed at')
    await admin.quote('The first')
    const page = await open(EMAIL, `deliveries?endpoint=${id}`)
    await row(page, 'The first').hover()
    await admin.quote('The second')
    await button(page, '1 change: show it').waitFor()
    expect(await row(page, 'The second').count()).toBe(0)
    await button(page, '1 change: show it').click()
    await row(page, 'The second').waitFor()

    await button(page, 'Pause').click()
    await page.getByText('Paused').waitFor()
    await page.mouse.move(0, 0)
    await admin.quote('The third')
    let asked = 0
    page.on('request', (request) => {
      if (request.url().includes('/deliveries?')) asked += 1
    })
    await page.clock.install()
    await page.clock.runFor(20_000)
    expect(asked).toBe(0)
    await button(page, 'Resume').click()
    await page.clock.runFor(6000)
    await row(page, 'The third').waitFor()
  })

  it('keep pages, filters and position until somebody comes back from a delivery', async () => {
    const admin = await as(EMAIL)
    const { id } = await admin.endpoint('Paged')
    for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) await admin.quote(name)
    const page = await open(EMAIL, 'events', { viewport: { width: 1000, height: 500 } })
    onTestFinished(() => page.unrouteAll({ behavior: 'ignoreErrors' }))
    // Small pages are as good as many rows.
    await page.route('**/deliveries?*', (route) =>
      route.continue({ url: route.request().url().replace('limit=25', 'limit=2') }),
    )
    await page.evaluate(
      `location.hash += '?'; location.hash = location.hash.replace(/events.*/, 'deliveries?endpoint=${id}')`,
    )
    await row(page, 'Five').waitFor()
    for (const name of ['Three', 'One']) {
      await button(page, 'Older').click()
      await row(page, name).waitFor()
    }
    await row(page, 'One').scrollIntoViewIfNeeded()
    const top = await page.evaluate<number>('scrollY')
    expect(top).toBeGreaterThan(0)
    await row(page, 'One').getByRole('link').click()
    await page.getByRole('heading', { name: 'quotation.failed', level: 1 }).waitFor()
    await page.goBack()
    await row(page, 'One').waitFor()
    expect(await page.locator('tbody tr').count()).toBe(5)
    await expect.poll(() => page.evaluate('scrollY'), PATIENCE).toBe(top)
    expect(page.url()).toContain(id)
  })

  it('show the new filter, even if older rows of the previous one are still loading', async () => {
    const admin = await as(EMAIL)
    const { id } = await admin.endpoint('Slow to list')
    await admin.answer('broken')
    onTestFinished(async () => void (await admin.answer('ok')))
    for (const name of ['First', 'Second', 'Third']) await admin.quote(name)
    const page = await open(EMAIL, 'events')
    onTestFinished(() => page.unrouteAll({ behavior: 'ignoreErrors' }))
    let answerOlder: (() => Promise<void>) | undefined
    await page.route('**/deliveries?*', async (route) => {
      const url = route.request().url().replace('limit=25', 'limit=2')
      const response = await route.fetch({ url })
      if (url.includes('cursor=') && answerOlder === undefined)
        answerOlder = () => route.fulfill({ response })
      else await route.fulfill({ response })
    })
    await page.evaluate(`location.hash = location.hash.replace(/events.*/, 'deliveries?endpoint=${id}')`)
    await row(page, 'Third').waitFor()
    // A refresh would load the rows again.
    await button(page, 'Pause').click()
    await button(page, 'Older').click()
    await expect.poll(() => answerOlder, PATIENCE).toBeDefined()
    await button(page, 'Retrying').click()
    await expect.poll(() => page.url(), PATIENCE).toContain('show=retrying')
    await row(page, 'Third').waitFor()
    // It is cancelled: there is nobody to answer.
    await answerOlder?.().catch(() => {})
    await button(page, 'Older').click()
    await row(page, 'First').waitFor()
  })

  it('report that older rows could not be loaded until somebody tries again', async () => {
    const admin = await as(EMAIL)
    const { id } = await admin.endpoint('Interrupted')
    for (const name of ['Oldest', 'Older one', 'Newest']) await admin.quote(name)
    const page = await open(EMAIL, 'events')
    onTestFinished(() => page.unrouteAll({ behavior: 'ignoreErrors' }))
    let isBroken = true
    await page.route('**/deliveries?*', (route) => {
      const url = route.request().url().replace('limit=25', 'limit=2')
      return isBroken && url.includes('cursor=') ? route.abort() : route.continue({ url })
    })
    await page.evaluate(`location.hash = location.hash.replace(/events.*/, 'deliveries?endpoint=${id}')`)
    await row(page, 'Newest').waitFor()
    await button(page, 'Pause').click()
    await button(page, 'Older').click()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    isBroken = false
    await alert.getByRole('button').click()
    await alert.waitFor({ state: 'detached' })
  })

  it('cost little to look at: 200 endpoints are loaded once, and nothing in a hidden tab', async () => {
    const admin = await as(EMAIL)
    const { id } = await admin.endpoint('One of 200')
    const one = await admin.send<object>('GET', `/webhooks/${id}`, 200)
    const page = await open(null, '')
    onTestFinished(() => page.unrouteAll({ behavior: 'ignoreErrors' }))
    await page.route('**/webhooks', (route) =>
      route.fulfill({ json: Array.from({ length: 200 }, (_, index) => ({ ...one, id: `${index}` })) }),
    )
    let bytes = 0
    const asked: string[] = []
    page.on('response', async (response) => {
      const { pathname } = new URL(response.url())
      if (!pathname.startsWith('/v1/')) return
      asked.push(pathname.split('/').slice(4).join('/'))
      if (pathname.includes('/webhooks/summary')) bytes += (await response.body()).length
    })
    await page.clock.install()
    const data = { email: EMAIL, password: DEMO_PASSWORD }
    await page.context().request.post(`${server.url}/login`, { data })
    await page.goto(`${server.url}/portal/#/${ACME}/events`)
    await expect.poll(() => asked, PATIENCE).toContain('webhooks/summary')
    asked.length = 0
    for (let times = 0; times < 3; times += 1) {
      await page.clock.runFor(30_000)
      await expect.poll(() => asked.length, PATIENCE).toBe(times + 1)
    }
    expect(new Set(asked)).toEqual(new Set(['webhooks/summary']))
    expect(bytes).toBeLessThan(1000)
    // A change lists them again.
    await admin.send('PATCH', `/webhooks/${id}`, 200, { name: 'Changed' })
    await page.clock.runFor(30_000)
    await expect.poll(() => asked, PATIENCE).toContain('webhooks')

    await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden' })`)
    asked.length = 0
    await page.clock.runFor(300_000)
    expect(asked).toEqual([])
  })

  it('do the jobs of an admin in few clicks: enable and replay, resend all, find, an hour of the week', async () => {
    const admin = await as(EMAIL)
    const { id } = await admin.endpoint('Off for a day')
    await admin.send('PATCH', `/webhooks/${id}`, 200, { is_enabled: false })
    await admin.quote('Missed')
    const page = await open(EMAIL, 'endpoints')
    let clicks = 0
    const click = async (target: ReturnType<typeof page.locator>) => {
      clicks += 1
      await target.click()
    }
    const most = (count: number) => {
      expect(clicks).toBeLessThanOrEqual(count)
      clicks = 0
    }
    await click(row(page, 'Off for a day'))
    await click(button(page, 'Enable and replay what it missed'))
    await page.getByText('1 event will be sent.').waitFor()
    await click(button(page, 'Enable and replay'))
    await page.getByRole('heading', { name: 'Replay completed' }).waitFor()
    most(4)
    await page.getByRole('link', { name: 'See these deliveries' }).click()
    await row(page, 'Missed').getByText('Delivered').waitFor()

    await admin.answer('gone')
    for (const name of ['Refused one', 'Refused two']) await admin.quote(name)
    await page.goto(`${server.url}/portal/#/${ACME}/deliveries?endpoint=${id}`)
    await row(page, 'Refused two').getByText('Rejected').waitFor()
    await admin.answer('ok')
    await click(button(page, 'Failed'))
    await row(page, 'Missed').waitFor({ state: 'detached' })
    await click(button(page, 'Resend these…'))
    await page.getByText('2 deliveries will be resent.').waitFor()
    await click(button(page, 'Resend 2'))
    await page.getByText('2 of 2 resent, 0 refused').waitFor()
    most(3)
    await button(page, 'Close').click()
    await page.getByText('Nothing found').waitFor()

    const search = async (text: string, found: string) => {
      await page.getByRole('searchbox').fill(text)
      await page.keyboard.press('Enter')
      await expect.poll(() => new URL(page.url()).hash, PATIENCE).toContain(found)
    }
    await search('refused TWO', 'quote=')
    await row(page, 'Refused two').first().waitFor()
    await search('410', 'answer=410')
    await row(page, 'Refused one').getByText('410').first().waitFor()

    await click(page.getByLabel('Time'))
    await page.getByLabel('Time').selectOption('168')
    await expect.poll(() => page.locator('.chart-bars button').count(), PATIENCE).toBe(168)
    await click(page.locator('.chart-bars button:not([aria-label*=" 0 failed"])').last())
    await page.getByRole('columnheader', { name: /^When \((UTC|GMT)/ }).waitFor()
    await click(row(page, 'Refused one').first())
    await page.getByRole('heading', { name: 'quotation.failed' }).waitFor()
    most(5)
  })

  it('count failures once: beside the chart as in its legend', async () => {
    const page = await open(EMAIL, 'deliveries')
    // Its name is a list, not one long word.
    await page.getByRole('figure', { name: /^\d+ delivered, \d+ retried, \d+ failed$/ }).waitFor()
    const legend = page.locator('.chart figcaption')
    await legend.getByText(/^\d+ failed$/).waitFor()
    const failed = /(\d+) failed/.exec(String(await legend.textContent()))?.[1]
    const beside = page.locator('.overview > div').nth(1).locator('strong')
    await expect.poll(() => beside.textContent()).toBe(failed)
  })
})
