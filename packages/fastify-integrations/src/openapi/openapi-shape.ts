/** An OpenAPI document, as far as this folder reads it. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  /** In the document of one audience. */
  readonly security?: readonly object[]
  readonly paths: Paths
  readonly webhooks?: Paths | undefined
  readonly components: Components
}

/** Operations by path and method. */
export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly security: readonly object[]
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, Response>>
}

export interface Response {
  readonly headers: Readonly<Record<string, object>>
  readonly content?: Readonly<Record<string, { readonly examples: Readonly<Record<string, object>> }>>
}

/** By kind and name. */
export type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** An operation, and where it is in its document. */
export type Located<O> = O & { readonly path: string; readonly method: string }

/** All operations, in order. */
export function operationsOf<O extends object>(
  paths: Readonly<Record<string, Readonly<Record<string, O>>>> = {},
): Located<O>[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, ...operation })),
  )
}

/** Of our own schemas, those with a title become components. */
export function isTitledSchema(node: unknown): node is { readonly title: string } {
  const { title, properties } = (node ?? {}) as { readonly title?: unknown; readonly properties?: unknown }
  return typeof title === 'string' && properties !== undefined
}

export function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  map: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]))
}
