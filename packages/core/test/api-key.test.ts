import { describe, expect, it } from 'vitest'
import { type ApiKeyMove, type ApiKeyStatus, apiKeyStatus, moveApiKey } from '../src/model/api-key.ts'

const TABLE: Record<ApiKeyStatus, Record<ApiKeyMove, string>> = {
  active: { activate: 'unchanged', deactivate: 'inactive', revoke: 'revoked' },
  inactive: { activate: 'active', deactivate: 'unchanged', revoke: 'revoked' },
  expired: { activate: 'refused', deactivate: 'refused', revoke: 'revoked' },
  revoked: { activate: 'refused', deactivate: 'refused', revoke: 'unchanged' },
}

describe('States and transitions: API key', () => {
  const rows = Object.entries(TABLE).flatMap(([status, moves]) =>
    Object.entries(moves).map(([move, result]) => ({ status, move, result })),
  )
  it.each(rows)('$status, $move: $result', ({ status, move, result }) => {
    const transition = moveApiKey(status as ApiKeyStatus, move as ApiKeyMove)
    expect(transition.kind === 'changed' ? transition.status : transition.kind).toBe(result)
  })

  it('expires at its expiry time, active or not; a revoked key stays revoked', () => {
    const expires_at = new Date('2026-11-21T10:00:00.000Z')
    const before = new Date(expires_at.getTime() - 1)
    expect(apiKeyStatus({ status: 'active', expires_at }, before)).toBe('active')
    expect(apiKeyStatus({ status: 'active', expires_at }, expires_at)).toBe('expired')
    expect(apiKeyStatus({ status: 'inactive', expires_at }, before)).toBe('inactive')
    expect(apiKeyStatus({ status: 'inactive', expires_at }, expires_at)).toBe('expired')
    expect(apiKeyStatus({ status: 'revoked', expires_at }, expires_at)).toBe('revoked')
  })

  it('is expired if its expiry time or the clock is unreadable', () => {
    const [unreadable, moment] = [new Date('31/12/2026 10:00:00'), new Date('2026-11-21T10:00:00.000Z')]
    expect(apiKeyStatus({ status: 'active', expires_at: unreadable }, moment)).toBe('expired')
    expect(apiKeyStatus({ status: 'active', expires_at: moment }, unreadable)).toBe('expired')
    expect(apiKeyStatus({ status: 'inactive', expires_at: unreadable }, moment)).toBe('expired')
    expect(apiKeyStatus({ status: 'revoked', expires_at: unreadable }, moment)).toBe('revoked')
  })
})
