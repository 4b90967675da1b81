import type { AuthenticatedKey, ErrorCode, Member } from '@quickquote/core'
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'

/** Who may call a route: any good API key, any member of the organization, or holders of `manage_integrations`. */
export type Access = 'api_key' | 'member' | 'manage_integrations'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on every route of ours, so that a guard of the host's can tell them from its own. */
    integrations?: { readonly access: Access | 'public'; readonly limit?: 'starts' | 'tests' | undefined }
  }
}

/** For routes that stand in no document: a transform of the host's would be asked about them before they are left out. */
export const UNDOCUMENTED = { swaggerTransform: false } as const

/** What a handler gives back: the body, before it is serialized by the schema of the row, or JSON that is sent as it is. */
export type Answer<T> = ({ readonly body: T } | { readonly json: string }) & {
  readonly headers?: Readonly<Record<string, string>>
}

interface Call<P extends TSchema> {
  readonly params: Static<P>
  /** Query and body are as the client sent them: core validates them. */
  readonly query: unknown
  readonly body: unknown
  readonly request: FastifyRequest
  /** For handlers that wait: aborted when the client hangs up. */
  clientSignal(): AbortSignal
}

interface PartnerCall<P extends TSchema = TSchema> extends Call<P> {
  readonly apiKey: AuthenticatedKey
}

interface MemberCall<P extends TSchema = TSchema> extends Call<P> {
  readonly member: Member
}

/** The answer of a route that has nothing to tell. */
export const NO_CONTENT = {
  status: 204,
  description: 'Done. The answer has no body.',
  schema: Type.Unsafe<undefined>({}),
  example: undefined,
} as const

/** A row of the route table. All that is known of a route stands here: routing, access, wire format and documents read it. */
interface Row<P extends TSchema, A extends TSchema> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Relative to the area that the row belongs to. */
  readonly url: string
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly params: P
  readonly query?: TObject
  /** Headers that the route reads itself, for the documents. */
  readonly requestHeaders?: TObject
  /** What the route takes, by media type. Without it the body of a request is not looked at. */
  readonly body?: Readonly<Record<string, { readonly schema: TSchema; readonly example: unknown }>>
  /** The body may be left out. */
  readonly bodyIsOptional?: true
  readonly answer: {
    readonly status: 200 | 201 | 202 | 204
    readonly description: string
    readonly schema: A
    readonly example: unknown
    readonly headers?: Readonly<Record<string, TSchema>>
  }
  /** The codes of this route alone; those that come with its access, its parameters and its body are added. */
  readonly errors: readonly ErrorCode[]
}

export interface PartnerRoute<P extends TSchema = TSchema, A extends TSchema = TSchema> extends Row<P, A> {
  readonly access: 'api_key'
  /** A limit that counts in addition to the one over all partner routes. */
  readonly limit?: 'starts'
  /** How long the handler may wait for something to happen, beyond the time that any answer has. */
  readonly longestWaitMs?: number
  /** Ends the waits of handlers: the server closes. */
  endWaits?(): void
  handle(call: PartnerCall<P>): Promise<Answer<Static<A>>>
}

export interface SessionRoute<P extends TSchema = TSchema, A extends TSchema = TSchema> extends Row<P, A> {
  readonly access: 'member' | 'manage_integrations'
  readonly longestWaitMs?: never
  readonly endWaits?: never
  /** Session routes have no other limit. */
  readonly limit?: 'tests'
  handle(call: MemberCall<P>): Promise<Answer<Static<A>>>
}

export type Route = PartnerRoute | SessionRoute

/** Routes that share a path prefix and a kind of authentication. */
export type Area =
  | { readonly prefix: string; readonly kind: 'partner'; readonly routes: readonly PartnerRoute[] }
  | { readonly prefix: string; readonly kind: 'session'; readonly routes: readonly SessionRoute[] }

/** Checks a row's handler against its schemas. */
export function partnerRoute<P extends TSchema, A extends TSchema>(row: PartnerRoute<P, A>): PartnerRoute {
  return row
}

/** Checks a row's handler against its schemas. */
export function sessionRoute<P extends TSchema, A extends TSchema>(row: SessionRoute<P, A>): SessionRoute {
  return row
}
