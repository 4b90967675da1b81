import { createHash, randomBytes } from 'node:crypto'
import type { Session } from '@quickquote/core'
import type { FastifyRequest } from 'fastify'
import type { Sql } from 'postgres'
import { DEMO_PASSWORD, MEMBERS, type Member, organizationName } from './members.ts'

const LIFETIME_HOURS = 12
const COOKIE = 'session'

export interface Sessions {
  /** Signs a member in with a random token, of which only the hash is stored. Null for a wrong e-mail address or password. */
  signIn(email: string, password: string): Promise<{ token: string; organizationId: string } | null>
  /**
   * The `Set-Cookie` that signs a browser in or, without a token, out. Scripts cannot read it, and other sites cannot
   * send it.
   */
  cookie(token: string | null): string
  /** The signed-in member: from `Authorization: Bearer …` for programs, or from the cookie. */
  member(request: FastifyRequest): Promise<Member | null>
  /** The session resolver of the integrations. */
  resolve(request: FastifyRequest): Promise<Session | null>
}

export function createSessions(sql: Sql): Sessions {
  return {
    async signIn(email, password) {
      const member = MEMBERS.find((each) => each.email === email)
      if (member === undefined || password !== DEMO_PASSWORD) return null
      const token = randomBytes(32).toString('base64url')
      await sql`
        insert into host.sessions (token_hash, member_id, expires_at)
        values (${hash(token)}, ${member.id}, now() + make_interval(hours => ${LIFETIME_HOURS}))`
      return { token, organizationId: member.organizationId }
    },

    cookie(token) {
      const age = token === null ? 0 : LIFETIME_HOURS * 60 * 60
      return `${COOKIE}=${token ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax`
    },

    member: (request) => find(request),

    async resolve(request) {
      const member = await find(request)
      if (member === null) return null
      const { id, organizationId, role } = member
      const rights = role === 'viewer' ? { permissions: ['view_integrations'] } : { role }
      return {
        memberId: id,
        organizations: [{ id: organizationId, name: organizationName(organizationId), ...rights }],
      }
    },
  }

  async function find({ headers }: FastifyRequest): Promise<Member | null> {
    const token =
      /^Bearer ([\w-]+)$/.exec(headers.authorization ?? '')?.[1] ??
      headers.cookie
        ?.split('; ')
        .find((each) => each.startsWith(`${COOKIE}=`))
        ?.slice(COOKIE.length + 1)
    if (token === undefined) return null
    const [row] = await sql<{ member_id: string }[]>`
      select member_id from host.sessions where token_hash = ${hash(token)} and expires_at > now()`
    return MEMBERS.find((each) => each.id === row?.member_id) ?? null
  }
}

function hash(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
