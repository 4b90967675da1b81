import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { createClient } from '../client.ts'
import { followPages } from '../events.ts'
import { sleep } from '../waiting.ts'
import { checkUrl, type Forwarding, forward, forwardingTo, type Options } from './forward.ts'
import { print } from './print.ts'
import { position } from './state.ts'
import { UsageError } from './usage-error.ts'

const RETRY_MS = 2000

/** Forwards each event of the feed, until the signal aborts. */
export async function listen(options: Options, signal: AbortSignal): Promise<void> {
  const baseUrl = checkUrl('base-url', options['base-url'] ?? process.env['QUICKQUOTE_BASE_URL'])
  const url = checkUrl('forward-to', options['forward-to'])
  const apiKey = process.env['QUICKQUOTE_API_KEY'] ?? (await askForKey())
  const { events } = createClient({ baseUrl, apiKey })
  const known = position(baseUrl, apiKey)
  const types = options.types?.split(',')

  const after = options.after ?? (await known.read()) ?? 'latest'
  const forwarding = await forwardingTo(url, options)
  print(`Forwarding events to ${url}. Press Ctrl+C to stop.`)
  let isAway = false
  const onDisconnect = ({ message }: Error) => {
    isAway = true
    print(`${message}. Waiting for the service.`)
  }
  const feed = { after, signal, onDisconnect, ...(types !== undefined && { types }) }
  for await (const page of followPages(events.list, feed)) {
    if (isAway) print('The service is back.')
    isAway = false
    for (const event of page.events) {
      await deliver(event, forwarding, signal)
      await known.write(event.id)
    }
    await known.write(page.next)
  }
}

/** Sends the event until there is a response, whatever its status. */
async function deliver(
  event: Parameters<typeof forward>[0],
  forwarding: Forwarding,
  signal: AbortSignal,
): Promise<void> {
  for (let hasSaid = false; ; hasSaid = true) {
    const begun = performance.now()
    const status = await forward(event, forwarding, signal)
    if (status !== null) {
      print(`${event.type} ${event.id} -> ${status} (${Math.round(performance.now() - begun)} ms)`)
      return
    }
    if (!hasSaid) print(`${event.type} ${event.id} -> no response from ${forwarding.url}. Waiting for it.`)
    await sleep(RETRY_MS, signal)
  }
}

/** Does not echo the input. @throws UsageError without a terminal */
async function askForKey(): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError('Set QUICKQUOTE_API_KEY to an API key of your organization.')
  process.stdout.write('API key: ')
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return (await terminal.question('')).trim()
  } finally {
    terminal.close()
    process.stdout.write('\n')
  }
}
