/** Erases what history has of quotations. History is otherwise only added to: see docs/security.md. */
export interface ErasureStorage {
  /**
   * Erases the bodies of the events of a quotation and what receivers answered to them; ends its deliveries, its order to
   * start and its idempotency key. A delivery that is being sent is recorded as `interrupted`. To be called before the
   * quotation itself is deleted.
   * @param since the quotation has no older events
   * @returns how many of each there were
   */
  eraseHistory(
    organizationId: string,
    quotationId: string,
    since: Date,
  ): Promise<{ events: number; deliveries: number; attempts: number }>
  /** Which of these quotations were erased, as far back as the audit log goes. */
  findErased(
    quotations: readonly { readonly id: string; readonly organization_id: string }[],
  ): Promise<ReadonlySet<string>>
}
