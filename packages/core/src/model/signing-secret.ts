import { randomBytes } from 'node:crypto'
import type { Static } from '@sinclair/typebox'
import { Timestamp } from '../lib/schema.ts'
import { SecretValue } from '../lib/secret-value.ts'
import { Type } from '../lib/type.ts'

const PREFIX = 'whsec_'

/** How many earlier secrets of an endpoint also sign at a time. One more ends the oldest. */
export const MAX_PREVIOUS_SECRETS = 3

/** An earlier secret of an endpoint, which also signs until it expires. */
export const PreviousSecret = Type.Object({
  secret_hint: Type.String({ description: 'The first characters and the last four of the secret.' }),
  expires_at: Timestamp,
})
export type PreviousSecret = Static<typeof PreviousSecret>

/** Generates a signing secret: `whsec_` and the base64 of 32 random bytes. The whole string is the HMAC key. */
export function generateSigningSecret(): SecretValue {
  return new SecretValue(PREFIX + randomBytes(32).toString('base64'), PREFIX)
}

export function signingSecretHint(secret: SecretValue): string {
  return `${PREFIX}…${secret.reveal().slice(-4)}`
}
