/** A private key and its certificate, PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

const VALID_DAYS = 365
const DAY_MS = 86_400_000

/**
 * Creates a self-signed certificate for `localhost`, `127.0.0.1` and `::1`, valid for a year. Clients trust it with
 * `cert` as their `ca`.
 */
export async function createCertificate(now: Date = new Date()): Promise<Certificate> {
  // Loaded at its first use, because loading it is slow.
  const { generate } = await import('selfsigned')
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    // A day of tolerance for clock differences.
    notBeforeDate: new Date(now.getTime() - DAY_MS),
    notAfterDate: new Date(now.getTime() + VALID_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  })
  return { key, cert }
}
