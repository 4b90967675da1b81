/**
 * An id as part of a path. Without text, or as `.` or `..`, it would lead to another path, however it is encoded.
 * @throws TypeError
 */
export function pathId(id: string): string {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id))
    throw new TypeError('The id must be the id of a quote or proposal')
  return id
}
