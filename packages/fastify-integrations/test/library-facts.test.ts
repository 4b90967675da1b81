import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { build } from 'esbuild'
import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'

/**
 * The facts of decision 0021. If one of these fails, a library has changed for the better: read the decision again, and use
 * more of that library.
 */

const run = promisify(execFile)
let app: FastifyInstance
afterEach(() => app?.close())

describe('@fastify/multipart 10.1', () => {
  it('does not boot a second time in a scope of the app that registered it', async () => {
    // In a process of its own, which this ends.
    const program = `import fastify from 'fastify'; import multipart from '@fastify/multipart'
      const app = fastify(); await app.register(multipart); await app.register(async (scope) => scope.register(multipart))`
    await expect(
      run(process.execPath, ['--input-type=module', '-e', program], { cwd: import.meta.dirname }),
    ).rejects.toThrow("Content type parser 'multipart/form-data' already present")
  })

  it('does not give out the headers of a part', async () => {
    app = fastify()
    await app.register(multipart)
    app.post('/', async (request) => {
      const part = await request.file()
      await part?.toBuffer()
      return Object.keys(part ?? {})
    })
    const form = new FormData()
    form.append('file', new Blob(['text'], { type: 'text/plain' }), 'a.txt')
    const body = new Response(form)
    const { headers } = body
    const answer = await app.inject({
      method: 'POST',
      url: '/',
      headers: Object.fromEntries(headers),
      payload: Buffer.from(await body.arrayBuffer()),
    })
    expect(answer.json()).toEqual(expect.arrayContaining(['filename', 'mimetype', 'encoding']))
    expect(answer.json()).not.toContain('headers')
  })
})

describe('@fastify/rate-limit 11.2', () => {
  const limitOf = (scope: FastifyInstance, max: number) => scope.createRateLimit({ max, timeWindow: 60_000 })

  it('gives a scope that registers it again the decorator and the store of the host', async () => {
    app = fastify()
    class HostStore {
      static used = 0
      incr(_: string, callback: (error: Error | null, result: { current: number; ttl: number }) => void) {
        HostStore.used += 1
        callback(null, { current: 1, ttl: 1000 })
      }
      child() {
        return this
      }
    }
    await app.register(rateLimit, { global: false, store: HostStore as never })
    await app.register(async (scope) => {
      await scope.register(rateLimit, { global: false })
      const limit = limitOf(scope, 1)
      scope.get('/', async (request) => limit(request))
    })
    await app.inject('/')
    expect(HostStore.used).toBe(1)
  })

  it('counts a request in one limit although another refuses it, and refused ones, too', async () => {
    app = fastify()
    const counted: string[] = []
    class Store {
      incr(key: string, callback: (error: null, result: { current: number; ttl: number }) => void) {
        counted.push(key)
        callback(null, { current: counted.filter((each) => each === key).length, ttl: 1000 })
      }
      child() {
        return this
      }
    }
    await app.register(rateLimit, { global: false, store: Store as never })
    const [requests, starts] = [5, 1].map((max) =>
      app.createRateLimit({ max, timeWindow: 60_000, keyGenerator: () => String(max) }),
    )
    app.get('/', async (request) => [await requests?.(request), await starts?.(request)])
    for (let request = 0; request < 3; request += 1) await app.inject('/')
    expect(counted).toEqual(['5', '1', '5', '1', '5', '1'])
  })
})

describe('@fastify/swagger 9.9', () => {
  it('cannot refer to a shared response or header, and takes every body for required', async () => {
    app = fastify()
    const component = { description: 'Shared.', schema: { type: 'string' } } as const
    const schema = { body: { type: 'object' }, response: { 200: { $ref: 'answer#' }, 400: problem() } }
    await app.register(swagger, { openapi: { openapi: '3.1.0', components: { headers: { component } } } })
    app.addSchema({
      $id: 'answer',
      description: 'An answer.',
      content: { 'text/plain': { schema: { type: 'string' } } },
    })
    app.post(
      '/',
      { schema, validatorCompiler: () => () => true, serializerCompiler: () => String },
      () => 'ok',
    )
    await app.ready()
    const { responses, requestBody } = JSON.parse(JSON.stringify(app.swagger())).paths['/'].post
    expect(responses[200]).toHaveProperty('content')
    expect(responses[400].headers.Shared).toEqual({ schema: { $ref: '#/components/headers/component' } })
    expect(requestBody.required).toBe(true)
  })

  it('documents schemas of addSchema, which a scope cannot add under a name of the host', async () => {
    app = fastify()
    app.addSchema({ $id: 'Problem', type: 'object' })
    await app.register(async (scope) => {
      expect(() => scope.addSchema({ $id: 'Problem', type: 'string' })).toThrow('already declared')
    })
    await app.ready()
  })

  const problem = () => ({
    type: 'null',
    description: 'A problem.',
    headers: { Shared: { $ref: '#/components/headers/component' } },
  })
})

describe('@fastify/swagger-ui 6.1', () => {
  it('works in a scope of its own beside the one of the host', async () => {
    app = fastify()
    for (const prefix of ['/host', '/ours']) {
      await app.register(async (scope) => {
        await scope.register(swagger)
        await scope.register(swaggerUi, { routePrefix: prefix })
      })
    }
    expect((await app.inject('/ours/')).statusCode).toBe(200)
    expect((await app.inject('/host/')).statusCode).toBe(200)
  })

  it('does not boot in an app that is bundled into one file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bundled-'))
    const outfile = join(folder, 'app.cjs')
    const contents = `const app = require('fastify')(); app.register(require('@fastify/swagger'))
      app.register(require('@fastify/swagger-ui')); app.ready().then(() => app.close())`
    await build({
      stdin: { contents, resolveDir: import.meta.dirname },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      logLevel: 'error',
    })
    await expect(run(process.execPath, [outfile])).rejects.toThrow(/ENOENT.*logo\.svg/s)
    await rm(folder, { recursive: true })
  })

  it('brings some 20 packages and 12 MB that Fastify and @fastify/swagger do not have', async () => {
    const [ui, ...others] = await Promise.all(
      ['@fastify/swagger-ui', 'fastify', '@fastify/swagger'].map((name) =>
        packagesOf(name, import.meta.dirname),
      ),
    )
    const brought = [...(ui ?? [])].filter((folder) => !others.some((other) => other.has(folder)))
    const sizes = await Promise.all(brought.map(sizeOf))
    expect(brought.length).toBeGreaterThan(15)
    expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(10_000_000)
  })

  it('asks for Node 22, by content-disposition', async () => {
    const ui = createRequire(createRequire(import.meta.url).resolve('@fastify/swagger-ui'))
    const main = createRequire(ui.resolve('@fastify/static')).resolve('content-disposition')
    const folder = main.slice(0, main.lastIndexOf('content-disposition/'))
    const manifest = await readFile(join(folder, 'content-disposition/package.json'), 'utf8')
    expect(JSON.parse(manifest).engines).toEqual({ node: '>=22' })
  })
})

/** The folders of a package and of all that it depends on. */
async function packagesOf(name: string, from: string, found = new Set<string>()): Promise<Set<string>> {
  const places = createRequire(join(from, 'package.json')).resolve.paths(name) ?? []
  const place = places.map((each) => join(each, name)).find((each) => existsSync(each))
  const folder = await realpath(place ?? '')
  if (found.has(folder)) return found
  found.add(folder)
  const { dependencies = {} } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  for (const each of Object.keys(dependencies)) await packagesOf(each, folder, found)
  return found
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = files.map(async (file) => (await stat(join(file.parentPath, file.name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
