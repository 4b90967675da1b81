import { type EventEmitter, on } from 'node:events'
import type { StartedQuotation } from '@quickquote/core'
import type { WebhookPayload } from '@quickquote/webhook-signature'
import { call } from './api-client.ts'
import { EXPECTED_EVENTS, untilAllArrived } from './headless-quote.ts'
import { ACME, DEMO_PASSWORD } from './members.ts'
import type { Terminal } from './terminal.ts'

/**
 * Acts as a member in the web app: signs in and starts a quote. It uses the same pipeline, and sends the same webhooks
 * to endpoints with the trigger mode `always`.
 * @throws Error that names the missing webhooks when the signal aborts
 */
export async function runUiQuote({
  apiUrl,
  inbox,
  terminal,
  signal,
}: {
  apiUrl: string
  inbox: EventEmitter<{ webhook: [WebhookPayload] }>
  terminal: Terminal
  signal: AbortSignal
}): Promise<void> {
  const missing = new Set(EXPECTED_EVENTS)
  try {
    const webhooks = on(inbox, 'webhook', { signal })
    const { body: session } = await call<{ token: string }>(`${apiUrl}/login`, {
      status: 200,
      body: { email: 'member@acme.example', password: DEMO_PASSWORD },
      signal,
    })
    terminal.startClock()
    terminal.event('POST', '/quotes, as a member of Acme')
    const { body: started } = await call<StartedQuotation>(`${apiUrl}/quotes`, {
      status: 202,
      headers: { Authorization: `Bearer ${session.token}` },
      body: { organization_id: ACME, name: 'A quote of the web app', requirementsText: '- Sells tea' },
      signal,
    })
    terminal.event('202 Accepted', `quotation ${started.quotation_id}, ${started.status}`)
    const arrived = untilAllArrived(webhooks, started.quotation_id, missing)
    await terminal.progress('waiting for webhooks', arrived)
  } catch (error) {
    if (!signal.aborted) throw error
    throw new Error(`Webhooks of the quote in the web app did not arrive: ${[...missing].join(', ')}.`, {
      cause: error,
    })
  }
}
