import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { headerNames, sign } from '@quickquote/webhook-signature'

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw0zJmuqz4kT1xE='

/** The body of an event, distinguished by its ID. */
export function bodyOf(id: string): string {
  return JSON.stringify({
    id,
    type: 'quotation.completed',
    created_at: '2026-11-21T12:43:00.000Z',
    organization_id: '9e8d7c6b-5a4f-4e3d-8c2b-1a0f9e8d7c6b',
    data: {
      quotation_id: '5b1f7d2e-3c4a-4f6b-9a8d-1e2f3a4b5c6d',
      proposal_id: 'c0ffee00-1234-4abc-8def-0123456789ab',
      step: 'proposal',
      status: 'completed',
      error_code: null,
      generation_source: 'api_key',
    },
  })
}

/** The headers of a delivery sent now, or `ageSeconds` ago, also signed with the `previous` secret if there is one. */
export async function signedHeaders(
  body: string,
  { secret = SECRET, previous = '', ageSeconds = 0 } = {},
): Promise<Record<string, string>> {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds
  const names = headerNames()
  return {
    [names.contentType]: 'application/json',
    [names.timestamp]: String(timestamp),
    [names.signature]: await sign({ secret, timestamp, body }),
    ...(previous !== '' && { [names.previousSignature]: await sign({ secret: previous, timestamp, body }) }),
  }
}

export interface Sent {
  readonly status: number
  readonly text: string
  readonly headers: IncomingHttpHeaders
}

/**
 * Sends a request byte by byte as told. A header with several values is sent several times. The parts of a list are chunks
 * of their own; a single body goes with its Content-Length.
 */
export async function send(
  url: string,
  headers: Record<string, string | string[]>,
  body: string | Uint8Array | readonly (string | Uint8Array)[],
  method = 'POST',
): Promise<Sent> {
  const client = request(url, { method, headers, agent: false })
  // A server that refuses a large body may close before all of it is sent; its response counts.
  client.on('error', () => undefined)
  const answered = once(client, 'response')
  if (typeof body === 'string' || body instanceof Uint8Array) client.end(body)
  else {
    for (const part of body) {
      client.write(part)
      await new Promise(setImmediate)
    }
    client.end()
  }
  const [response] = await answered
  return { status: response.statusCode, text: await text(response), headers: response.headers }
}
