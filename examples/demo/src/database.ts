import postgres, { type Sql } from 'postgres'
import { createQuotationTables } from './host-quotations.ts'

/** Opens the host's own connections, separate from those of the integrations, and creates the host's tables. */
export async function openHostDatabase(connectionString: string): Promise<Sql> {
  const sql = postgres(connectionString, { max: 5, onnotice() {} })
  try {
    await createHostTables(sql)
    return sql
  } catch (error) {
    await sql.end({ timeout: 1 })
    throw error
  }
}

/** The server and the worker may start at the same moment: the lock serializes them. */
async function createHostTables(sql: Sql): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(hashtext('quickquote example: host tables'))`
    await transaction`create schema if not exists host`
    await transaction`
      create table if not exists host.sessions (
        token_hash bytea primary key,
        member_id text not null,
        expires_at timestamptz not null
      )`
    await transaction`
      create table if not exists host.documents (
        id uuid primary key default gen_random_uuid(),
        quotation_id uuid not null unique,
        organization_id uuid not null,
        content bytea not null,
        created_at timestamptz not null default now()
      )`
    await createQuotationTables(transaction)
  })
}
