import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installed } from '@quickquote/dev-servers'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { bodyOf, SECRET, send, signedHeaders } from './support/delivery.ts'
import {
  FRAMEWORKS,
  type Framework,
  isInstalled,
  PACKAGES,
  RESTIFY,
  rowsOfTheGuide,
  startFramework,
} from './support/frameworks.ts'

/** Bytes that no serializer of JSON writes again: white space, an escape, and characters of several bytes. */
const body = bodyOf('evt_größe').replace('{', '{ ').replace('"data":', '"share":1.0,"name":"\\u00e9","data":')
const forged = body.replace('completed', 'failed')

let packages: string

beforeAll(async () => {
  const { folder, remove } = await installed(PACKAGES)
  packages = folder
  const link = join(folder, 'node_modules/@quickquote/webhook-signature')
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(fileURLToPath(new URL('..', import.meta.url)), link)
  return remove
})

const start = (framework: Framework) =>
  startFramework(framework, framework.isFromNpm === true ? packages : undefined)

/** Why it cannot run here. In CI, everything from Debian and npm must be installed. */
function reasonToSkip(framework: Framework): string | undefined {
  if (process.env['CI'] === undefined) return isInstalled(framework) ? undefined : 'it is not installed'
  return framework.isFromMaven === true ? 'it is from Maven' : undefined
}

it('every row of the guide runs here, but the one of the shell, which has no server', () => {
  const rows = rowsOfTheGuide().map(({ framework }) => framework)
  const run = new Set(FRAMEWORKS.map(({ name, row = name }) => row))
  expect(rows.filter((row) => row !== 'bash, openssl')).toEqual([...run])
})

/** What the guide warns of: the path of a receiver, and its answer to a genuine webhook. */
const WARNINGS = [
  ['Django', '/protected', 403],
  ['Rails', '/protected', 422],
  ['Django', '/slash', 301],
  ['FastAPI', '/slash', 307],
  ['net/http', '/slash', expect.toSatisfy((status) => [301, 307].includes(status))],
] as const

it('every warning is of a framework that runs here', () => {
  const names = FRAMEWORKS.map(({ name }) => name)
  expect(WARNINGS.filter(([name]) => !names.includes(name))).toEqual([])
})

describe.each(FRAMEWORKS)('$name', (framework) => {
  let reason: string | undefined
  let origin: string

  // Once for all tests, because some take seconds to start.
  beforeAll(async () => {
    reason = reasonToSkip(framework)
    if (reason !== undefined) return
    const { address, stop } = await start(framework)
    origin = `http://127.0.0.1:${address}`
    return stop
  })

  beforeEach(({ skip }) => skip(reason !== undefined, reason))

  it("a receiver with the row's code accepts genuine webhooks, with either secret, and no others", async () => {
    const status = async (sent: string, headers: Record<string, string>) =>
      (await send(`${origin}/hook`, headers, sent)).status

    const headers = await signedHeaders(body)
    expect(await status(body, headers)).toBe(204)
    const during = await signedHeaders(body, { secret: 'whsec_newer', previous: SECRET })
    expect(await status(body, during)).toBe(204)
    expect(await status(forged, headers)).toBe(401)
    expect(await status(body, await signedHeaders(body, { secret: 'whsec_other' }))).toBe(401)
    expect(await status(body, await signedHeaders(body, { ageSeconds: 310 }))).toBe(401)
    expect(await status(body, { 'Content-Type': 'application/json' })).toBe(401)
  })

  const warnings = WARNINGS.filter(([name]) => name === framework.name)
  it.for(warnings)(
    'what the guide warns of happens: %s answers a webhook to %s with %s',
    async ([, path, expected]) => {
      expect((await send(`${origin}${path}`, await signedHeaders(body), body)).status).toEqual(expected)
    },
  )
})

it('expressWebhooks works in restify, and in another server of a process with it', async ({ skip }) => {
  skip(Number.parseInt(process.versions.node, 10) >= 24, 'restify 11 does not load on Node 24 and later')
  const { address, stop } = await start(RESTIFY)
  onTestFinished(stop)
  for (const port of address.split(' ')) {
    const url = `http://127.0.0.1:${port}/hook`
    expect((await send(url, await signedHeaders(body), body)).status).toBe(204)
    expect(await send(url, await signedHeaders(body), forged)).toMatchObject({
      status: 401,
      text: 'SIGNATURE_MISMATCH',
    })
  }
})
