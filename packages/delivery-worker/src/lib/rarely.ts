/** How often each kind of work is looked for by itself, so that nothing depends on the poll for all kinds alone. */
export function rarely(pollIntervalMs: number): number {
  return 12 * pollIntervalMs
}
