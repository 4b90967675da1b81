import { type EventEmitter, on } from 'node:events'
import { type DocumentUrl, type Proposal, STEPS, type StartedQuotation } from '@quickquote/core'
import type { WebhookPayload } from '@quickquote/webhook-signature'
import { Agent, request } from 'undici'
import { call } from './api-client.ts'
import type { Terminal } from './terminal.ts'

/** The webhooks of a quote that succeeds (specification, "Event catalog"). */
export const EXPECTED_EVENTS: readonly string[] = [
  ...STEPS.map((step) => `quotation.${step}.completed`),
  'quotation.completed',
]

export interface HeadlessQuote {
  readonly apiUrl: string
  readonly apiKey: string
  readonly name: string
  readonly requirementsText: string
  /** Emits `webhook` for each verified webhook. */
  readonly inbox: EventEmitter<{ webhook: [WebhookPayload] }>
  /** The certificate of the example, for the download. */
  readonly ca: string
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

/**
 * Acts as a partner: starts a quote, waits for its webhooks, fetches the proposal and downloads the document.
 * @throws Error that names the missing webhooks when the signal aborts, or the failure
 */
export async function runHeadlessQuote(
  quote: HeadlessQuote,
): Promise<{ quotationId: string; proposalId: string }> {
  const missing = new Set([...EXPECTED_EVENTS, 'the document'])
  try {
    return await quote.terminal.progress('waiting for webhooks', run(quote, missing))
  } catch (error) {
    if (!quote.signal.aborted) throw error
    throw new Error(`Missing: ${[...missing].join(', ')}.`, { cause: error })
  }
}

/**
 * @param missing what has not arrived yet
 */
async function run(quote: HeadlessQuote, missing: Set<string>) {
  const { terminal, signal } = quote
  const api = `${quote.apiUrl}/v1/integrations`
  const headers = { 'X-API-Key': quote.apiKey }
  const read = async <T>(path: string) =>
    (await call<T>(`${api}${path}`, { status: 200, headers, signal })).body
  // Listen first: a webhook may be faster than the response.
  const webhooks = on(quote.inbox, 'webhook', { signal })

  terminal.startClock()
  terminal.event('POST', '/v1/integrations/quotations')
  const { body: started } = await call<StartedQuotation>(`${api}/quotations`, {
    status: 202,
    headers,
    body: { name: quote.name, requirementsText: quote.requirementsText },
    signal,
  })
  const quotationId = started.quotation_id
  terminal.event('202 Accepted', `quotation ${quotationId}, ${started.status}`)

  await untilAllArrived(webhooks, quotationId, missing)

  const proposal = await read<Proposal>(`/quotations/${quotationId}/proposal`)
  terminal.event('proposal', `“${proposal.name}”, ${proposal.status}`)
  const link = await read<DocumentUrl>(`/proposals/${proposal.id}/document-url`)
  terminal.event('document URL', `${link.url.split('?', 1)[0]}?… until ${link.expires_at}`)
  const pdf = await download(link.url, quote)
  missing.delete('the document')
  terminal.event('document', `PDF, ${countPages(pdf)} pages, ${pdf.length.toLocaleString('en')} bytes`)
  return { quotationId, proposalId: proposal.id }
}

/**
 * Waits for the webhooks of a successful quotation.
 * @param missing what has not arrived yet
 * @throws Error if the quote fails
 */
export async function untilAllArrived(
  webhooks: AsyncIterable<WebhookPayload[]>,
  quotationId: string,
  missing: Set<string>,
): Promise<void> {
  for await (const [event] of webhooks) {
    if (event?.data.quotation_id !== quotationId) continue
    const { type, data } = event
    if (type === 'quotation.failed') throw new Error(`The quote failed in ${data.step}: ${data.error_code}.`)
    missing.delete(type)
    if (!EXPECTED_EVENTS.some((each) => missing.has(each))) return
  }
}

async function download(url: string, { ca, signal }: HeadlessQuote): Promise<Buffer> {
  const dispatcher = new Agent({ connect: { ca } })
  try {
    const { statusCode, body } = await request(url, { dispatcher, signal })
    const bytes = Buffer.from(await body.arrayBuffer())
    if (statusCode !== 200 || !bytes.subarray(0, 5).equals(Buffer.from('%PDF-'))) {
      throw new Error(`The link to the document returned ${statusCode} and no PDF.`)
    }
    return bytes
  } finally {
    await dispatcher.close()
  }
}

function countPages(pdf: Buffer): number {
  return pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0
}
