import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { hasChromium, styleOf } from '@quickquote/dev-servers/browser'
import { fastifyPortal } from '@quickquote/portal'
import { expect, it } from 'vitest'
import { portalHost } from './portal-host.ts'

const guide = await readFile(resolve(import.meta.dirname, '../../docs/guides/portal.md'), 'utf8')

function block(language: string): string {
  const code = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1]
  if (code === undefined) throw new Error(`There is no ${language} in the guide.`)
  return code
}

/** Runs the code of the guide with the host's names; the imports are those of this file. */
async function run(code: string, names: Record<string, unknown>): Promise<void> {
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<void>
  await new AsyncFunction(...Object.keys(names), code.replace(/^import .*$/gm, ''))(...Object.values(names))
}

it.runIf(hasChromium || process.env['CI'] !== undefined)(
  'the page and the element of the guide work, with its colors, by cookie and by token',
  async () => {
    const { app, page, integrations, resolveSession } = await portalHost()
    await run(block('ts'), { app, integrations, resolveSession, fastifyPortal })
    app.get('/login', async (_, reply) => reply.type('text/html').send('<h1>Sign in</h1>'))
    // As a bundler resolves the import.
    const script = block('js').replace("'@quickquote/portal/element'", "'/integrations/element.js'")
    app.get('/own-page', async (_, reply) =>
      reply.type('text/html').send(`<!doctype html><style>${block('css')}</style>${block('html')}
        <script type="module">import ${script.slice(script.indexOf("'"))}</script>
        <script>const getToken = async () => 'a-token'</script>`),
    )
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
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
