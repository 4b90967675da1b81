/** A signing secret ready for use. It does not expose the secret. */
export interface SigningKey {
  /** HMAC-SHA256 of the bytes. */
  mac(content: ArrayBuffer): Promise<Uint8Array>
  /** Compares an HMAC in constant time, as Web Crypto requires of `subtle.verify`. */
  matches(mac: ArrayBuffer, content: ArrayBuffer): Promise<boolean>
}

/** A signing secret, including `whsec_`, or the result of {@link importSecret}. */
export type Secret = string | SigningKey

const HMAC_SHA256 = { name: 'HMAC', hash: 'SHA-256' }

/**
 * Prepares a secret for many calls of `sign` or `verify`, which would otherwise each do this.
 *
 * The HMAC key is the whole string in UTF-8, including `whsec_`.
 *
 * @throws TypeError if the secret is missing, empty or surrounded by white space or quotes.
 */
export async function importSecret(secret: string): Promise<SigningKey> {
  assertSecret(secret)
  const bytes = new TextEncoder().encode(secret)
  const key = await crypto.subtle.importKey('raw', bytes, HMAC_SHA256, false, ['sign', 'verify'])
  // Views: Node's Web Crypto refuses a bare ArrayBuffer of another realm, as in edge runtimes on node:vm.
  return {
    mac: async (content) => new Uint8Array(await crypto.subtle.sign('HMAC', key, new Uint8Array(content))),
    matches: (mac, content) =>
      crypto.subtle.verify('HMAC', key, new Uint8Array(mac), new Uint8Array(content)),
  }
}

export async function signingKey(secret: Secret): Promise<SigningKey> {
  assertSecret(secret)
  return typeof secret === 'string' ? importSecret(secret) : secret
}

/**
 * One or several secrets, as a list.
 *
 * @throws TypeError if there is none, or one is missing, empty or surrounded by white space or quotes.
 */
export function secretList(secrets: Secret | readonly Secret[] | undefined): readonly Secret[] {
  if (secrets !== undefined && isList(secrets)) {
    if (secrets.length === 0) throw new TypeError('At least one signing secret is required')
    for (const secret of secrets) assertSecret(secret)
    return secrets
  }
  assertSecret(secrets)
  return [secrets]
}

function isList(secrets: Secret | readonly Secret[]): secrets is readonly Secret[] {
  return Array.isArray(secrets)
}

const AROUND = /^[\s"'`]|[\s"'`]$/

/**
 * An unset environment variable must not become a guessable key. A line break or quotes come from the file or shell that
 * sets the variable, and without this look like a forged signature.
 */
function assertSecret(secret: Secret | undefined): asserts secret is Secret {
  if (secret === undefined || secret === null || secret === '' || secret === 'whsec_') {
    throw new TypeError('The signing secret is missing or empty. Is its environment variable set?')
  }
  if (typeof secret === 'string' && AROUND.test(secret)) {
    throw new TypeError(
      'The signing secret has white space or quotes around it. Remove them where the secret is set.',
    )
  }
}
