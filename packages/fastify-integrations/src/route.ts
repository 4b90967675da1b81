import type { AuthenticatedKey, ErrorCode } from '@quickquote/core'
import { type Static, type TObject, type TSchema, Type, Uuid } from '@quickquote/core/internal'
import type { FastifyRequest } from 'fastify'
import type { Caller } from './auth/request-state.ts'

/** Who may call a session route: any member of the organization, or holders of a permission. */
export type MemberAccess = 'member' | 'view_integrations' | 'manage_integrations'

/** Who may call a route: any valid API key, or a member. */
export type Access = 'api_key' | MemberAccess

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on all our routes, so that the host's guards can recognize them. */
    integrations?: { readonly access: Access | 'public'; readonly limit?: 'starts' | 'tests' | undefined }
  }
}

/** For undocumented routes: the host's transform would otherwise be called for them. */
export const UNDOCUMENTED = { swaggerTransform: false } as const

/** The result of a handler whose response is JSON already: it is sent unchanged. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The result of any other handler, to be serialized with the schema of the route. */
type Answer<A extends TSchema> = Static<A> extends (infer Item)[] ? readonly Item[] : Static<A>

/** The parameters in a path. */
type ParamsOf<Url extends string> = Url extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [Key in Name]: string } & ParamsOf<Rest>
  : Url extends `${string}:${infer Name}`
    ? { readonly [Key in Name]: string }
    : unknown

export interface Call<Url extends string = string> {
  readonly params: ParamsOf<Url>
  /** Query and body are raw: core validates them. The types of bodies are for hosts. */
  readonly query: unknown
  readonly body: never
  readonly request: FastifyRequest
  /** The address of the request without its query, for links in the response. */
  address(): string
  /** The handler sets the headers of its response here. They are only sent if it succeeds. */
  readonly headers: Record<string, string>
  /** For handlers that wait: aborts if the client disconnects. */
  clientSignal(): AbortSignal
}

interface PartnerCall<Url extends string> extends Call<Url> {
  readonly apiKey: AuthenticatedKey
}

interface MemberCall<Url extends string> extends Call<Url>, Caller {}

/** A response without a body. */
export const NO_CONTENT = {
  status: 204,
  description: 'Done. The response has no body.',
  schema: Type.Unsafe<void>({}),
  example: undefined,
} as const

/** A row of the route table. Routing, access, wire format and documentation all derive from it. */
interface Row<Url extends string, A extends TSchema> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Relative to the area of the route. Each parameter is a UUID. */
  readonly url: Url
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly query?: TObject
  /** Headers that the route reads itself, for the documentation. */
  readonly requestHeaders?: TObject
  /** The accepted bodies, by media type. Without it, the body of a request is ignored. */
  readonly body?: Readonly<Record<string, { readonly schema: TSchema; readonly example: unknown }>>
  /** The body is optional. */
  readonly bodyIsOptional?: true
  readonly answer: {
    readonly status: 200 | 201 | 202 | 204
    readonly description: string
    readonly schema: A
    readonly example: unknown
    readonly headers?: Readonly<Record<string, TSchema>>
  }
  /** The route's own error codes. Those of its access, parameters and body are added. */
  readonly errors: readonly ErrorCode[]
}

export interface PartnerRoute<Url extends string = string, A extends TSchema = TSchema> extends Row<Url, A> {
  readonly access: 'api_key'
  /** A limit in addition to the general one of partner routes. */
  readonly limit?: 'starts'
  /** For a route with the parameter `wait`: ends the waits of handlers when the server closes. */
  endWaits?(): void
  handle(call: PartnerCall<Url>): Promise<Answer<A> | JsonText>
}

export interface SessionRoute<Url extends string = string, A extends TSchema = TSchema> extends Row<Url, A> {
  readonly access: MemberAccess
  readonly endWaits?: never
  /** Session routes have no other limit. */
  readonly limit?: 'tests'
  handle(call: MemberCall<Url>): Promise<Answer<A> | JsonText>
}

export type Route = PartnerRoute | SessionRoute

/** A body that is only accepted as JSON. */
export function jsonBody(schema: TSchema, example: unknown): NonNullable<Route['body']> {
  return { 'application/json': { schema, example } }
}

const schemasOfParams = new Map<string, TObject>()

/** The schema of the parameters in a route's whole path. */
export function paramsOf({ url, access }: Route): TObject {
  const own = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const names = access === 'api_key' ? own : ['organizationId', ...own]
  const known = schemasOfParams.get(names.join())
  if (known !== undefined) return known
  const schema = Type.Object(Object.fromEntries(names.map((name) => [name, Uuid])))
  schemasOfParams.set(names.join(), schema)
  return schema
}

/** Routes with a common path prefix and authentication. */
export type Area =
  | { readonly prefix: string; readonly kind: 'partner'; readonly routes: readonly PartnerRoute[] }
  | { readonly prefix: string; readonly kind: 'session'; readonly routes: readonly SessionRoute[] }

/** Checks the types of a route's handler against its schemas. */
export function partnerRoute<Url extends string, A extends TSchema>(row: PartnerRoute<Url, A>): PartnerRoute {
  return row
}

/** Checks the types of a route's handler against its schemas. */
export function sessionRoute<Url extends string, A extends TSchema>(row: SessionRoute<Url, A>): SessionRoute {
  return row
}
