import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createCertificate, freePort, startReceiver, testDatabase } from '@quickquote/dev-servers'
import { verify } from '@quickquote/webhook-signature'
import postgres from 'postgres'
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { type Installed, tsc } from './installed.ts'
import { FILES, PACKAGES } from './real-app-files.ts'

const fieldsOf = async (answer: Response) => (await answer.json()) as Record<string, unknown>

/** Of pino: `error` and `fatal`. */
const ERROR = 50

/** A host of the shape of real applications, on the packages as npm installs them. */
export function realAppTests(installed: () => Installed): void {
  describe('An app with autoload, sessions, helmet, rate limits, under-pressure and Knex', () => {
    let folder: string
    beforeAll(() => {
      folder = join(installed().folder, 'real-app')
      const manifest = JSON.stringify({ private: true, type: 'module' })
      for (const [name, text] of Object.entries({ ...FILES, 'package.json': manifest })) {
        mkdirSync(dirname(join(folder, name)), { recursive: true })
        writeFileSync(join(folder, name), text)
      }
      const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', ...PACKAGES]
      execFileSync('npm', install, { cwd: folder, stdio: 'pipe' })
      // The tests run what it emits.
      const { stdout } = spawnSync(tsc, ['-p', '.'], { cwd: folder, encoding: 'utf8' })
      expect(stdout).toBe('')
    }, 600_000)

    it.each(['first', 'last'])(
      'starts a quote, reports its outcome in a transaction, and ends without an error: its hook that closes is added %s',
      async (close) => {
        const app = await start(close)
        const { call } = app
        for (const page of ['/', '/api-docs', '/portal/'])
          expect(await call('GET', page), page).toMatchObject({ status: 200 })

        const organization = randomUUID()
        const cookie =
          (await call('POST', '/sign-in', { organization })).headers.get('set-cookie')?.split(';')[0] ?? ''
        const created = async (path: string, body: object) =>
          fieldsOf(await call('POST', `/v1/organizations/${organization}/${path}`, body, { cookie }))
        const events = ['quotation.proposal.completed', 'quotation.completed']
        const { secret } = await created('webhooks', {
          name: 'CRM',
          url: `${app.receiver.url}/webhooks`,
          events,
        })
        const { key } = await created('api-keys', {
          name: 'ERP',
          expires_at: new Date(Date.now() + 86_400_000),
        })
        const body = { requirementsText: 'Customers sign in and see their invoices.' }
        const quotation = await call('POST', '/v1/integrations/quotations', body, {
          'x-api-key': String(key),
        })
        expect([quotation.status, quotation.headers.get('set-cookie')]).toEqual([202, null])
        const { quotation_id } = await fieldsOf(quotation)

        expect((await call('POST', `/outcomes/${quotation_id}`, { fault: true })).status).toBe(500)
        expect(await (await call('GET', '/outcomes')).json()).toEqual([])
        expect((await call('POST', `/outcomes/${quotation_id}`, {})).status).toBe(200)
        expect(await (await call('GET', '/outcomes')).json()).toEqual([{ quotation_id }])
        await app.receiver.waitFor(events.length)
        const received = await Promise.all(
          app.receiver.requests.map(({ headers, rawBody }) =>
            verify({ headers, body: rawBody, secrets: String(secret) }),
          ),
        )
        expect(received.map(({ type }) => type).sort()).toEqual(events.toSorted())

        const { code, errors } = await app.end()
        expect(code).toEqual([0, null])
        // The fault of the test above.
        expect(errors).toEqual([expect.stringContaining('the host changes its mind')])
      },
    )

    /** @param close whether the app adds its hook that closes the integrations first or last */
    async function start(close: string) {
      const database = await testDatabase(inject('postgresUrl'))
      const sql = postgres(database.url)
      await sql`create table outcomes (quotation_id uuid primary key)`
      await sql.end()
      const certificate = await createCertificate()
      writeFileSync(join(folder, 'ca.pem'), certificate.cert)
      const receiver = await startReceiver({ certificate })
      const port = await freePort()
      const app = spawn(process.execPath, ['dist/server.js'], {
        cwd: folder,
        env: {
          ...process.env,
          PORT: String(port),
          CLOSE: close,
          DATABASE_URL: database.url,
          INTEGRATIONS_KEY: Buffer.alloc(32, 1).toString('base64'),
          NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
        },
      })
      let printed = ''
      for (const stream of [app.stdout, app.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          printed += text
        })
      const ended = once(app, 'close')
      onTestFinished(async () => {
        app.kill('SIGKILL')
        await ended
        await receiver.stop()
        await database.drop()
      })

      const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
        fetch(`http://127.0.0.1:${port}${path}`, {
          method,
          ...(body && { body: JSON.stringify(body) }),
          headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        })
      /** Again while it listens to nobody yet, or the app refuses because the machine is busy. */
      async function call(...request: Parameters<typeof send>): Promise<Response> {
        let answer: Response | undefined
        await expect
          .poll(async () => {
            expect(app.exitCode, printed).toBe(null)
            answer = await send(...request).catch(() => undefined)
            return answer?.status ?? 503
          })
          .not.toBe(503)
        return answer as Response
      }
      async function end() {
        app.kill('SIGTERM')
        const code = await ended
        const lines = printed.split('\n').filter((line) => line !== '')
        return {
          code,
          errors: lines.filter((line) => !line.startsWith('{') || JSON.parse(line).level >= ERROR),
        }
      }
      return { call, receiver, end }
    }
  })
}
