import { createHmac, timingSafeEqual } from 'node:crypto'
import { sign, verify } from '@quickquote/webhook-signature'
import { expect, it } from 'vitest'
import vectors from './vectors.json' with { type: 'json' }

function signaturesOf(headers: Record<string, string>): string[] {
  return ['X-Service-Signature', 'X-Service-Signature-Previous'].flatMap(
    (name) => headers[name]?.split(/, ?/) ?? [],
  )
}

/** A partner's code with only Node's `crypto`, which checks only the signature. */
function isSigned(vector: { secrets: string[]; headers: Record<string, string>; body: string }): boolean {
  const timestamp = vector.headers['X-Service-Timestamp'] ?? ''
  return signaturesOf(vector.headers).some((signature) =>
    vector.secrets.some((secret) => {
      const expected = `v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(vector.body).digest('hex')}`
      return (
        expected.length === signature.length && timingSafeEqual(Buffer.from(expected), Buffer.from(signature))
      )
    }),
  )
}

/** The other codes concern the form of the headers, which a plain comparison does not check. */
const SIGNED: Readonly<Record<string, boolean>> = {
  valid: true,
  TIMESTAMP_OUT_OF_TOLERANCE: true,
  MALFORMED_BODY: true,
  SIGNATURE_MISMATCH: false,
  UNSUPPORTED_SIGNATURE_VERSION: false,
  MISSING_HEADER: false,
}

it.each(vectors)('$name: $expected', async ({ headers, body, secrets, now, expected }) => {
  const verdict = verify({ headers, body, secrets, now: new Date(now * 1000) }).catch(
    (error: unknown) => error,
  )
  if (expected === 'valid') expect(await verdict).toEqual(JSON.parse(body))
  else expect(await verdict).toMatchObject({ name: 'WebhookVerificationError', code: expected })
})

it.each(vectors.filter(({ expected, fits }) => expected in SIGNED && !fits))(
  'node:crypto agrees: $name',
  (vector) => {
    expect(isSigned(vector)).toBe(SIGNED[vector.expected])
  },
)

it.each(vectors.filter(({ expected }) => expected === 'valid'))(
  'sign() returns this signature: $name',
  async ({ headers, body, secrets }) => {
    const timestamp = Number(headers['X-Service-Timestamp'])
    const made = await Promise.all(secrets.map((secret) => sign({ secret, timestamp, body })))
    const sent = signaturesOf(headers)
    expect(made.some((signature) => sent.includes(signature))).toBe(true)
  },
)
