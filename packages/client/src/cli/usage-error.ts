/** An invalid command line. The message says what is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** An argument to repeat in a message, unless it may be an API key or a secret. */
export function quoted(argument: string): string {
  return /^[a-z][a-z._-]{0,39}$/.test(argument) ? `"${argument}"` : '(not shown: it may be a secret)'
}
