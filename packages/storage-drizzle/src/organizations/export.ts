import type { ExportStorage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { EXPORT_PAGE } from './export.sql.ts'

/** See ExportStorage. */
export function exportStorage({ run }: Database): ExportStorage {
  return {
    readPage: (organizationId, part, after, limit) =>
      run(EXPORT_PAGE[part], { organization_id: organizationId, after: after ?? '[]', limit }),
  }
}
