import type { Settings } from '@quickquote/core'
import { verify, type WebhookPayload } from '@quickquote/webhook-signature'
import type { Certificate } from './certificate.ts'
import { type ReceivedWebhook, type Receiver, type ReceiverResponse, startReceiver } from './receiver.ts'

/** A well-behaved partner's receiver: accepts verified webhooks, and fails only on request. */
export interface PartnerReceiver extends Pick<Receiver, 'requests' | 'stop'> {
  readonly url: string
  readonly webhooks: readonly WebhookPayload[]
  /** The expected signing secret: empty until the endpoint exists. */
  secret: string
  answerNext(response: ReceiverResponse, times: number): void
  /** Whether it was asked to fail at this event. Each failure is reported once. */
  wasToldToFail(eventId: string): boolean
}

export async function startPartnerReceiver(
  certificate: Certificate,
  { productName, now }: Pick<Settings, 'productName' | 'now'>,
): Promise<PartnerReceiver> {
  const webhooks: WebhookPayload[] = []
  const answers: ReceiverResponse[] = []
  const toldToFail: string[] = []
  const { url, requests, stop } = await startReceiver({ certificate, respond })

  async function respond({ rawBody: body, headers }: ReceivedWebhook): Promise<ReceiverResponse> {
    let event: WebhookPayload
    try {
      event = await verify({ body, headers, secrets: own.secret, headerPrefix: productName, now: now() })
    } catch (error) {
      return { status: 400, body: `The webhook did not verify. ${error}` }
    }
    const answer = answers.shift() ?? { status: 204 }
    if (isSuccess(answer)) webhooks.push(event)
    else toldToFail.push(event.id)
    return answer
  }

  const own: PartnerReceiver = {
    url: `${url}/webhooks`,
    requests,
    stop,
    webhooks,
    secret: '',
    answerNext(response, times) {
      for (let count = 0; count < times; count += 1) answers.push(response)
    },
    wasToldToFail(eventId) {
      const index = toldToFail.indexOf(eventId)
      if (index !== -1) toldToFail.splice(index, 1)
      return index !== -1
    },
  }
  return own
}

function isSuccess(answer: ReceiverResponse): boolean {
  return 'status' in answer && answer.status >= 200 && answer.status < 300
}
