import type { Sql, TransactionSql } from 'postgres'

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
