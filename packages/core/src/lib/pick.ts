/** These fields of an object that may have others, as that of a host may. */
export function pick<T extends object, Name extends keyof T>(
  object: T,
  names: readonly Name[],
): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, object[name]])) as Pick<T, Name>
}
