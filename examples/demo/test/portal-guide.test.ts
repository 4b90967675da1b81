import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createIntegrations, type Session } from '@quickquote/core'
import { testDatabase } from '@quickquote/dev-servers'
import { fastifyIntegrations } from '@quickquote/fastify-integrations'
import { fastifyPortal } from '@quickquote/portal'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import Fastify, { type FastifyRequest } from 'fastify'
import { expect, inject, it, onTestFinished } from 'vitest'
import { hasChromium, openBrowser, styleOf } from './browser.ts'

const ORGANIZATION = '6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e'
const guide = await readFile(resolve(import.meta.dirname, '../../../docs/guides/portal.md'), 'utf8')

function block(language: string): string {
  const code = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1]
  if (code === undefined) throw new Error(`There is no ${language} in the guide.`)
  return code
}

/** Runs the lines of the guide with the names that a host has: the imports are those of this file. */
async function run(code: string, names: Record<string, unknown>): Promise<void> {
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<void>
  await new AsyncFunction(...Object.keys(names), code.replace(/^import .*$/gm, ''))(...Object.values(names))
}

it.runIf(hasChromium || process.env['CI'] !== undefined)(
  'the page and the element that the guide shows are there, with its colors, by cookie and by token',
  async () => {
    const database = await testDatabase(inject('postgresUrl'))
    const storage = drizzleStorage({ connectionString: database.url })
    await storage.migrate()
    const integrations = createIntegrations({
      storage,
      encryptionKeys: [{ id: '1', key: Buffer.alloc(32, 1) }],
      pipeline: {
        start: async () => {},
        signDocumentUrl: async () => ({ url: 'https://files.example.com', expires_at: new Date() }),
      },
    })
    const resolveSession = ({ headers }: FastifyRequest): Session | null =>
      headers.authorization === 'Bearer a-token' || headers.cookie?.includes('session=ada')
        ? { memberId: 'ada', organizations: [{ id: ORGANIZATION, name: 'Acme GmbH', role: 'admin' }] }
        : null
    const app = Fastify()
    const browser = await openBrowser()
    onTestFinished(async () => {
      await browser.close()
      await app.close()
      await integrations.close()
      await database.drop()
    })

    await app.register(fastifyIntegrations, { integrations, resolveSession })
    await run(block('ts'), { app, integrations, resolveSession, fastifyPortal })
    app.get('/login', async (_, reply) => reply.type('text/html').send('<h1>Sign in</h1>'))
    // What a bundler makes of the import.
    const script = block('js').replace("'@quickquote/portal/element'", "'/integrations/element.js'")
    app.get('/own-page', async (_, reply) =>
      reply.type('text/html').send(`<!doctype html><style>${block('css')}</style>${block('html')}
        <script type="module">import ${script.slice(script.indexOf("'"))}</script>
        <script>const getToken = async () => 'a-token'</script>`),
    )
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const page = await browser.newPage()
    page.setDefaultTimeout(30_000)

    await page.goto(`${url}/integrations`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(page.url()).toBe(`${url}/login?next=${encodeURIComponent('/integrations/')}`)
    await page.context().addCookies([{ name: 'session', value: 'ada', url }])
    await page.goto(`${url}/integrations`)
    await page.getByText('Acme GmbH').first().waitFor()
    const create = page.getByRole('button', { name: 'Create key' }).first()
    expect(await styleOf(create, 'backgroundColor')).toBe('rgb(15, 118, 110)')

    await page.context().clearCookies()
    await page.goto(`${url}/own-page`)
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'API keys' }).click()
    await create.waitFor()
    expect(await styleOf(create, 'backgroundColor')).toBe('rgb(102, 51, 153)')
    expect(await page.title()).toBe('Integrations: api-keys')
  },
)
