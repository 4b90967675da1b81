import { randomUUID } from 'node:crypto'
import type { WebhookPayload } from '@quickquote/webhook-signature'
import { EXAMPLES } from '../generated/examples.ts'
import { checkUrl, forward } from './forward.ts'
import { signingSecret } from './state.ts'
import { quoted, UsageError } from './usage-error.ts'

/** Sends a signed example of an event type. @returns the exit code: 0 for a 2xx response */
export async function trigger(
  type: string,
  options: Readonly<
    Partial<Record<'to' | 'secret-file' | 'header-prefix', string>> & { 'standard-webhooks'?: boolean }
  >,
): Promise<number> {
  const example = (EXAMPLES as readonly WebhookPayload[]).find((each) => each.type === type)
  if (example === undefined) {
    throw new UsageError(
      `Unknown event type ${quoted(type)}. Known types:\n${EXAMPLES.map((each) => `  ${each.type}`).join('\n')}`,
    )
  }
  const url = checkUrl('to', options.to)
  const secret = await signingSecret(options['secret-file'])
  if (options['secret-file'] === undefined)
    process.stdout.write(`Signing secret of your receiver: ${secret}\n`)
  const event = { ...example, id: `evt_${randomUUID()}`, created_at: new Date().toISOString() }
  const standardWebhooks = options['standard-webhooks'] ?? false
  const headerPrefix = options['header-prefix']
  const status = await forward(event, { url, secret, headerPrefix, standardWebhooks })
  process.stdout.write(`${type} ${event.id} -> ${status ?? `no response from ${url}`}\n`)
  return status !== null && status >= 200 && status < 300 ? 0 : 1
}
