import type { ReceivedWebhook } from '@quickquote/dev-servers'

/** The parts of a webhook event that these tests look at. */
export interface ReceivedEvent {
  readonly id: string
  readonly type: string
  readonly data: {
    readonly quotation_id: string
    readonly proposal_id: string | null
    readonly step: string
    readonly status: string
    readonly error_code: string | null
    readonly generation_source: string
  }
}

export function eventOf(request: ReceivedWebhook): ReceivedEvent {
  return JSON.parse(request.rawBody.toString('utf8'))
}
