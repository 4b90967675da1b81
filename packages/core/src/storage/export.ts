/** The parts of an export, in order. */
export const EXPORT_PARTS = [
  'quotation',
  'api_key',
  'webhook_endpoint',
  'event',
  'delivery_attempt',
  'replay',
  'warning',
  'audit_entry',
] as const
export type ExportPart = (typeof EXPORT_PARTS)[number]

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
