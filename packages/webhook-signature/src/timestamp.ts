/** Whether it is a Unix time in whole seconds. Eleven digits reach the year 5138 and exclude milliseconds. */
export function isTimestamp(text: string): boolean {
  return /^(0|[1-9]\d{0,10})$/.test(text)
}
