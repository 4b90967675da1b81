/** Stands where a text was that has been erased. No body of an event looks like it: those are JSON objects. */
export const ERASED = '[erased]'

/** Who asks for a change that the host's own code makes: a member id for the audit log. Default: the service itself. */
export interface RequestedBy {
  readonly by?: string
}

/** What only the host can erase, because it keeps that itself and gave no method for it. */
export type LeftToHost = 'quotations' | 'files'

/** What erasing a quotation came to. Counts are 0 when it had been erased before. */
export interface ErasedQuotation {
  readonly quotation_id: string
  /** Events whose bodies were erased. Their rows stay: ids, types and times. */
  readonly events: number
  /** Deliveries that were still to be made, and now never are. */
  readonly deliveries: number
  /** Attempts whose recorded response was erased. */
  readonly attempts: number
  /** Files that were given to the file storage to delete: at once, or by a worker if it fails now. */
  readonly files: number
  readonly left_to_host: readonly LeftToHost[]
}
