import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import helmet from '@fastify/helmet'
import { complaintsOf, hasChromium } from '@quickquote/dev-servers/browser'
import type { fastifyPortal } from '@quickquote/portal'
import { build, type Plugin } from 'esbuild'
import { compile } from 'svelte/compiler'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compileScript, parse } from 'vue/compiler-sfc'
import { ORGANIZATION } from './front-ends/session.ts'
import { portalHost } from './portal-host.ts'

const FRONT_ENDS = resolve(import.meta.dirname, 'front-ends')
const guide = await readFile(resolve(import.meta.dirname, '../../docs/guides/portal.md'), 'utf8')

/** `virtual:integrations`: the component of the guide. */
function ofTheGuide(language: string, compile: (code: string) => string): Plugin {
  return {
    name: 'of-the-guide',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^virtual:integrations$/ }, ({ path }) => ({ path, namespace: 'guide' }))
      onLoad({ filter: /./, namespace: 'guide' }, () => {
        const code = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1]
        if (code === undefined) throw new Error(`There is no ${language} in the guide.`)
        return { contents: compile(code), loader: 'jsx', resolveDir: FRONT_ENDS }
      })
      onLoad({ filter: /\.svelte$/ }, async ({ path }) => ({
        contents: compileSvelte(await readFile(path, 'utf8')),
        resolveDir: FRONT_ENDS,
      }))
    },
  }
}

/** Compiles as Vue's plugin does, with the option in the guide. */
function compileVue(code: string): string {
  const { descriptor } = parse(code)
  return compileScript(descriptor, {
    id: 'integrations',
    inlineTemplate: true,
    templateOptions: {
      compilerOptions: { isCustomElement: (tag: string) => tag === 'quickquote-integrations' },
    },
  }).content
}

function compileSvelte(code: string): string {
  return compile(code, { generate: 'client' }).js.code
}

async function bundleOf(entry: string, plugin: Plugin): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(FRONT_ENDS, entry)],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    // For the one of Svelte that runs in browsers.
    conditions: ['browser'],
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
    plugins: [plugin],
  })
  return outputFiles?.[0]?.text ?? ''
}

const run = describe.runIf(hasChromium || process.env['CI'] !== undefined)

