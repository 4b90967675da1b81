/** An OpenAPI document, as far as this folder reads it. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly description: string }
  readonly servers: readonly [{ readonly url: string }]
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  /** In the document of one audience. */
  readonly security?: readonly object[]
  readonly paths: Paths
  readonly webhooks?: Paths | undefined
  /** By kind and name. */
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Operations by path and method. */
export type Paths<O = Operation> = Readonly<Record<string, Readonly<Record<string, O>>>>

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly security: readonly object[]
  readonly responses: Readonly<Record<string, Response>>
}

interface Response {
  readonly headers: Readonly<Record<string, object>>
  readonly content?: Readonly<Record<string, { readonly examples: Readonly<Record<string, object>> }>>
}

/** An operation, and where it is in its document. */
export type Located<O> = O & { readonly path: string; readonly method: string }

/** All operations, in order. */
export function operationsOf<O extends object>(paths: Paths<O> = {}): Located<O>[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, ...operation })),
  )
}

/** Keys whose content is data. */
const DATA = /^(?:examples?|value|default|enum|const|x-.*)$/

/** Objects whose keys are names: a property may be called `example`. */
const NAMED = /^(?:properties|patternProperties|\$defs|schemas|paths|webhooks|responses|headers|content)$/

/** Replaces the objects in a part of a document, from the inside out, but for those in its data. */
export function mapNodes<Part>(part: Part, map: (node: Node) => object, holdsNames = false): Part {
  if (Array.isArray(part)) return part.map((each) => mapNodes(each, map)) as Part
  if (typeof part !== 'object' || part === null) return part
  const copy = mapValues(part as Node, (value, key) =>
    !holdsNames && DATA.test(key) ? value : mapNodes(value, map, !holdsNames && NAMED.test(key)),
  )
  return (holdsNames ? copy : map(copy)) as Part
}

type Node = Record<string, unknown>

/** Of our own schemas, those with a title become components. */
export function isTitledSchema(node: Node): node is { title: string } {
  return typeof node['title'] === 'string' && node['properties'] !== undefined
}

/** A body with its example. */
export function jsonContent({ schema, example }: { schema: object; example: unknown }): object {
  return { 'application/json': { schema, examples: { example: { value: example } } } }
}

/** A schema, of whose properties some are narrower. */
export function narrowed(schema: object, properties: object): object {
  return { allOf: [schema, { type: 'object', properties }] }
}

export function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T, name: string) => U) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]))
}
