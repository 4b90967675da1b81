export interface Loaded<Value> {
  /** The last loaded value. It stays during a reload, so that nothing jumps. */
  readonly value: Value | undefined
  readonly error: unknown
  readonly isLoading: boolean
  reload(): Promise<void>
  /** Replaces it with a newer value from the API. */
  set(value: Value): void
}
