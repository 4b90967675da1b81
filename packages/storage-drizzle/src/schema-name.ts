import { ConfigurationError } from '@quickquote/core'

/** The default SQL schema. */
export const DEFAULT_SCHEMA = 'quickquote'

/** @throws ConfigurationError */
export function checkSchema(schema: unknown): void {
  const isOurs =
    typeof schema === 'string' &&
    /^[a-z_][a-z0-9_]{0,39}$/.test(schema) &&
    !/^(pg_.*|public|information_schema)$/.test(schema)
  if (!isOurs) {
    throw new ConfigurationError(
      'schema must name an SQL schema used for nothing else: lower-case letters, digits and _, at most 40 characters.',
    )
  }
}
