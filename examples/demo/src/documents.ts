import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Sql, TransactionSql } from 'postgres'

const LINK_LIFETIME_MS = 5 * 60 * 1000

/** Stores the document of a quotation and returns its id. If there is one already, that one stays. */
export async function keepDocument(
  transaction: TransactionSql,
  document: { quotationId: string; organizationId: string; content: Buffer },
): Promise<string> {
  const [row] = await transaction<{ id: string }[]>`
    insert into host.documents (quotation_id, organization_id, content)
    values (${document.quotationId}, ${document.organizationId}, ${document.content})
    on conflict (quotation_id) do update set quotation_id = excluded.quotation_id
    returning id`
  if (row === undefined) throw new Error('The document was not stored.')
  return row.id
}

/** The PDF, or null if it does not exist. */
export async function findDocument(sql: Sql, id: string): Promise<Buffer | null> {
  const [row] = await sql<{ content: Buffer }[]>`select content from host.documents where id = ${id}`
  return row?.content ?? null
}

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
      const expires = Math.floor((Date.now() + LINK_LIFETIME_MS) / 1000)
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
