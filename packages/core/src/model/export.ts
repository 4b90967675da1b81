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
