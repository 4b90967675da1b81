import { pgTable, text, uuid } from 'drizzle-orm/pg-core'

/** A host's table, joined in our documents. */
export const reviews = pgTable('reviews', { quotation_id: uuid().notNull(), note: text() })
