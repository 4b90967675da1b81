/** A time for `datetime-local`, in the reader's time zone. */
export function localTime(time: number): string {
  const date = new Date(time)
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The moment of a `datetime-local`; what is not one, as it is. */
export function timestampOf(local: string): string {
  const date = new Date(local)
  return Number.isNaN(date.getTime()) ? local : date.toISOString()
}
