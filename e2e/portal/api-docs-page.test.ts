import { hasChromium, styleOf } from '@quickquote/dev-servers/browser'
import { adminOf } from '@quickquote/dev-servers/host'
import type { ApiDocsOptions } from '@quickquote/fastify-integrations'
import type { Locator } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ORGANIZATION } from './front-ends/session.ts'
import { portalHost } from './portal-host.ts'

interface Document {
  readonly paths: Record<string, Record<string, { readonly summary: string }>>
}

/** A page of the documentation, which must log no error of scripts, content policy or loading. */
async function openDocs(path: string, apiDocs: ApiDocsOptions = {}) {
  const { app, page, integrations } = await portalHost(undefined, { apiDocs })
  const complaints: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (line) => {
    if (['error', 'warning'].includes(line.type())) complaints.push(line.text())
  })
  onTestFinished(() => expect(complaints).toEqual([]))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  await page.goto(url + path)
  return { url, page, integrations }
}

/** Named schemas are references in the document: they have been followed. */
async function showsSchema(place: Locator, property: string): Promise<void> {
  await place.getByRole('tab', { name: 'Schema' }).first().click()
  await place.getByRole('button', { name: 'Expand all' }).first().click()
  await place.locator('.json-schema-2020-12-property').getByText(property, { exact: true }).first().waitFor()
}

describe.runIf(hasChromium || process.env['CI'] !== undefined)('The API documentation, in Chromium', () => {
  it('opens an operation with its schemas, authorizes, and sends a request', async () => {
    const { page, integrations } = await openDocs('/api-docs')
    const { key } = await integrations.apiKeys.create(adminOf(ORGANIZATION), {
      name: 'Try it out',
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    })
    await page.getByRole('button', { name: 'Authorize' }).first().click()
    await page.getByLabel('auth-apiKey-value').or(page.locator('#api_key_value')).first().fill(key.reveal())
    await page.getByRole('button', { name: 'Apply credentials' }).first().click()
    await page.getByRole('button', { name: 'Close' }).last().click()

    await page.getByRole('button', { name: 'post /v1/integrations/quotations', exact: true }).click()
    const operation = page.locator('.opblock.is-open')
    await showsSchema(operation.locator('.responses-table'), 'quotation_id')
    await operation.getByRole('button', { name: 'Try it out' }).click()
    await operation.getByRole('button', { name: 'Execute' }).click()
    await operation.locator('.live-responses-table .response-col_status').getByText('202').waitFor()
    expect(await integrations.apiKeys.authenticate(key.reveal())).toMatchObject({
      organizationId: ORGANIZATION,
    })
  })

  it('shows the webhooks and the schema of their bodies', async () => {
    const { page } = await openDocs('/api-docs/partners/')
    const webhooks = page.locator('.webhooks')
    await webhooks.getByText('quotation.completed', { exact: true }).click()
    await showsSchema(webhooks.locator('.opblock.is-open'), 'generation_source')
  })

  it('opens an operation by the click alone, without a request, a timer or another rendering', async () => {
    const { page } = await openDocs('/api-docs')
    await page.locator('.opblock-tag-section').first().waitFor()
    const open = new Function(`
      const operation = document.querySelector('.opblock-post')
      operation.querySelector('.opblock-summary-control').click()
      return Promise.resolve().then(() => operation.querySelector('.responses-table')?.textContent)
    `) as () => Promise<string | undefined>
    // From the schema behind a reference.
    expect(await page.evaluate(open)).toContain('"quotation_id"')
  })

  it('has the brand and the colors of the host, in light and dark, and leads back to it', async () => {
    const tokens = { primary: 'light-dark(rgb(15, 118, 110), rgb(94, 234, 212))' }
    const { url, page } = await openDocs('/api-docs', {
      brand: { name: 'Northwind', tokens },
      homeUrl: '/app',
    })
    const authorize = page.getByRole('button', { name: 'Authorize' }).first()
    for (const [colorScheme, primary, background] of [
      ['light', 'rgb(15, 118, 110)', 'rgb(250, 250, 250)'],
      ['dark', 'rgb(94, 234, 212)', 'rgb(10, 10, 11)'],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      // A change of color takes a moment.
      await expect.poll(() => styleOf(authorize, 'backgroundColor')).toBe(primary)
      expect(await styleOf(page.locator('.swagger-ui').first(), 'backgroundColor')).toBe(background)
    }
    const link = page.getByRole('banner').getByRole('link', { name: 'Northwind' })
    expect(await link.evaluate(({ href }: { href: string }) => href)).toBe(`${url}/app`)
  })

  it('lists every operation without scripts, and its links open them in swagger-ui', async () => {
    const { url, page } = await openDocs('/api-docs/members')
    const html = await (await fetch(`${url}/api-docs/members`)).text()
    const { paths } = (await (await fetch(`${url}/api-docs/members/json`)).json()) as Document
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
    const links = [...html.matchAll(/<a class="opblock-summary-control" href="([^"]+)">/g)]
    expect(links).toHaveLength(operations.length)
    for (const { summary } of operations) expect(html).toContain(`>${summary}<`)

    await page.goto(`${url}/api-docs/members${links.at(-1)?.[1]}`)
    await page.reload()
    await page.locator('.opblock.is-open').getByText('/audit-log').waitFor()
  })
})
