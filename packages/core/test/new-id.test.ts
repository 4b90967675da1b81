import { newId } from '@quickquote/core/internal'
import { describe, expect, it } from 'vitest'

const AT = new Date('2026-11-24T12:00:00.123Z')

describe('A new id', () => {
  it('is a version 7 UUID with its time', () => {
    const id = newId(AT)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(AT.getTime())
  })

  it('sorts behind the earlier ids of its process, in one millisecond and after a small step back of the clock', () => {
    const ids = Array.from({ length: 100_000 }, (_, index) => newId(new Date(AT.getTime() + 5 - (index % 5))))
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(ids.length)
  })
})
