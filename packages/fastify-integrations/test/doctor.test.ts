import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import rateLimit from '@fastify/rate-limit'
import { expect, it } from 'vitest'
import { type HostOptions, openHost, useDatabase } from './support/host.ts'

const database = useDatabase()
const WORKER = join(createRequire(import.meta.url).resolve('@quickquote/delivery-worker/package.json'), '..')

/** The findings of the doctor about an app. */
async function examine(options: Omit<HostOptions, 'databaseUrl'>, prefix = '') {
  const host = await openHost({ databaseUrl: database.url, ...options })
  const doctor = spawn(
    process.execPath,
    [
      join(WORKER, 'bin/quickquote-worker.js'),
      'doctor',
      join(WORKER, 'test/programs/cli-host.js'),
      '--json',
      '--url',
      host.url + prefix,
    ],
    { env: { PATH: process.env['PATH'], DATABASE_URL: database.url }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let output = ''
  doctor.stdout.on('data', (bytes) => {
    output += bytes
  })
  await once(doctor, 'close')
  const json = output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)
  const { findings } = JSON.parse(json) as { findings: { code: string; message: string }[] }
  return findings.filter(({ code }) => code.startsWith('APP_'))
}

it('the doctor confirms that an app leaves our routes to the plugin, also below a prefix', async () => {
  expect(await examine({})).toMatchObject([{ code: 'APP_ANSWERS' }])
  expect(await examine({ plugin: { prefix: '/api' } }, '/api/')).toMatchObject([{ code: 'APP_ANSWERS' }])
})

it('the doctor finds a session guard of the app that answers before the plugin', async () => {
  const findings = await examine({
    before(app) {
      app.addHook('onRequest', async (request, reply) => {
        if (!request.url.startsWith('/api-docs')) return reply.code(401).send({ error: 'log in' })
      })
    },
  })
  // On session routes, a 401 of the app is as good as ours.
  expect(findings).toMatchObject([{ code: 'APP_HOOK_ANSWERS' }])
  expect(findings[0]?.message).toContain('GET /v1/integrations/quotations was answered with 401')
  expect(findings[0]?.message).toContain('if (request.routeOptions.config.integrations) return')
})

it('the doctor finds a limiter of the app that counts our requests, but none that exempts them', async () => {
  const withLimiter = (options: object) =>
    examine({ before: async (app) => void (await app.register(rateLimit, { max: 100, ...options })) })
  expect(await withLimiter({})).toMatchObject([{ code: 'APP_LIMITS_TWICE' }])
  const allowList = (request: { routeOptions: { config: { integrations?: unknown } } }) =>
    request.routeOptions.config.integrations !== undefined
  expect(await withLimiter({ allowList })).toMatchObject([{ code: 'APP_ANSWERS' }])
})
