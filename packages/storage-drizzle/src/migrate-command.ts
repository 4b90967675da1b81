/** What errors tell to run when the database lacks migrations. */
export const MIGRATE_COMMAND = 'npx @quickquote/storage-drizzle migrate'