run('The element, in Chromium, under a content policy without unsafe-inline', () => {
  it.each([
    ['React 19', 'react.jsx', ofTheGuide('jsx', (code) => code)],
    ['Vue 3', 'vue.js', ofTheGuide('vue', compileVue)],
    ['Svelte 5', 'svelte.js', ofTheGuide('svelte', compileSvelte)],
  ])(
    'is a component of a %s app: with a token, the host’s view, navigation, removed and added again',
    async (_, entry, plugin) => {
      const { app, page } = await portalHost((app) =>
        app.register(helmet, {
          contentSecurityPolicy: { directives: { styleSrc: ["'self'"], upgradeInsecureRequests: null } },
        }),
      )
      const script = await bundleOf(entry, plugin)
      app.get('/app.js', async (_, reply) => reply.type('text/javascript').send(script))
      app.get('/favicon.ico', async (_, reply) => reply.code(204).send())
      app.get('/own', async (_, reply) =>
        reply
          .type('text/html')
          .send(
            '<!doctype html><html lang="en"><title>Own</title><div id="app"></div><script type="module" src="/app.js"></script></html>',
          ),
      )
      const complaints = complaintsOf(page)
      await page.goto(`${await app.listen({ port: 0, host: '127.0.0.1' })}/own`)
      const heading = (name: string) => page.getByRole('heading', { name, level: 1 })
      const followed = page.locator('output')

      await heading('API keys').waitFor()
      await page.getByRole('button', { name: 'Create key' }).first().click()
      await page.getByRole('dialog').getByLabel('Name').fill('Of the app')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'I have stored it' }).click()
      await page.getByRole('row', { name: 'Of the app' }).waitFor()

      // The host follows the member's navigation without resetting the view.
      await page.getByRole('link', { name: 'Endpoints' }).click()
      await page.getByRole('button', { name: 'Add an endpoint' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Typed')
      await expect.poll(() => followed.textContent(), { timeout: 30_000 }).toMatch(/^endpoints/)
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Typed')

      // And the member follows the host, after a question about what is typed.
      expect(await page.evaluate("document.querySelector('quickquote-integrations').unsaved")).toBe('draft')
      await page.getByRole('button', { name: 'To the events' }).click()
      await page.getByText('What you have entered is not saved.').waitFor()
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Typed')
      await page.getByRole('button', { name: 'Leave' }).click()
      await heading('Events').waitFor()
      await page.getByRole('button', { name: 'Show or hide' }).click()
      await heading('Events').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Show or hide' }).click()
      await heading('Events').waitFor()
      expect(complaints).toEqual([])
    },
  )

  it('needs no other package, and has types for React, Vue and Svelte', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quickquote-types-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const { resolve: find } = createRequire(import.meta.url)
    const source = dirname(find('@quickquote/portal/package.json'))
    const installed = join(folder, 'node_modules/@quickquote/portal')
    for (const part of ['dist', 'types', 'package.json'])
      await cp(join(source, part), join(installed, part), { recursive: true })
    const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
      await readFile(join(installed, 'package.json'), 'utf8'),
    )
    expect(dependencies).toBeUndefined()
    expect(Object.keys(peerDependenciesMeta)).toEqual(Object.keys(peerDependencies))

    const bare =
      "import '@quickquote/portal/element'\ndocument.querySelector('quickquote-integrations')?.unsaved\n"
    await writeFile(join(folder, 'bare.ts'), bare)
    const options = [
      '--noEmit',
      '--strict',
      '--types',
      '',
      '--module',
      'nodenext',
      '--lib',
      'es2023,dom,dom.iterable',
    ]
    const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc')
    const compiled = (...more: string[]) =>
      promisify(execFile)(process.execPath, [tsc, ...options, ...more], { cwd: folder }).catch(
        ({ stdout }: { stdout: string }) => expect.fail(stdout),
      )
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await compiled('bare.ts')

    for (const name of ['@types/react', 'vue', 'svelte']) {
      const target = join(folder, 'node_modules', name)
      await mkdir(dirname(target), { recursive: true })
      await symlink(resolve(import.meta.dirname, '../node_modules', name), target)
    }
    await cp(join(FRONT_ENDS, 'types.tsx'), join(folder, 'types.tsx'))
    await compiled('--jsx', 'react-jsx', '--skipLibCheck', 'types.tsx')
  })

  it('can be imported during server-side rendering', async () => {
    const { resolve: find } = createRequire(import.meta.url)
    await expect(import(find('@quickquote/portal/element'))).resolves.toBeDefined()
  })
})

run('The page, in Chromium', () => {
  it('works from a bundle of esbuild, below a prefix, beside helmet with its defaults', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quickquote-bundle-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const outfile = join(folder, 'portal.mjs')
    await build({
      stdin: {
        contents: "export { fastifyPortal } from '@quickquote/portal'",
        resolveDir: import.meta.dirname,
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      logLevel: 'silent',
    })
    const bundled: { fastifyPortal: typeof fastifyPortal } = await import(pathToFileURL(outfile).href)

    const { app, page, integrations, resolveSession } = await portalHost((app) => app.register(helmet))
    await app.register(bundled.fastifyPortal, {
      integrations,
      resolveSession,
      prefix: '/app/settings/integrations',
      brand: { name: 'Northwind', tokens: { primary: 'rgb(1, 2, 3)' } },
    })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    await page.context().addCookies([{ name: 'session', value: 'ada', url }])
    const complaints = complaintsOf(page)
    await page.goto(`${url}/app/settings/integrations`)
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
    expect(page.url()).toBe(`${url}/app/settings/integrations/#/${ORGANIZATION}`)
    await page.getByRole('link', { name: 'Endpoints' }).click()
    await page.getByRole('button', { name: 'Add an endpoint' }).click()
    await page.getByLabel('Name', { exact: true }).fill('CRM')
    await page.getByLabel('URL').fill('https://crm.example.com/hook')
    await page.getByRole('button', { name: 'Add an endpoint' }).click()
    // The verification code is a separate file, loaded when shown.
    await page.getByText('fastifyWebhooks').first().waitFor()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('heading', { name: 'CRM', level: 1 }).waitFor()
    expect(complaints).toEqual([])
  })
})
