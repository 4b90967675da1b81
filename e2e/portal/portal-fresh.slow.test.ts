import { button, dialog, hasChromium, type Page, row, styleOf } from '@quickquote/dev-servers/browser'
import { describe, expect, it, vi } from 'vitest'
import { ACME, DEMO_PASSWORD, GLOBEX } from '../../examples/demo/src/members.ts'
import { expectNoViolations, PATIENCE, usePortal } from './portal-browser.ts'

// A string, because the tests are compiled without DOM types.
const edgesOfText = new Function(
  'elements',
  `return elements.map((element) => {
    const range = document.createRange()
    range.selectNodeContents(element)
    const { left, right } = range.getBoundingClientRect()
    return [left, right]
  })`,
) as (elements: unknown[]) => [number, number][]

/** Sums how much the layout shifts. */
const WATCH_LAYOUT = `const shifts = []
  const observer = new PerformanceObserver((list) => shifts.push(...list.getEntries()))
  observer.observe({ type: 'layout-shift' })
  window.moved = () => [...shifts, ...observer.takeRecords()].reduce((sum, { value }) => sum + value, 0)`
const PAINTED = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

describe.runIf(hasChromium || process.env['CI'] !== undefined)('The portal, in Chromium', () => {
  const { server, as, open } = usePortal()

  /** The requests of a page to the API, by path. */
  function requestsOf(page: Page): { paths: string[]; count: (path: string) => number } {
    const paths: string[] = []
    page.on('request', (request) => {
      const [, path = ''] = request.url().split(`/v1/organizations/${ACME}`)
      if (path !== '') paths.push(path)
    })
    return { paths, count: (path) => paths.filter((each) => each.split('?')[0] === path).length }
  }

  it('loads the list of endpoints once a screen, and a resent delivery not at all', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Loaded once')
    await admin.quote('Sent and resent')
    const page = await open(null, '')
    await page.context().request.post(`${server.url}/login`, {
      data: { email: 'admin@acme.example', password: DEMO_PASSWORD },
    })
    const requests = requestsOf(page)
    await page.goto(`${server.url}/portal/#/${ACME}/deliveries?endpoint=${id}`)
    const sent = row(page, 'Sent and resent')
    await sent.getByText('Delivered').waitFor()
    await expect
      .poll(() => page.locator('.filter select').first().locator('option').count())
      .toBeGreaterThan(1)
    expect(requests.count('/webhooks')).toBe(1)
    expect(requests.count('/webhooks/events')).toBe(1)

    await sent.getByRole('link').click()
    await button(page, 'Resend now').waitFor()
    // The route's answer is shown: nothing else is answered any more.
    await page.route(/\/v1\/.*\/webhooks(\/[^/]+)?(\?.*)?$|\/deliveries\/[0-9a-f-]+$/, () => {})
    const first = page.url()
    await button(page, 'Resend now').click()
    await dialog(page).getByRole('button', { name: 'Resend now' }).click()
    await page.waitForURL((url) => url.href !== first)
    await page.getByRole('heading', { name: 'quotation.failed', level: 1 }).waitFor()
    await page
      .locator('.page-head .status')
      .getByText(/Waiting|Being sent|Delivered/)
      .waitFor()

    await page.unrouteAll({ behavior: 'ignoreErrors' })
    // Back to the list as it was filtered.
    await page.locator('.page-head .above a').click()
    await sent.first().waitFor()
    expect(new URL(page.url()).hash).toContain(`endpoint=${id}`)
  })

  it.each([
    ['wide', { viewport: { width: 1440, height: 1000 } }],
    ['a phone', { viewport: { width: 390, height: 844 } }],
  ])('does not move what an endpoint shows while the rest is loading: %s', async (_, options) => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Still')
    for (let count = 0; count < 5; count += 1) await admin.quote('Still there')
    const sent = () => admin.send<object[]>('GET', `/webhooks/deliveries?endpoint_id=${id}`, 200)
    await expect.poll(sent, PATIENCE).toHaveLength(5)
    const page = await open('admin@acme.example', 'endpoints', options)
    await page.evaluate(WATCH_LAYOUT)
    const answers: (() => void)[] = []
    await page.route(/\/(statistics|hours|deliveries|replays)(\?.*)?$/, async (route) => {
      await new Promise<void>((resolve) => answers.push(resolve))
      await route.continue()
    })
    await page.evaluate(`location.hash += '/${id}'`)
    await page.getByRole('heading', { name: 'Still', level: 1 }).waitFor()
    await expect.poll(() => answers.length, PATIENCE).toBe(4)
    await page.evaluate(PAINTED)
    for (const answer of answers) answer()
    await page.locator('.latest tbody tr').nth(4).waitFor()
    await page.getByText(/^median /).waitFor()
    await page.evaluate(PAINTED)
    expect(await page.evaluate('moved()')).toBeLessThan(0.02)
  })

  it('does not move an endpoint or a delivery that a link leads to, in whichever order its parts arrive', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Linked')
    const page = await open('admin@acme.example', 'events', { viewport: { width: 390, height: 844 } })
    await page.addInitScript(WATCH_LAYOUT)
    const waiting = new Set<unknown>()
    page.on('request', (request) => waiting.add(request))
    page.on('requestfinished', (request) => waiting.delete(request))
    /** Opens it. One of the answers comes after all others. */
    const opensStill = async (path: string, last: RegExp, end: string) => {
      let release = () => {}
      const isReleased = new Promise<void>((resolve) => (release = resolve))
      const asked = new Promise<void>((resolve) => {
        void page.route(last, async (route) => {
          resolve()
          await isReleased
          await route.continue()
        })
      })
      await page.goto(`${server.url}/portal/?${encodeURIComponent(end)}#/${ACME}/${path}`)
      await asked
      await expect.poll(() => waiting.size, PATIENCE).toBe(1)
      await page.evaluate(PAINTED)
      release()
      await page.getByText(end).first().waitFor()
      await expect.poll(() => waiting.size, PATIENCE).toBe(0)
      await page.evaluate(PAINTED)
      expect([path, last, await page.evaluate('moved() < 0.01')]).toEqual([path, last, true])
      await page.unrouteAll()
    }
    const endpoint = `endpoints/${id}`
    await opensStill(endpoint, /\/webhooks\/events$/, 'Sent from')
    await opensStill(endpoint, /\/deliveries\?.*attempts=latest.*limit=5$/, 'Send a test')
    await admin.send('POST', `/webhooks/${id}/test`, 200, { event_type: 'quotation.failed' })
    const [test] = await admin.send<{ delivery_id: string }[]>(
      'GET',
      `/webhooks/deliveries?endpoint_id=${id}`,
      200,
    )
    await opensStill(endpoint, /\/deliveries\?endpoint_id=[^&]*&limit=5$/, 'Last test')
    await opensStill(`deliveries/${test?.delivery_id}`, /\/webhooks$/, 'Copy as curl')
  })

  it('appends an older page to what is shown, and keeps the newest rows live', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Many')
    await admin.send('POST', `/webhooks/${id}/test`, 200, { event_type: 'quotation.failed' })
    const page = await open(null, '')
    await page.context().request.post(`${server.url}/login`, {
      data: { email: 'admin@acme.example', password: DEMO_PASSWORD },
    })
    // Pages of two rows, out of the log's only one, under other ids.
    let newest = 100
    const asked: string[] = []
    await page.route('**/webhooks/deliveries?**', async (route) => {
      const url = new URL(route.request().url())
      const answer = await route.fetch({
        url: `${url.origin}${url.pathname}?endpoint_id=${id}&limit=1`,
      })
      const [attempt] = await answer.json()
      const cursor = url.searchParams.get('cursor')
      asked.push(`${cursor ?? 'newest'}, ${url.searchParams.get('limit')}`)
      const from = cursor === null ? newest : Number(cursor)
      const items = [from, from - 1].map((number) => ({
        ...attempt,
        delivery_id: `delivery-${number}`,
        quotation_name: `Quote ${number}`,
      }))
      // One that was tried again is the newest, and no longer where it was.
      if (newest === 101 && cursor === null) {
        items.unshift({
          ...items[0],
          delivery_id: 'delivery-95',
          quotation_name: 'Quote 95',
          created_at: new Date().toISOString(),
        })
      }
      const link = `<${url.pathname}?cursor=${from - 2}>; rel="next"`
      await route.fulfill({ json: items, headers: { link } })
    })
    await page.clock.install()
    await page.goto(`${server.url}/portal/#/${ACME}/deliveries`)
    await row(page, 'Quote 99').waitFor()
    for (const number of [97, 95, 93]) {
      await button(page, 'Older').click()
      await row(page, `Quote ${number}`).waitFor()
    }
    expect(asked).toEqual(['newest, 25', '98, 25', '96, 25', '94, 25'])
    await row(page, 'Quote 93').evaluate((element) => element.setAttribute('data-same', 'yes'))

    // Nobody points at it, or reads further down.
    await page.mouse.move(0, 0)
    await page.evaluate('scrollTo(0, 0)')
    newest = 101
    await page.clock.runFor(6000)
    await row(page, 'Quote 101').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    expect(await page.locator('tbody td:nth-child(4)').allTextContents()).toEqual(
      [95, 101, 100, 99, 98, 97, 96, 94, 93].map((number) => `Quote ${number}`),
    )
    expect(await row(page, 'Quote 93').getAttribute('data-same')).toBe('yes')
    // Every few seconds, so only a few rows.
    expect(asked.slice(4)).toEqual(['newest, 5'])
    await button(page, 'Older').click()
    await row(page, 'Quote 91').waitFor()
  })

  it('reads on after pages without a match, at first and for older ones', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Rare')
    await admin.send('POST', `/webhooks/${id}/test`, 200, { event_type: 'quotation.failed' })
    const page = await open('admin@acme.example', 'endpoints')
    const asked: (string | null)[] = []
    // One match on every third page, out of the log's only one.
    await page.route('**/webhooks/deliveries?**', async (route) => {
      const url = new URL(route.request().url())
      const answer = await route.fetch({ url: `${url.origin}${url.pathname}?endpoint_id=${id}&limit=1` })
      const [attempt] = await answer.json()
      const cursor = url.searchParams.get('cursor')
      asked.push(cursor)
      const number = Number(cursor)
      const match = { ...attempt, delivery_id: `delivery-${number}`, quotation_name: `Quote ${number}` }
      const link = `<${url.pathname}?cursor=${number + 1}>; rel="next"`
      await route.fulfill({
        json: number % 3 === 2 ? [match] : [],
        headers: number < 7 ? { link } : {},
      })
    })
    await page.goto(`${server.url}/portal/#/${ACME}/deliveries`)
    await row(page, 'Quote 2').waitFor()
    expect(asked).toEqual([null, '1', '2'])
    await button(page, 'Older').click()
    await row(page, 'Quote 5').waitFor()
    await button(page, 'Older').click()
    await button(page, 'Older').waitFor({ state: 'detached' })
    expect(asked).toEqual([null, '1', '2', '3', '4', '5', '6', '7'])
  })

  it('says so when an endpoint fails in part, keeps its last test, and shows long URLs in one line', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('In part')
    const page = await open('admin@acme.example', `endpoints/${id}`)
    await page.getByText('Send a test to see').waitFor()
    await button(page, 'Send a test').click()
    await button(page, 'Send').click()
    await page.getByText('Your receiver responded with 204. It works.').waitFor()
    await button(page, 'Close').click()
    await page.reload()
    await page.locator('.facts div').filter({ hasText: 'Last test' }).getByText('Delivered (204)').waitFor()
    expect(await page.getByText('Send a test to see').count()).toBe(0)

    await page.route('**/webhooks', async (route) => {
      const answer = await route.fetch()
      const [first, ...rest]: { name: string; url: string; health: object }[] = await answer.json()
      const health = { ...first?.health, failing_since: null, recent_attempts: 4, recent_success_rate: 0.25 }
      const url = `https://crm.example.com/${'long/'.repeat(280)}`
      await route.fulfill({ json: [{ ...first, name: 'A quarter', url, health }, ...rest] })
    })
    await page.goto(`${server.url}/portal/#/${ACME}/endpoints`)
    await page.reload()
    const quarter = row(page, 'A quarter')
    await quarter.getByText('Partly failing').waitFor()
    await page.locator('.count-badge').waitFor()
    for (const width of [1440, 320]) {
      await page.setViewportSize({ width, height: 800 })
      expect((await quarter.boundingBox())?.height).toBeLessThan(140)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    }
    expect(await quarter.locator('td.url').getAttribute('title')).toContain('/long/long/')
  })

  it.each(['en-GB', 'de-DE'])(
    'has rows of one line from 1,280 px on, whatever is in them: %s',
    async (locale) => {
      const admin = await as('admin@acme.example')
      const { id } = await admin.endpoint('One line')
      for (let sent = 0; sent < 3; sent += 1) {
        await admin.send('POST', `/webhooks/${id}/test`, 200, { event_type: 'quotation.failed' })
      }
      const page = await open('admin@acme.example', 'events', {
        locale,
        viewport: { width: 1280, height: 800 },
      })
      await page.route('**/webhooks/deliveries?**', async (route) => {
        const answer = await route.fetch()
        const attempts: object[] = await answer.json()
        const event_type = 'quotation.functional_specification_of_the_host.completed_with_warnings'
        const soon = new Date(Date.now() + 8 * 60_000).toISOString()
        const json = attempts.map((attempt, index) => ({
          ...attempt,
          event_type,
          quotation_name: 'long '.repeat(40),
          endpoint_name: 'x'.repeat(200),
          ...(index === 0 && {
            status: 'failed',
            http_status: null,
            error: 'refused',
            next_attempt_at: soon,
          }),
        }))
        await route.fulfill({ response: answer, json })
      })
      for (const path of [`deliveries?endpoint=${id}`, `endpoints/${id}`]) {
        await page.goto(`${server.url}/portal/#/${ACME}/${path}`)
        const rows = page.locator('.deliveries tbody tr')
        await expect.poll(() => rows.count(), PATIENCE).toBe(3)
        for (const one of await rows.all()) expect((await one.boundingBox())?.height).toBe(40)
        expect(await rows.first().locator('td[title^="long"]').count()).toBe(1)
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280)
        expect(await rows.first().locator('.event .badge').isVisible()).toBe(true)
      }
    },
  )

  it('fits the form of an endpoint on a screen, and the ticks of a chart on a phone', async () => {
    const admin = await as('admin@acme.example')
    await admin.endpoint('Fits')
    await admin.quote('For the chart')
    const page = await open('admin@acme.example', 'endpoints/new', { viewport: { width: 1280, height: 800 } })
    const add = button(page, 'Add an endpoint')
    await add.waitFor()
    const box = await add.boundingBox()
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(800)

    await page.setViewportSize({ width: 320, height: 800 })
    await page.goto(`${server.url}/portal/#/${ACME}/deliveries`)
    const ticks = page.locator('.chart-ticks span:visible')
    await ticks.first().waitFor()
    // The texts, not the columns in which they are.
    const ends = await ticks.evaluateAll(edgesOfText)
    for (const [index, [, right]] of ends.slice(0, -1).entries()) {
      expect(right).toBeLessThan(ends[index + 1]?.[0] ?? 0)
    }
  })

  it('says until when an endpoint is paused, and that its receiver asked for it', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Busy')
    const page = await open('admin@acme.example', 'endpoints')
    const pausedUntil = new Date(Date.now() + 2 * 60 * 60 * 1000).toISOString()
    // Not untried: of such an endpoint the screen says that instead, as soon as it knows.
    const paused = (endpoint: { id: string; health: object }) => ({
      ...endpoint,
      ...(endpoint.id === id && {
        paused_until: pausedUntil,
        health: { ...endpoint.health, recent_attempts: 1 },
      }),
    })
    await page.route(/\/webhooks(\/[0-9a-f-]+)?$/, async (route) => {
      const answer = await (await route.fetch()).json()
      await route.fulfill({ json: Array.isArray(answer) ? answer.map(paused) : paused(answer) })
    })
    await page.reload()
    await row(page, 'Busy')
      .getByText(/Paused until .+, as the receiver asked/)
      .waitFor()
    await row(page, 'Busy').getByRole('link').first().click()
    await page.getByText(/The receiver asked for a pause\. Deliveries wait until .+\./).waitFor()
  })

  it('shows each hour in a chart, whose bars filter the list, by keyboard too', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Charted')
    const attempts = () => admin.send<unknown[]>('GET', `/webhooks/deliveries?endpoint_id=${id}`, 200)
    for (const [index, behaviour] of ['ok', 'broken', 'gone'].entries()) {
      await admin.answer(behaviour)
      await admin.quote(`To one that is ${behaviour}`)
      await expect.poll(attempts, PATIENCE).toHaveLength(index + 1)
    }
    await admin.answer('ok')
    const page = await open('admin@acme.example', `deliveries?endpoint=${id}`)
    await row(page, 'To one that is gone').waitFor()
    await page.reload()
    const legend = page.locator('.chart figcaption')
    for (const kind of ['1 delivered', '1 retried', '1 failed']) await legend.getByText(kind).waitFor()
    const bars = page.locator('.chart button')
    expect(await bars.count()).toBe(24)

    // Around the end of an hour they are in the one before.
    const filled = page
      .locator('.chart button:not([aria-label$=": 0 delivered, 0 retried, 0 failed"])')
      .last()
    await bars.last().focus()
    await page.keyboard.press('Home')
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe(
      await bars.first().getAttribute('aria-label'),
    )
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.getByText('Nothing found').waitFor()
    await filled.click()
    await row(page, 'To one that is gone').waitFor()
    expect(new URL(page.url()).hash).toMatch(/span=own.*since=.*until=/)
    await page.getByLabel('Until').fill('2026-01-01T00:00')
    await page.getByText('Nothing found').waitFor()
  })

  it('finds an endpoint among many by name, and sorts those that fail first', async () => {
    const admin = await as('admin@acme.example')
    await admin.endpoint('One of many')
    const page = await open('admin@acme.example', 'events')
    await page.route('**/webhooks', async (route) => {
      const answer = await route.fetch()
      const [first]: { health: object }[] = await answer.json()
      const json = Array.from({ length: 12 }, (_, index) => ({
        ...first,
        id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
        is_enabled: true,
        name: `Endpoint ${index}`,
        health: { ...first?.health, failing_since: index === 7 ? new Date().toISOString() : null },
      }))
      await route.fulfill({ json })
    })
    await page.reload()
    await page.getByRole('link', { name: 'Endpoints' }).click()
    const names = page.locator('tbody th')
    await expect.poll(() => names.count(), PATIENCE).toBe(12)
    await page.getByLabel('Sorted by').selectOption('trouble')
    await expect.poll(() => names.first().textContent(), PATIENCE).toBe('Endpoint 7')
    await page.getByLabel('Name or URL').fill('ENDPOINT 11')
    await page.keyboard.press('Enter')
    await expect.poll(() => names.allTextContents(), PATIENCE).toEqual(['Endpoint 11'])
    await page.getByLabel('Name or URL').fill('nothing')
    await page.keyboard.press('Enter')
    await page.getByText('No endpoint matches.').waitFor()
  })

  it('leads on from an organization of others and from ids that do not exist', async () => {
    const page = await open('admin@acme.example', 'events')
    for (const elsewhere of [GLOBEX, '00000000-0000-4000-8000-000000000000', 'nonsense']) {
      await page.goto(`${server.url}/portal/?${elsewhere}#/${elsewhere}/deliveries`)
      await page.getByText('You have no access to this organization.').waitFor()
      await button(page, 'Open Acme GmbH').click()
      await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
      expect(page.url()).toContain(ACME)
    }
    for (const [view, back] of [
      ['deliveries', 'All deliveries'],
      ['endpoints', 'All endpoints'],
    ] as const) {
      for (const id of ['nonsense', '00000000-0000-4000-8000-000000000000']) {
        await page.goto(`${server.url}/portal/#/${ACME}/${view}/${id}`)
        await page.getByRole('alert').getByRole('link', { name: back }).click()
        await page.getByRole('heading', { level: 1, name: /^(Deliveries|Endpoints)$/ }).waitFor()
      }
    }
    expect(await page.getByText('UUID').count()).toBe(0)
  })

  it('does not claim that an old attempt went to the URL of today', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Moved')
    await admin.quote('Sent before the move')
    const page = await open('admin@acme.example', `deliveries?endpoint=${id}`)
    await row(page, 'Sent before the move').getByRole('link').click()
    const sentTo = page.getByText(`POST ${admin.receiver}`, { exact: true })
    await sentTo.waitFor()
    await admin.send('PATCH', `/webhooks/${id}`, 200, { url: `${admin.receiver}/moved` })
    await page.reload()
    await sentTo.waitFor()
  })

  it('finds the deliveries of a quote, an event or a delivery by its id, with its resends both ways', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Searched')
    await admin.answer('broken')
    await admin.quote('Looked for')
    type Sent = { delivery_id: string; event_id: string; quotation_id: string }
    const log = () => admin.send<Sent[]>('GET', `/webhooks/deliveries?endpoint_id=${id}`, 200)
    await expect.poll(log, PATIENCE).toHaveLength(1)
    await admin.answer('ok')
    const [first] = await log()
    await admin.send('POST', `/webhooks/deliveries/${first?.delivery_id}/resend`, 202)
    await expect.poll(log, PATIENCE).toHaveLength(2)
    const page = await open('admin@acme.example', `deliveries?endpoint=${id}`)
    const rows = page.locator('tbody tr')
    await expect.poll(() => rows.count(), PATIENCE).toBe(2)
    // What is typed stays while the list is drawn again.
    await page.getByRole('searchbox').fill('half an i')
    await admin.send('POST', `/webhooks/deliveries/${first?.delivery_id}/resend`, 202)
    await expect.poll(() => rows.count(), PATIENCE).toBe(3)
    expect(await page.getByRole('searchbox').inputValue()).toBe('half an i')
    await page.getByLabel('Response').selectOption('5xx')
    await expect.poll(() => rows.count(), PATIENCE).toBe(1)
    const search = async (text: string) => {
      await page.getByRole('searchbox').fill(text)
      await page.keyboard.press('Enter')
    }
    await search('nonsense')
    await page.getByText('No delivery was found').waitFor()
    for (const found of [first?.event_id, first?.event_id.slice(4), first?.quotation_id]) {
      await search(String(found))
      await expect
        .poll(() => new URL(page.url()).hash, PATIENCE)
        .toContain(found === first?.quotation_id ? `quote=${found}` : `event=${first?.event_id}`)
      // The newest first: the resend, then the failed one, at every endpoint.
      await row(page, 'Searched').getByText('500').waitFor()
      await row(page, 'Searched').getByText('204').first().waitFor()
    }
    await search(String(first?.delivery_id))
    await page.getByText('500 Internal Server Error').first().waitFor()
    await page.locator('.facts div').filter({ hasText: 'Resent as' }).getByRole('link').click()
    await page.getByText('204 No Content').first().waitFor()
    await page.locator('.facts div').filter({ hasText: 'Resend of' }).getByRole('link').click()
    await page.getByText('500 Internal Server Error').first().waitFor()
    await page.getByRole('link', { name: 'All its deliveries' }).first().click()
    await row(page, 'Searched').getByText('204').first().waitFor()
  })

  it('brings nobody back who leaves while a resend or a search is running', async () => {
    const admin = await as('admin@acme.example')
    const { id: endpoint } = await admin.endpoint('Left')
    await admin.answer('broken')
    await admin.quote('Left behind')
    const page = await open('admin@acme.example', `deliveries?endpoint=${endpoint}`)
    const leavesDuring = async (url: RegExp, start: () => Promise<void>) => {
      let release = () => {}
      const isReleased = new Promise<void>((resolve) => (release = resolve))
      const isAsked = new Promise<void>((resolve) => {
        void page.route(url, async (route) => {
          resolve()
          await isReleased
          await route.continue()
        })
      })
      await start()
      await isAsked
      await page.getByRole('link', { name: 'Events' }).click()
      const heading = page.getByRole('heading', { name: 'Events', level: 1 })
      await heading.waitFor()
      const answered = page.waitForEvent('requestfinished', (request) => url.test(request.url()))
      release()
      await answered
      await page.evaluate(PAINTED)
      expect([url, await heading.count()]).toEqual([url, 1])
      await page.unrouteAll()
    }
    await row(page, 'Left behind').getByRole('link').first().click()
    await button(page, 'Resend now').waitFor()
    const id = page.url().split('/').at(-1) ?? ''
    await admin.answer('ok')
    await leavesDuring(/\/resend$/, () => button(page, 'Resend now').click())
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await leavesDuring(/\/deliveries\/[0-9a-f-]+$/, async () => {
      await page.getByRole('searchbox').fill(id)
      await page.keyboard.press('Enter')
    })
  })

  it('forgets that nobody was signed in as soon as somebody is', async () => {
    const page = await open('member@acme.example', 'api-keys')
    await page.context().clearCookies()
    await button(page, 'Create key').first().click()
    await dialog(page).getByLabel('Name').fill('Signed out')
    await dialog(page).getByRole('button', { name: 'Create key' }).click()
    const refused = dialog(page).getByText('You are not signed in.')
    await refused.waitFor()
    await page.context().request.post(`${server.url}/login`, {
      data: { email: 'member@acme.example', password: DEMO_PASSWORD },
    })
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await refused.waitFor({ state: 'detached' })
    await vi.waitFor(async () => {
      expect(await page.getByText('Your session has ended.').count()).toBe(0)
    }, PATIENCE)
    expect(await dialog(page).getByLabel('Name').inputValue()).toBe('Signed out')
  })

  it('has bars in forced colors, and badges that can be read', async () => {
    const admin = await as('admin@acme.example')
    const { id } = await admin.endpoint('Seen')
    await admin.quote('In a badge')
    const page = await open('admin@acme.example', `deliveries?endpoint=${id}`)
    await row(page, 'In a badge').waitFor()
    const ordinary = await styleOf(page.locator('.chart .failed').first(), 'fill')
    await page.emulateMedia({ forcedColors: 'active' })
    expect(await styleOf(page.locator('.chart .failed').first(), 'fill')).not.toBe(ordinary)
    await page.emulateMedia({ forcedColors: 'none' })

    await row(page, 'In a badge').getByRole('link').click()
    await page.locator('.badge.good').first().waitFor()
    // What has ended is not "1 of 8", and an attempt has its day.
    await page.getByText('1 attempt', { exact: true }).waitFor()
    expect(await page.locator('.timeline time').textContent()).toContain(String(new Date().getDate()))
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
    await button(page, 'Copy: Event ID').click()
    await expect.poll(copied, PATIENCE).toMatch(/^evt_/)
    await button(page, 'Copy as curl').click()
    await expect.poll(copied, PATIENCE).toMatch(/^# Unsigned, because signatures.*\ncurl -i/)
    await expectNoViolations(page, 'a delivery', ['color-contrast'])
  })
})
