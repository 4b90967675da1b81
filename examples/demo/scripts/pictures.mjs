// Takes the pictures of README and docs, of each screen in light, dark and on a phone: `npx -y pnpm@12.21.0 pictures`.
// Starts a whole host and fills it with data. Needs Chromium and the fonts Inter and JetBrains Mono (Debian:
// fonts-inter, fonts-jetbrains-mono), because default fonts look dated.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { usePostgres } from '@quickquote/dev-servers'
import { pino } from 'pino'
import { chromium } from 'playwright-core'
import { ACME, DEMO_PASSWORD, GLOBEX } from '../dist/members.js'
import { startServer } from '../dist/start-server.js'

const IMAGES = resolve(import.meta.dirname, '../../../docs/images')
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const SCREENS = join(IMAGES, 'screens')
const EMAIL = 'admin@acme.example'
const HOURS = 26
const FONTS = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
  <include>/etc/fonts/fonts.conf</include>
  ${['system-ui', 'sans-serif'].map((family) => alias(family, 'Inter')).join('')}
  ${['ui-monospace', 'monospace'].map((family) => alias(family, 'JetBrains Mono')).join('')}
</fontconfig>`

const folder = await mkdtemp(join(tmpdir(), 'quickquote-pictures-'))
const postgres = await usePostgres({
  dataDir: join(folder, 'postgres'),
  persistent: false,
  onProgress: console.log,
})
const server = await startServer(
  {
    databaseUrl: await postgres.createDatabase('pictures'),
    redisUrl: null,
    dataFolder: folder,
    logLevel: 'silent',
    port: 0,
    httpsPort: 0,
    stepMs: 50,
    retryMs: 180_000,
    runsWorker: true,
    ownQuotations: false,
  },
  pino({ level: 'silent' }),
)
try {
  const call = await signIn()
  const endpoints = await connect(call)
  await happen(call, endpoints)
  await pretendHistory(endpoints)
  await writeFile(join(folder, 'fonts.conf'), FONTS)
  await takePictures(endpoints)
} finally {
  await server.stop()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}

function alias(family, font) {
  return `<alias binding="strong"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`
}

async function signIn() {
  const call = async (method, path, body, headers = {}) => {
    const response = await fetch(server.url + path.replace(':acme', `/v1/organizations/${ACME}`), {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const { token } = await call('POST', '/login', { email: EMAIL, password: DEMO_PASSWORD })
  return (method, path, body) => call(method, path, body, { Authorization: `Bearer ${token}` })
}

/** Three endpoints: one that accepts everything, one that fails, one that is gone. */
async function connect(call) {
  const events = (await call('GET', ':acme/webhooks/events')).map(({ type }) => type)
  const make = async (name, behaviour, types) => {
    const inbox = server.receiver.inbox(name.toLowerCase().replaceAll(' ', '-'))
    const url = inbox.url
    const endpoint = await call('POST', ':acme/webhooks', {
      name,
      url,
      events: types,
      trigger_mode: 'always',
    })
    inbox.trust(endpoint.secret)
    inbox.behaviour = behaviour
    return endpoint.id
  }
  const crm = await make('CRM production', 'ok', events)
  const warehouse = await make('Data warehouse', 'broken', ['quotation.completed', 'quotation.failed'])
  await make('Old staging', 'gone', ['quotation.failed'])
  return { crm, warehouse }
}

async function happen(call) {
  const day = 24 * 60 * 60 * 1000
  for (const [name, days] of [
    ['CRM production', 340],
    ['Nightly import', 12],
  ]) {
    await call('POST', ':acme/api-keys', {
      name,
      expires_at: new Date(Date.now() + days * day).toISOString(),
    })
  }
  const quotes = [['Invoice import', 'work_breakdown'], ['Mobile app, phase 2'], ['Website relaunch']]
  for (const [name, fail_at] of quotes) {
    const metadata = { demo: { step_ms: 20, ...(fail_at && { fail_at }) } }
    const requirementsText = 'Customers sign in and see their invoices.'
    await call('POST', '/quotes', { organization_id: ACME, name, requirementsText, metadata })
    await until(async () =>
      (await call('GET', '/play/quotes')).every(({ status }) => ['completed', 'failed'].includes(status)),
    )
  }
  await until(async () => (await call('GET', ':acme/webhooks/deliveries?limit=100')).length >= 19)
}

/** Attempts of the hours before, for the chart. */
async function pretendHistory({ crm, warehouse }) {
  const { sql } = server.host
  const insert = (endpoint, hour, count, status) => sql`
    insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type, attempt,
      status, http_status, duration_ms, is_test, created_at)
    select gen_random_uuid(), gen_random_uuid(), ${ACME}, ${endpoint}, gen_random_uuid(), 'quotation.completed', 1,
      ${status}, ${status === 'failed' ? 503 : 204}, 80 + nr * 37 % 190, false,
      now() - make_interval(hours => ${hour}, mins => 1)
    from generate_series(1, ${count}) nr`
  for (let hour = 1; hour <= HOURS * 2; hour++) {
    await insert(crm, hour, 34 + ((hour * 7) % 17), 'succeeded')
    const isOutage = hour >= 4 && hour <= 9
    await insert(warehouse, hour, isOutage ? 4 : 12 + ((hour * 5) % 7), 'succeeded')
    await insert(warehouse, hour, isOutage ? 14 : hour % 11 === 0 ? 1 : 0, 'failed')
  }
  // Spaces the attempts out; the newest is a minute old. They are recorded again, because that counts them into their hours.
  await sql.begin(async (transaction) => {
    await transaction`
      create temporary table spaced on commit drop as
      select (jsonb_populate_record(sent, jsonb_build_object('created_at', now() - 97 * interval '1 second'
        * row_number() over (order by created_at desc)))).*
      from quickquote.delivery_attempts sent where quotation_id is not null`
    await transaction`delete from quickquote.delivery_attempts where id in (select id from spaced)`
    await transaction`insert into quickquote.delivery_attempts select * from spaced`
    await transaction`
      update quickquote.endpoint_health health set failing_since = first.at
      from (select endpoint_id, min(created_at) as at from spaced where status = 'failed' group by endpoint_id) first
      where health.endpoint_id = first.endpoint_id and failing_since is not null`
  })
}

/** What a page shows, and that it is complete. */
async function openScreen(page, path, part) {
  // Another URL before the `#`: nothing of the screen before is left.
  await page.goto(`${server.url}/portal/?${path.length}#/${path}`)
  await page.locator(`main ${part}`).first().waitFor()
  await page.locator('main .skeleton').waitFor({ state: 'detached' })
  await page.waitForLoadState('networkidle')
}

