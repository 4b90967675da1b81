// Takes the screenshots of README and docs: `npx -y pnpm@12.21.0 pictures`. Starts a whole host and fills it with data.
// Needs Chromium and the fonts Inter and JetBrains Mono (Debian: fonts-inter, fonts-jetbrains-mono), because default fonts
// look dated.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { usePostgres } from '@quickquote/dev-servers'
import { pino } from 'pino'
import { chromium } from 'playwright-core'
import { ACME, DEMO_PASSWORD } from '../dist/members.js'
import { startServer } from '../dist/start-server.js'

const IMAGES = resolve(import.meta.dirname, '../../../docs/images')
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
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
    ...{
      databaseUrl: await postgres.createDatabase('pictures'),
      redisUrl: null,
      dataFolder: folder,
      logLevel: 'silent',
    },
    ...{ port: 0, httpsPort: 0, stepMs: 50, retryMs: 180_000, runsWorker: true, ownQuotations: false },
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
      status, is_test, created_at)
    select gen_random_uuid(), gen_random_uuid(), ${ACME}, ${endpoint}, gen_random_uuid(), 'quotation.completed', 1,
      ${status}, false, now() - make_interval(hours => ${hour}, mins => 1)
    from generate_series(1, ${count})`
  for (let hour = 1; hour <= HOURS * 2; hour++) {
    await insert(crm, hour, 34 + ((hour * 7) % 17), 'succeeded')
    const isOutage = hour >= 4 && hour <= 9
    await insert(warehouse, hour, isOutage ? 4 : 12 + ((hour * 5) % 7), 'succeeded')
    await insert(warehouse, hour, isOutage ? 14 : hour % 11 === 0 ? 1 : 0, 'failed')
  }
  // Spaces the attempts out, within the minutes whose hours are not counted yet.
  await sql`
    with latest as (
      select id, row_number() over (order by created_at desc) as place
      from quickquote.delivery_attempts where quotation_id is not null
    )
    update quickquote.delivery_attempts attempt set created_at = now() - latest.place * interval '41 seconds'
    from latest where latest.id = attempt.id`
}

async function takePictures({ warehouse }) {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    env: { ...process.env, FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  })
  const portal = `${server.url}/portal/#/${ACME}`
  try {
    for (const colorScheme of ['light', 'dark']) {
      const name = (picture) => join(IMAGES, `${picture}${colorScheme === 'dark' ? '-dark' : ''}.png`)
      const context = await browser.newContext({
        ...{ colorScheme, reducedMotion: 'reduce', locale: 'en-GB', deviceScaleFactor: 2 },
        viewport: { width: 1280, height: 800 },
      })
      await context.request.post(`${server.url}/login`, { data: { email: EMAIL, password: DEMO_PASSWORD } })
      const page = await context.newPage()

      await page.goto(`${portal}/deliveries`)
      await page.locator('.deliveries .row-link').first().waitFor()
      await page.locator('.chart .failed:not([height="0"])').first().waitFor()
      await page.screenshot({ path: name('portal') })

      await page.goto(`${portal}/endpoints/${warehouse}`)
      await page.locator('.event-list').waitFor()
      await page.getByText('% delivered').waitFor()
      await page.screenshot({ path: name('portal-endpoint') })

      await page.goto(server.url)
      await page.getByRole('button', { name: 'Create a key' }).click()
      await page.locator('#new-key').waitFor()
      await page.getByRole('button', { name: 'Connect it' }).click()
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
      await page.screenshot({ path: name('playground'), fullPage: true, scale: 'css' })
      await context.close()
    }
  } finally {
    await browser.close()
  }
}

async function until(holds) {
  while (!(await holds())) await pause(100)
}
