import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { adminOf, integrationsOn } from '@quickquote/dev-servers/host'
import { expect, it, onTestFinished } from 'vitest'
import { ACME, useDatabase } from './support/host.ts'

const database = useDatabase()
/** Of one key: see the process. */
const WAITS = 50

it('a stop answers every request that waits before its connection is closed, also if the event loop was busy for a second', async () => {
  const integrations = integrationsOn(database.url)
  onTestFinished(() => integrations.close())
  const expires_at = new Date(Date.now() + 86_400_000).toISOString()
  const created = await integrations.apiKeys.create(adminOf(ACME), { name: 'test', expires_at })
  const body = { requirementsText: 'A roof.' }
  const { quotation_id } = await integrations.quotations.start({ organizationId: ACME, source: 'ui', body })
  const path = `/v1/integrations/quotations/${quotation_id}?wait=20`
  const key = created.key.reveal()

  const host = fork(new URL('./programs/busy-host-process.js', import.meta.url), {
    env: { PATH: process.env['PATH'], DATABASE_URL: database.url },
  })
  onTestFinished(() => void host.kill('SIGKILL'))
  const exited = once(host, 'exit')
  const [port] = await once(host, 'message')
  const read = () => fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'X-API-Key': key } })
  const statusOf = async (answer: Promise<Response>) => (await answer).status
  const waiting = Array.from({ length: WAITS + 1 }, read)
  // One more than may wait is answered at once.
  await Promise.race(waiting)

  host.send('block')
  await once(host, 'message')
  const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`
  const unread = await Promise.all(
    Array.from({ length: WAITS }, async () => {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      await new Promise((resolve) => socket.write(head, resolve))
      return { answer: text(socket) }
    }),
  )
  host.kill('SIGTERM')

  expect(await Promise.all(waiting.map(statusOf))).toEqual(Array(WAITS + 1).fill(200))
  const answers = await Promise.all(unread.map(({ answer }) => answer))
  expect(answers.map((answer) => answer.slice(0, 12))).toEqual(
    Array(WAITS).fill(expect.stringMatching(/^HTTP\/1\.1 (200|503)$/)),
  )
  expect(await exited).toEqual([0, null])
})
