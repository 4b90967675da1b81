// `npx -y pnpm@12.21.0 demo`: the whole example in one process, with a headless quote, one of the web app, and commands
// to try next. With --once it stops after the quotes, and exits with 0 only if every webhook arrived and verified.
import { EventEmitter } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { usePostgres } from '@quickquote/dev-servers'
import type { WebhookPayload } from '@quickquote/webhook-signature'
import { pino } from 'pino'
import { curlLines } from './curl-lines.ts'
import { EXPECTED_EVENTS, runHeadlessQuote } from './headless-quote.ts'
import { hostSecrets } from './host-secrets.ts'
import { createLogger } from './logger.ts'
import { ACME } from './members.ts'
import { seed } from './seed.ts'
import { demoSettings } from './settings.ts'
import { startServer } from './start-server.ts'
import { createTerminal } from './terminal.ts'
import { runUiQuote } from './ui-quote.ts'
import { untilStopped } from './until-stopped.ts'

const REQUIREMENTS = resolve(import.meta.dirname, '../requirements/customer-portal.md')

const once = process.argv.includes('--once')
const terminal = createTerminal(process.stdout, process.env)
const interruption = new AbortController()
const interrupted = untilStopped().then(() => interruption.abort())

/** Stops the started parts, in the order of their start. */
const stops: (() => Promise<void>)[] = []

async function demo(): Promise<void> {
  const settings = demoSettings(process.env)
  const { dataFolder } = settings
  await mkdir(dataFolder, { recursive: true })
  const { certificate } = await hostSecrets(dataFolder)
  terminal.title('Quick Quote integrations, end to end')
  terminal.fact('Data', dataFolder)

  const postgres = await start('PostgreSQL', () =>
    usePostgres({
      dataDir: join(dataFolder, 'postgres'),
      onProgress: (line) => terminal.fact('PostgreSQL', line),
    }),
  )
  if (process.env['DATABASE_URL']) terminal.fact('PostgreSQL', 'the server of DATABASE_URL')

  const log = join(dataFolder, 'demo.log')
  const logger = createLogger(settings.logLevel, pino.destination({ dest: log, append: false, sync: true }))
  const server = await start('the host app and its worker', () =>
    startServer({ ...settings, databaseUrl: postgres.url }, logger),
  )
  terminal.fact('Host app', `${server.url} (documents: ${server.httpsUrl})`)
  const partner = server.receiver.inbox('demo')
  terminal.fact('Receiver', `${partner.url} (the partner's, HTTPS)`)
  terminal.fact('Log', log)
  const [{ quotes } = { quotes: 0 }] = await server.host.sql<{ quotes: number }[]>`
    select count(*)::int as quotes from quickquote.quotations`
  terminal.fact('Earlier quotes', String(quotes))

  const inbox = new EventEmitter<{ webhook: [WebhookPayload] }>()
  partner.listen(({ event, refusal, repeated }) => {
    if (event === null) return terminal.event('webhook', `refused, ${refusal}`)
    showWebhook(event, repeated)
    inbox.emit('webhook', event)
  })
  const { apiKey, signingSecret, isNewEndpoint } = await seed(server.url, partner.url)
  partner.trust(signingSecret)
  terminal.fact('API key', `${apiKey} (new, shown only once)`)
  terminal.fact('Endpoint', isNewEndpoint ? 'new' : 'kept from the last start, with a new secret')

  terminal.title('A headless quote from requirements/customer-portal.md')
  const requirementsText = await readFile(REQUIREMENTS, 'utf8')
  const giveUp = new AbortController()
  const deadline = setTimeout(() => giveUp.abort(), settings.deadlineMs)
  stops.push(async () => clearTimeout(deadline))
  void interrupted.then(() => giveUp.abort())
  const quote = await runHeadlessQuote({
    apiUrl: server.url,
    apiKey,
    name: 'Customer portal',
    requirementsText,
    inbox,
    ca: certificate.cert,
    terminal,
    signal: giveUp.signal,
  })
  const count = EXPECTED_EVENTS.length
  terminal.good(
    `${count} of ${count} webhooks arrived with a valid signature, and the document was downloaded.`,
  )

  terminal.title('A quote that a member starts in the web app')
  await runUiQuote({ apiUrl: server.url, inbox, terminal, signal: giveUp.signal })
  clearTimeout(deadline)
  terminal.good(`The same ${count} webhooks, with the generation source \`ui\`.`)
  if (once) return

  terminal.title(`Continue in a browser: ${server.url}`)
  terminal.title('Continue in another terminal')
  terminal.plain(
    curlLines({ ...quote, apiUrl: server.url, apiKey, organizationId: ACME, receiverUrl: partner.url }),
  )
  terminal.title('Ctrl-C stops the demo. New webhooks appear here.')
  await interrupted
}

/** Starts one part, unless Ctrl-C was pressed. */
async function start<Part extends { stop(): Promise<void> }>(
  label: string,
  startPart: () => Promise<Part>,
): Promise<Part> {
  interruption.signal.throwIfAborted()
  const part = await terminal.progress(`starting ${label}`, startPart())
  stops.push(() => terminal.progress(`stopping ${label}`, part.stop()))
  return part
}

function showWebhook({ type, data }: WebhookPayload, repeated: boolean): void {
  const notes = [
    'signature verified',
    data.generation_source,
    data.error_code,
    repeated ? 'repeated' : null,
  ].filter(Boolean)
  terminal.event('webhook', `${type.padEnd(44)} ${notes.join(', ')}`)
}

try {
  await demo()
} catch (error) {
  if (once || !interruption.signal.aborted) terminal.bad((error as Error).message)
  process.exitCode = interruption.signal.aborted && !once ? 0 : 1
}
for (const stop of stops.reverse()) {
  await stop().catch((error: Error) => {
    terminal.bad(error.message)
    process.exitCode = 1
  })
}
if (interruption.signal.aborted) terminal.good('Stopped. The data is kept for the next start.')
// A failed start may have left something open.
if (process.exitCode === 1) process.exit()