async function portalScreens(page, { warehouse }, take) {
  await openScreen(page, `${ACME}/deliveries`, '.deliveries .row-link')
  await page.locator('.chart .failed:not([height="0"])').first().waitFor()
  await take('deliveries')
  await page
    .getByRole('link', { name: /Retrying/ })
    .first()
    .click()
  await page.locator('main .code').first().waitFor()
  await take('delivery')
  await openScreen(page, `${ACME}/endpoints`, '.endpoints .row-link')
  await take('endpoints')
  await openScreen(page, `${ACME}/endpoints/${warehouse}`, '.event-list')
  await page.getByText('% delivered').waitFor()
  await take('endpoint')
  await openScreen(page, `${ACME}/endpoints/new`, '.form')
  await take('endpoint-form')
  await openScreen(page, `${ACME}/events`, 'details')
  await page.locator('summary', { hasText: 'quotation.completed' }).click()
  await take('events')
  await openScreen(page, `${ACME}/audit-log`, '.audit tbody tr')
  await take('audit-log')
  await openScreen(page, `${ACME}/api-keys`, '.keys tbody tr')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Zapier')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await page.locator('.secret').waitFor()
  await take('api-keys')
}

async function playPage(page, colorScheme, path) {
  await page.goto(server.url)
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.locator('#new-key').waitFor()
  const connect = page.getByRole('button', { name: 'Connect it' })
  await connect.or(page.getByText('Connected to 7 events')).first().waitFor()
  if (await connect.isVisible()) await connect.click()
  await page.getByText('Connected to 7 events').waitFor()
  await page.getByLabel('Name of the quote').fill(`A tea shop, ${colorScheme}`)
  await page.getByRole('button', { name: 'Start with the API key' }).click()
  await page.locator('#webhooks li').nth(5).waitFor()
  await page
    .locator('#quotes > li')
    .filter({ hasText: colorScheme })
    .getByRole('link', { name: 'Open the proposal' })
    .waitFor()
  await page.evaluate(() => document.activeElement.blur())
  await page.mouse.move(0, 0)
  await page.screenshot({ path, fullPage: true, scale: 'css' })
}

async function takePictures(endpoints) {
  await mkdir(SCREENS, { recursive: true })
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    env: { ...process.env, FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  })
  const openAs = async (email, colorScheme, width, height) => {
    const context = await browser.newContext({
      colorScheme,
      reducedMotion: 'reduce',
      locale: 'en-GB',
      deviceScaleFactor: 2,
      viewport: { width, height },
    })
    await context.request.post(`${server.url}/login`, { data: { email, password: DEMO_PASSWORD } })
    return context.newPage()
  }
  try {
    for (const [colorScheme, suffix, width, height] of [
      ['light', '', 1280, 800],
      ['dark', '-dark', 1280, 800],
      ['light', '-phone', 390, 844],
    ]) {
      const page = await openAs(EMAIL, colorScheme, width, height)
      const take = async (name) => {
        await page.mouse.move(0, 0)
        await page.screenshot({ path: join(SCREENS, `${name}${suffix}.png`), scale: 'css' })
      }
      await portalScreens(page, endpoints, take)
      await page.goto(`${server.url}/api-docs`)
      await page.locator('.opblock-tag-section').first().waitFor()
      await take('api-docs')
      if (suffix !== '-phone') {
        // Large in README and guide.
        await openScreen(page, `${ACME}/deliveries`, '.deliveries .row-link')
        await page.locator('.chart .failed:not([height="0"])').first().waitFor()
        await page.screenshot({ path: join(IMAGES, `portal${suffix}.png`) })
      }
      const empty = await openAs('admin@globex.example', colorScheme, width, height)
      await openScreen(empty, `${GLOBEX}/endpoints`, '.empty')
      await empty.screenshot({ path: join(SCREENS, `empty${suffix}.png`), scale: 'css' })
      await page.context().close()
      await empty.context().close()
    }
    // Last, because its quotes and its endpoint would be on the other screens.
    for (const [colorScheme, suffix] of [
      ['light', ''],
      ['dark', '-dark'],
    ]) {
      const page = await openAs(EMAIL, colorScheme, 1280, 800)
      await playPage(page, colorScheme, join(IMAGES, `playground${suffix}.png`))
      await page.context().close()
    }
  } finally {
    await browser.close()
  }
}

async function until(holds) {
  while (!(await holds())) await pause(100)
}
