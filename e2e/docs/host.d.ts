// The host's names: those that code in our documents uses without defining them.
declare const app: import('fastify').FastifyInstance
declare const storage: import('@quickquote/storage-drizzle').DrizzleStorage
declare const integrations: import('@quickquote/core').Integrations<
  import('@quickquote/core').NoEvents,
  import('@quickquote/storage-drizzle').HostTransaction
>
declare const pipeline: import('@quickquote/core').QuotePipeline
declare const encryptionKeys: import('@quickquote/core').IntegrationsOptions['encryptionKeys']
declare const resolveSession: import('@quickquote/fastify-integrations').FastifyIntegrationsOptions['resolveSession']
declare const organizationId: string
declare const quotationId: string
declare const sql: import('postgres').Sql
declare const tx: import('postgres').TransactionSql
declare const db: import('drizzle-orm/postgres-js').PostgresJsDatabase
declare const reviews: typeof import('./host-tables.ts').reviews
/** pg, in a transaction. */
declare const client: { query(text: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }> }
/** Kysely, and Knex. */
declare const trx: import('kysely').Transaction<unknown> & {
  raw(sql: string, bindings: Record<string, unknown>): PromiseLike<unknown>
}
/** TypeORM. */
declare const manager: { query(text: string, parameters: unknown[]): Promise<unknown> }
declare const sequelize: {
  query(text: string, options: { bind: unknown[]; transaction: object }): Promise<unknown>
}
/** MikroORM. */
declare const task: { any(query: { text: string; values: unknown[] }): Promise<unknown> }
declare const connection: { query(query: object): Promise<unknown> }
declare const raw: { unsafe(text: TemplateStringsArray): object }
declare const em: { getTransactionContext(): import('kysely').Transaction<unknown> }
/** Orchid. */
declare const orchid: { $getAdapter(): { query(text: string, values: unknown[]): Promise<object> } }
/** PGlite. */
declare const txn: { query(text: string, values: unknown[]): Promise<object> }
/** Of Prisma. */
declare const transaction: { $queryRawUnsafe(text: string, ...values: unknown[]): Promise<unknown> }
declare const memberId: string
declare const adminId: string
declare const request: import('fastify').FastifyRequest<{ Params: { id: string } }>
declare const reply: import('fastify').FastifyReply
declare function hostQuotations(
  sql: import('postgres').Sql,
): import('@quickquote/core').HostQuotations<import('postgres').TransactionSql>
