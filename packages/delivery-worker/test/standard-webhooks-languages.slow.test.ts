import type { ReceivedWebhook } from '@quickquote/dev-servers'
import { expect, it } from 'vitest'
import {
  type Delivery,
  LANGUAGES,
  MISCONFIGURED,
  missingFor,
  verdictsOf,
} from '../../webhook-signature/test/support/languages.ts'
import { rotated } from './support/rotated-secret.ts'

it.for(LANGUAGES)(
  '$name: the receiver in the guide verifies our webhooks, using only the specification',
  { timeout: 300_000 },
  async (language, { skip }) => {
    const missing = missingFor(language)
    skip(missing.length > 0, `${missing.join(' and ')} is not installed`)
    const { secret, between, another, before, during } = await rotated({ standardWebhooks: true })
    const deliveryOf = ({ rawBody, headers }: ReceivedWebhook, key: string): Delivery => ({
      now: Number(headers['webhook-timestamp']),
      timestamp: `${headers['webhook-timestamp']}`,
      signature: `${headers['webhook-signature']}`,
      id: `${headers['webhook-id']}`,
      secrets: [key],
      body: rawBody.toString(),
    })
    const sent = deliveryOf(before, secret)
    const cases: Record<string, Delivery> = {
      valid: sent,
      'valid at the end of the tolerance': { ...sent, now: sent.now + 300 },
      'valid with the oldest secret, during overlaps': deliveryOf(during, secret),
      'valid with the secret between, during overlaps': deliveryOf(during, between),
      'valid with the new secret, during overlaps': deliveryOf(during, another),
      'refused: another secret': deliveryOf(before, another),
      'refused: another body': { ...sent, body: `${sent.body} ` },
      'refused: another id': { ...sent, id: `${sent.id}0` },
      'refused: no id': { ...sent, id: '' },
      'refused: too old': { ...sent, now: sent.now + 301 },
      'refused: too new': { ...sent, now: sent.now - 301 },
      'refused: another timestamp': { ...sent, timestamp: `${sent.now + 1}` },
      'refused: no timestamp': { ...sent, timestamp: '' },
      'refused: no signature': { ...sent, signature: '' },
      'refused: another version': { ...sent, signature: sent.signature.replace('v1,', 'v1a,') },
    }
    const verdicts = verdictsOf(language, Object.values(cases))
    const misconfigured = MISCONFIGURED.map(([, mistake]) => ({ ...sent, secrets: [mistake(secret)] }))
    expect(verdictsOf(language, misconfigured)).toEqual(MISCONFIGURED.map(([error]) => error))
    expect(Object.keys(cases).map((name, index) => `${name}: ${verdicts[index]}`)).toEqual(
      Object.keys(cases).map((name) => `${name}: ${/^\w+/.exec(name)}`),
    )
  },
)
