/**
 * Whether it is a Unix time in whole seconds, as the timestamp header carries it. Eleven digits reach the year 5138 and leave
 * out milliseconds.
 */
export function isTimestamp(text: string): boolean {
  return /^(0|[1-9]\d{0,10})$/.test(text)
}
