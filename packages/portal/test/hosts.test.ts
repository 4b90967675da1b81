import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import helmet from '@fastify/helmet'
import { integrationsOn, NOWHERE } from '@quickquote/dev-servers/host'
import { build } from 'esbuild'
import Fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { fastifyPortal } from '../src/index.ts'

it('with helmet’s defaults, the portal has its own policy and the host keeps its own', async () => {
  const app = Fastify()
  onTestFinished(() => app.close())
  await app.register(helmet)
  await app.register(fastifyPortal, { integrations: integrationsOn(NOWHERE), prefix: '/integrations' })
  app.get('/own', async () => 'own')
  const policyOf = async (url: string) =>
    String((await app.inject({ method: 'GET', url })).headers['content-security-policy'])
  expect(await policyOf('/integrations/')).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'; /,
  )
  expect(await policyOf('/own')).toContain("style-src 'self' https: 'unsafe-inline'")
})

it('a server bundled into one file has the page, its files and the element', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quickquote-bundle-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const source = `
    import { integrationsOn, NOWHERE } from '@quickquote/dev-servers/host'
    import { fastifyPortal } from '@quickquote/portal'
    import Fastify from 'fastify'
    const app = Fastify()
    await app.register(fastifyPortal, { integrations: integrationsOn(NOWHERE), prefix: '/a/portal' })
    const get = async (url) => (await app.inject({ method: 'GET', url })).statusCode
    const { body } = await app.inject({ method: 'GET', url: '/a/portal/' })
    const names = [...body.matchAll(/(?:src|href)="\\.\\/([^"]+)"/g)].map(([, name]) => name)
    console.log(JSON.stringify(await Promise.all([...names, 'element.js'].map((name) => get('/a/portal/' + name)))))
    await app.close()`
  const outfile = join(folder, 'server.mjs')
  await build({
    stdin: { contents: source, resolveDir: resolve(import.meta.dirname), loader: 'js' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'silent',
    // Fastify and its dependencies are CommonJS.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  })
  await writeFile(join(folder, 'package.json'), '{}')
  // Only that file: there is no node_modules.
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], { cwd: folder })
  expect(JSON.parse(stdout)).toEqual([200, 200, 200, 200])
})
