/** The command line is wrong: the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
