import type { Proposal } from '@quickquote/core'
import { type ReceivedWebhook, startReceiver } from '@quickquote/dev-servers'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import postgres from 'postgres'
import { it, type TestContext } from 'vitest'
import { EXPECTED_EVENTS } from '../../examples/demo/src/headless-quote.ts'
import { hostSecrets } from '../../examples/demo/src/host-secrets.ts'
import { type ExampleProcess, runExample, temporaryFolder, urlOf } from './example-process.ts'
import { createPartner, read, startQuote } from './partner-client.ts'
import { eventOf } from './received-event.ts'
import { secretsIn } from './secrets.ts'

// A killed worker is noticed after 15 seconds without a heartbeat.
const AFTER_A_CRASH = { timeoutMs: 60_000 }
const TEST_TIMEOUT_MS = 300_000

/** A database, a data folder, processes on them, and a receiver that does not respond until released. */
async function setUp({ onTestFinished }: Pick<TestContext, 'onTestFinished'>) {
  const database = await emptyDatabase()
  const folder = await temporaryFolder()
  const processes: ExampleProcess[] = []
  const unanswered = new Set<ReceivedWebhook>()
  let answers = false
  const receiver = await startReceiver({
    certificate: (await hostSecrets(folder.path)).certificate,
    respond(request) {
      if (answers) return { status: 204 }
      unanswered.add(request)
      return { hang: true }
    },
  })
  const stop = () => Promise.all(processes.map((example) => example.end('SIGTERM')))
  onTestFinished(async () => {
    await stop()
    await receiver.stop()
    await database.drop()
    await folder.remove()
  })

  return {
    database,
    receiver,
    run(entry: 'server' | 'worker', env: Record<string, string> = {}): ExampleProcess {
      const example = runExample(entry, {
        DATABASE_URL: database.url,
        DATA_FOLDER: folder.path,
        PIPELINE_STEP_MS: '200',
        ...env,
      })
      processes.push(example)
      return example
    },
    answerFromNowOn() {
      answers = true
    },
    /** The answered webhook of a type. */
    received: (type: string) =>
      receiver.next((request) => !unanswered.has(request) && eventOf(request).type === type, AFTER_A_CRASH),
    /** Stops all processes, and returns the secrets that they printed. */
    async secretsPrinted(): Promise<string[]> {
      await stop()
      return processes.flatMap((example) => secretsIn(example.output(), [database.url]))
    },
  }
}

it.concurrent(
  'the host killed right after a 202: after a restart the quote runs and every webhook arrives',
  async ({ expect, onTestFinished }) => {
    const { run, receiver, answerFromNowOn, received, secretsPrinted } = await setUp({ onTestFinished })
    const server = run('server')
    const { apiKey } = await createPartner(await urlOf(server), { url: receiver.url })

    const quotationId = await startQuote(await urlOf(server), apiKey, {
      requirementsText: '- Survives a crash',
    })
    await server.end('SIGKILL')
    answerFromNowOn()

    const restarted = run('server')
    for (const type of EXPECTED_EVENTS) {
      expect(eventOf(await received(type)).data.quotation_id).toBe(quotationId)
    }
    const proposal = await read<Proposal>(
      await urlOf(restarted),
      apiKey,
      `/quotations/${quotationId}/proposal`,
    )
    expect(proposal.document_id).not.toBeNull()
    expect(await secretsPrinted()).toEqual([])
  },
  TEST_TIMEOUT_MS,
)

it.concurrent(
  'the worker killed while it sends: after a restart every webhook arrives, and the cut-off attempt is on record',
  async ({ expect, onTestFinished }) => {
    const { run, receiver, database, answerFromNowOn, received, secretsPrinted } = await setUp({
      onTestFinished,
    })
    const server = run('server', { RUN_WORKER: 'false' })
    const worker = run('worker')
    await worker.printed(/"ready"/)
    const url = await urlOf(server)
    const { apiKey } = await createPartner(url, { url: receiver.url })

    await startQuote(url, apiKey, { requirementsText: '- Arrives' })
    const cutOff = eventOf(await receiver.next())
    await worker.end('SIGKILL')
    answerFromNowOn()

    run('worker')
    for (const type of EXPECTED_EVENTS) await received(type)
    // A stopping worker records what it sent.
    expect(await secretsPrinted()).toEqual([])

    const copies = receiver.requests.map(eventOf).filter((event) => event.id === cutOff.id)
    expect(copies).toHaveLength(2)
    const sql = postgres(database.url, { max: 1 })
    const attempts = await sql`
      select attempt, status from quickquote.delivery_attempts
      where event_id = ${cutOff.id.slice('evt_'.length)} order by attempt`
    await sql.end()
    expect(attempts).toMatchObject([
      { attempt: 1, status: 'interrupted' },
      { attempt: 2, status: 'succeeded' },
    ])
  },
  TEST_TIMEOUT_MS,
)
