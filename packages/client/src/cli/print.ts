/** Prints a line to the standard output. */
export function print(line: string): void {
  process.stdout.write(`${printable(line)}\n`)
}

/**
 * A line whose control characters are escaped, and those that reverse the direction of text: what a service sends must
 * neither command the terminal nor pretend to be another line.
 */
export function printable(line: string): string {
  return line.replaceAll(
    /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Surrogate}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
