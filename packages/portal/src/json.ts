/** JSON as bytes, which no serializer or hook of the host changes. */
export function jsonOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}
