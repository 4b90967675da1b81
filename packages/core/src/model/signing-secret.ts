import { randomBytes } from 'node:crypto'
import { SecretValue } from '../lib/secret-value.ts'

const PREFIX = 'whsec_'

/** Generates a signing secret: `whsec_` and the base64 of 32 random bytes. The whole string is the HMAC key. */
export function generateSigningSecret(): SecretValue {
  return new SecretValue(PREFIX + randomBytes(32).toString('base64'), PREFIX)
}

export function signingSecretHint(secret: SecretValue): string {
  return `${PREFIX}…${secret.reveal().slice(-4)}`
}
