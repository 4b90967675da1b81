/** A signing secret that is ready for use. It does not give the secret away. */
export interface SigningKey {
  /** HMAC-SHA256 of the bytes. */
  mac(content: ArrayBuffer): Promise<Uint8Array>
  /** Whether this is the HMAC of the bytes; compared in constant time, as Web Crypto requires of `subtle.verify`. */
  matches(mac: ArrayBuffer, content: ArrayBuffer): Promise<boolean>
}

/** A secret as shown when it was made or rotated, `whsec_` included, or what {@link importSecret} made of it. */
export type Secret = string | SigningKey

const HMAC_SHA256 = { name: 'HMAC', hash: 'SHA-256' }

/**
 * Prepares a secret for many calls of `sign` or `verify`; each of them would otherwise do it again.
 *
 * The HMAC key is the whole string in UTF-8, `whsec_` included.
 *
 * @throws TypeError when the secret is missing or empty.
 */
export async function importSecret(secret: string): Promise<SigningKey> {
  assertSecret(secret)
  const bytes = new TextEncoder().encode(secret)
  const key = await crypto.subtle.importKey('raw', bytes, HMAC_SHA256, false, ['sign', 'verify'])
  // Views, as Node's Web Crypto refuses a bare ArrayBuffer of another realm: edge runtimes on node:vm have such.
  return {
    mac: async (content) => new Uint8Array(await crypto.subtle.sign('HMAC', key, new Uint8Array(content))),
    matches: (mac, content) =>
      crypto.subtle.verify('HMAC', key, new Uint8Array(mac), new Uint8Array(content)),
  }
}

/** The key itself, or the key of a secret. */
export async function signingKey(secret: Secret): Promise<SigningKey> {
  assertSecret(secret)
  return typeof secret === 'string' ? importSecret(secret) : secret
}

/**
 * One secret, or several, as a list.
 *
 * @throws TypeError when there is none, or one of them is empty.
 */
export function secretList(secrets: Secret | readonly Secret[]): readonly Secret[] {
  const list: readonly Secret[] = isList(secrets) ? secrets : [secrets]
  if (list.length === 0) throw new TypeError('At least one signing secret is needed')
  for (const secret of list) assertSecret(secret)
  return list
}

function isList(secrets: Secret | readonly Secret[]): secrets is readonly Secret[] {
  return Array.isArray(secrets)
}

/** An unset environment variable must not become a key that anybody can guess. */
function assertSecret(secret: Secret): void {
  if (secret === '' || secret === undefined || secret === null) {
    throw new TypeError('The signing secret is missing or empty')
  }
}
