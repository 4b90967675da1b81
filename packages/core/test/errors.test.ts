import { ERRORS, type ErrorCode, IntegrationError } from '@quickquote/core'
import { describe, expect, it } from 'vitest'

describe('the error table', () => {
  it.each(Object.entries(ERRORS))('%s has a status, a title and advice to act on', (code, definition) => {
    expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/)
    expect(definition.status).toBeGreaterThanOrEqual(400)
    expect(definition.status).toBeLessThan(600)
    expect(definition.title).toMatch(/^[A-Z].*[^.]$/)
    expect(definition.advice).toMatch(/\.$/)
    expect(new IntegrationError(code as ErrorCode)).toMatchObject({
      status: definition.status,
      message: definition.title,
    })
  })
})
