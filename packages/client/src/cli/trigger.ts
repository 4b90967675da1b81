import { randomUUID } from 'node:crypto'
import type { WebhookPayload } from '@quickquote/webhook-signature'
import { EXAMPLES } from '../generated/examples.ts'
import { checkUrl, forward, forwardingTo, type Options } from './forward.ts'
import { print } from './print.ts'
import { quoted, UsageError } from './usage-error.ts'

/** Sends a signed example of an event type. @returns the exit code: 0 for a 2xx response */
export async function trigger(type: string, options: Options): Promise<number> {
  const example = (EXAMPLES as readonly WebhookPayload[]).find((each) => each.type === type)
  if (example === undefined) {
    throw new UsageError(
      `Unknown event type ${quoted(type)}. Known types:\n${EXAMPLES.map((each) => `  ${each.type}`).join('\n')}`,
    )
  }
  const url = checkUrl('to', options.to)
  const forwarding = await forwardingTo(url, options)
  const event = { ...example, id: `evt_${randomUUID()}`, created_at: new Date().toISOString() }
  const status = await forward(event, forwarding)
  print(`${type} ${event.id} -> ${status ?? `no response from ${url}`}`)
  return status !== null && status >= 200 && status < 300 ? 0 : 1
}
