/** The command in errors about missing migrations. */
export const MIGRATE_COMMAND = 'npx @quickquote/storage-drizzle migrate'
