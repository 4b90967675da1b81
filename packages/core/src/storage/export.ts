import type { ExportPart } from '../model/export.ts'

/** Everything that is an organization's, to be handed over. */
export interface ExportStorage {
  /**
   * Rows of a part as JSON, in an order that does not change, each with its place.
   * @param after the place of the last row before them; null: from the beginning
   */
  readPage(
    organizationId: string,
    part: ExportPart,
    after: string | null,
    limit: number,
  ): Promise<readonly { readonly content: string; readonly place: string }[]>
}
