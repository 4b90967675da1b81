import { createHash, randomBytes } from 'node:crypto'
import type { Session } from '@quickquote/core'
import type { FastifyRequest } from 'fastify'
import type { Sql } from 'postgres'
import { DEMO_PASSWORD, MEMBERS } from './members.ts'

const LIFETIME_HOURS = 12

export interface Sessions {
  /** Signs a member in. The token is random; only its hash is kept. Null for a wrong e-mail address or password. */
  signIn(email: string, password: string): Promise<{ token: string; organizationId: string } | null>
  /** Who is calling: the integrations ask this for every session route. */
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

    async resolve(request) {
      const token = /^Bearer ([\w-]+)$/.exec(request.headers.authorization ?? '')?.[1]
      if (token === undefined) return null
      const [row] = await sql<{ member_id: string }[]>`
        select member_id from host.sessions where token_hash = ${hash(token)} and expires_at > now()`
      const member = MEMBERS.find((each) => each.id === row?.member_id)
      if (member === undefined) return null
      return { memberId: member.id, organizations: [{ id: member.organizationId, role: member.role }] }
    },
  }
}

function hash(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
