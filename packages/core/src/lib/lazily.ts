/** Creates each property when it is first read: a transaction needs few of its parts. */
export function lazily<T extends object>(make: { readonly [Name in keyof T]: () => T[Name] }): T {
  const object = {} as T
  for (const name of Object.keys(make) as (keyof T)[]) {
    let made: T[keyof T] | undefined
    Object.defineProperty(object, name, {
      enumerable: true,
      get() {
        made ??= make[name]()
        return made
      },
    })
  }
  return object
}
