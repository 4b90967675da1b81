import { pgTable, text, uuid } from 'drizzle-orm/pg-core'

/** A table of a host's own, as our documents join it. */
export const reviews = pgTable('reviews', { quotation_id: uuid().notNull(), note: text() })
