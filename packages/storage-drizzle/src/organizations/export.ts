import type { Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { EXPORT_PAGE } from './export.sql.ts'

export function exportStorage({ call, run }: Database): Storage['exports'] {
  return {
    readPage: (organizationId, part, after, limit) =>
      call('exports.readPage', () =>
        run(EXPORT_PAGE[part], { organization_id: organizationId, after: after ?? '[]', limit }),
      ),
  }
}
