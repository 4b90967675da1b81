import type { ExportPart } from '../model/export.ts'

/** Exports all data of an organization. */
export interface ExportStorage {
  /**
   * Rows of a part as JSON, in a stable order, with their places.
   * @param after the place of the previous row; null: from the beginning
   */
  readPage(
    organizationId: string,
    part: ExportPart,
    after: string | null,
    limit: number,
  ): Promise<readonly { readonly content: string; readonly place: string }[]>
}
