/** Claims work that is due, does it, and records it. */
export interface WorkLoop {
  /** Call it when there may be something to claim. */
  wake(): void
  /** Whether it has places, and claims at once when it is woken. */
  hasPlaces(): boolean
  /** Whether it holds leases. */
  isHolding(): boolean
  /** Stops claiming. Resolves when nothing is in progress and everything is recorded. */
  drain(): Promise<void>
  /** Gives up what is left. Resolves when no statement is running any more. */
  stop(): Promise<void>
  /** Resolves when nothing is due and nothing in progress, or with false once the loop has stopped. */
  idle(): Promise<boolean>
  /** How much was claimed so far. */
  claims(): number
}
