import { createHmac, timingSafeEqual } from 'node:crypto'

const LIFETIME_MS = 5 * 60 * 1000

export interface DocumentLinks {
  /** Signs a link that opens the document for five minutes, for anyone who has it. */
  sign(documentId: string): { url: string; expires_at: Date }
  /** Whether the link was signed here and is still valid. */
  check(documentId: string, query: { expires: string; signature: string }): boolean
}

/** @param baseUrl where the documents are served, over HTTPS */
export function createDocumentLinks({ baseUrl, key }: { baseUrl: string; key: Buffer }): DocumentLinks {
  function signatureOf(documentId: string, expires: string): Buffer {
    return createHmac('sha256', key).update(`${documentId}.${expires}`).digest()
  }

  return {
    sign(documentId) {
      const expires = Math.floor((Date.now() + LIFETIME_MS) / 1000)
      const signature = signatureOf(documentId, String(expires)).toString('hex')
      return {
        url: `${baseUrl}/documents/${documentId}?expires=${expires}&signature=${signature}`,
        expires_at: new Date(expires * 1000),
      }
    },

    check(documentId, { expires, signature }) {
      const given = Buffer.from(signature, 'hex')
      const expected = signatureOf(documentId, expires)
      return (
        given.length === expected.length &&
        timingSafeEqual(given, expected) &&
        Number(expires) * 1000 > Date.now()
      )
    },
  }
}
