import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { createIntegrations, type Integrations, memberOf } from '@quickquote/core'
import { DELIVERY_FAILURES } from '@quickquote/core/internal'
import { startReceiver } from '@quickquote/dev-servers'
import { adminOf, hostOptions } from '@quickquote/dev-servers/host'
import { openIntegrations } from '@quickquote/dev-servers/vitest'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ACME } from '../../examples/demo/src/members.ts'

const SERVER = resolve(import.meta.dirname, '../../examples/demo')
const PROGRAM = join(SERVER, 'node_modules/.bin/quickquote-worker')
const INTEGRATIONS_KEY = Buffer.alloc(32, 1)

let guide: string

beforeAll(async () => {
  guide = await readFile(resolve(SERVER, '../../docs/guides/operations.md'), 'utf8')
})

/** The output lines of a program that ends by itself or is stopped. */
function run(args: string[], env: Record<string, string> = {}) {
  const program: ChildProcess = spawn(PROGRAM, args, { env: { PATH: process.env['PATH'], ...env } })
  const lines: string[] = []
  for (const output of [program.stdout, program.stderr]) {
    if (output !== null) createInterface(output).on('line', (line) => lines.push(line))
  }
  const ended = once(program, 'close').then(([code]) => code as number | null)
  return { program, lines, ended }
}

/** The code in the first column of the table below a heading. */
function firstColumn(heading: string): string[] {
  const [, section = ''] = guide.split(`\n## ${heading}\n`)
  const rows = section.split('\n## ')[0]?.matchAll(/^\| (`[^|]*) \|/gm) ?? []
  return [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
}

describe('the guide to operations', () => {
  it('contains the output of --help', async () => {
    const { lines, ended } = run(['--help'])
    expect(await ended).toBe(0)
    expect(guide).toContain('](../reference/options.md#quickquote-worker)')
    const reference = await readFile(resolve(SERVER, '../../docs/reference/options.md'), 'utf8')
    expect(reference).toContain(`\`\`\`text\n${lines.join('\n')}\n\`\`\``)
  })

  it('shows a module and a container that run and stop, and names every field in the log line of an attempt', async () => {
    const receiver = await startReceiver({ respond: () => ({ status: 500 }) })
    const folder = await mkdtemp(join(SERVER, 'node_modules/.operations-guide-'))
    onTestFinished(async () => {
      await receiver.stop()
      await rm(folder, { recursive: true })
    })
    const [, module = ''] = guide.match(/```js\n([\s\S]*?)```/) ?? []
    await writeFile(join(folder, 'integrations.js'), module)
    await writeFile(
      join(folder, 'pipeline.js'),
      'export const pipeline = { async start() {}, async signDocumentUrl() {} }',
    )
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    const databaseUrl = await recordAnEvent(receiver.url)

    const { program, lines, ended } = run([join(folder, 'integrations.js')], {
      DATABASE_URL: databaseUrl,
      INTEGRATIONS_KEY: INTEGRATIONS_KEY.toString('base64'),
      QUICKQUOTE_HEALTH_PORT: '0',
    })
    const attempted = () =>
      lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'delivery.attempted')
    await expect.poll(attempted).toBeDefined()

    const { port } = lines.map((line) => JSON.parse(line)).find(({ port }) => port !== undefined)
    const probes = [...guide.matchAll(/httpGet: \{ path: (\S+), port: 8081 \}/g)].map(([, path]) => path)
    expect(probes).toHaveLength(2)
    for (const path of probes) expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(200)
    // The container runs the program directly, so that its stop signal reaches it.
    const [command, ...others] = [...guide.matchAll(/^(?:CMD| +command:) (\[.*\])$/gm)].map(([, each = '']) =>
      JSON.parse(each),
    )
    expect(others).toEqual([command])
    expect([join(SERVER, command[0]), command[1]]).toEqual([PROGRAM, './integrations.js'])
    program.kill('SIGTERM')

    expect(await ended).toBe(0)
    const { level, time, pid, hostname, msg, ...fields } = attempted()
    expect(firstColumn('Logs').sort()).toEqual(Object.keys(fields).sort())
    expect(fields).toMatchObject({ status: 'rejected', error_code: 'address_blocked', attempt: 1 })
  })

  it('shows working warning hooks', async () => {
    const databaseUrl = await recordAnEvent('https://receiver.example/')
    const [, section = ''] = guide.split('\n## Early warnings\n')
    const [, code = ''] = section.match(/```ts\n([\s\S]*?)```/) ?? []
    const mails: { key: string; to: string[]; subject: string }[] = []
    const given = {
      createIntegrations,
      storage: drizzleStorage({ connectionString: databaseUrl }),
      pipeline: hostOptions.pipeline,
      encryptionKeys: [{ id: '1', key: INTEGRATIONS_KEY }],
      sendMail: (mail: (typeof mails)[number]) => mails.push(mail),
      adminsOf: (organizationId: string) => [`admins of ${organizationId}`],
    }
    const build = new Function(...Object.keys(given), `${code}; return integrations`)
    const integrations: Integrations = build(...Object.values(given))
    onTestFinished(() => integrations.close())
    const member = memberOf({ memberId: 'ada', organizations: [{ id: ACME }] }, ACME)
    const expires_at = new Date(Date.now() + 60 * 24 * 60 * 60 * 1000).toISOString()
    const key = await integrations.apiKeys.create(member, { name: 'CRM', expires_at })
    const client = postgres(databaseUrl)
    onTestFinished(() => client.end())
    await client`update quickquote.api_keys set expires_at = now() + interval '167 hours'`
    await client`insert into quickquote.endpoint_health (endpoint_id, failing_since)
      select id, now() - interval '7 hours' from quickquote.webhook_endpoints`

    expect(await integrations.sendWarnings()).toBe(1)
    expect(mails.map(({ to, subject }) => ({ to, subject }))).toEqual([
      { to: [`admins of ${ACME}`], subject: 'Webhooks to receiver fail' },
    ])
    await client`update quickquote.api_keys set created_at = now() - interval '30 days'`
    expect(await integrations.sendWarnings()).toBe(1)
    expect(mails[1]).toMatchObject({
      to: ['ada'],
      subject: `Your API key ${key.masked_key} expires in 7 days`,
    })
    expect(mails[0]?.key).not.toBe(mails[1]?.key)
  })

  it('names every error code of the worker', () => {
    for (const code of Object.keys(DELIVERY_FAILURES)) expect(guide).toContain(`\`${code}\``)
  })
})

/** An event for an endpoint with a forbidden address. @returns its database */
async function recordAnEvent(url: string): Promise<string> {
  const encryptionKeys = [{ id: '1', key: INTEGRATIONS_KEY }]
  const { integrations, databaseUrl } = await openIntegrations({ encryptionKeys })
  await integrations.webhookEndpoints.create(adminOf(ACME), {
    name: 'receiver',
    url,
    events: ['quotation.requirement_analysis.completed'],
  })
  const { quotation_id } = await integrations.quotations.start({
    organizationId: ACME,
    source: 'api_key',
    body: { requirementsText: 'A roof.' },
  })
  await integrations.pipeline(quotation_id).stepCompleted('requirement_analysis')
  return databaseUrl
}
