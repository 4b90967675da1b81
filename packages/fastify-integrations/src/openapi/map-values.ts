export function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  map: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]))
}
