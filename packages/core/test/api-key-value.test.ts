import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  generateApiKeyValue,
  hashApiKey,
  isWellFormedApiKey,
  looksLikeApiKey,
  maskApiKey,
} from '../src/model/api-key-value.ts'

describe('the value of an API key', () => {
  it('is pk_, 43 base62 characters and a 6-character checksum', () => {
    for (let i = 0; i < 200; i++) {
      const value = generateApiKeyValue().reveal()
      expect(value).toMatch(/^pk_[0-9A-Za-z]{49}$/)
      expect(isWellFormedApiKey(value)).toBe(true)
    }
  })

  it('fails its checksum if any one character is wrong', () => {
    const value = generateApiKeyValue().reveal()
    for (let at = 3; at < value.length; at++) {
      const other = value[at] === 'a' ? 'b' : 'a'
      expect(isWellFormedApiKey(value.slice(0, at) + other + value.slice(at + 1)), `character ${at}`).toBe(
        false,
      )
    }
  })

  it.each([
    ['empty', ''],
    ['another prefix', generateApiKeyValue().reveal().replace('pk_', 'sk_')],
    ['upper-case prefix', generateApiKeyValue().reveal().replace('pk_', 'PK_')],
    ['one character short', generateApiKeyValue().reveal().slice(0, -1)],
    ['a space after it', `${generateApiKeyValue().reveal()} `],
    ['a line break after it', `${generateApiKeyValue().reveal()}\n`],
    [
      'two keys, as in a repeated header',
      `${generateApiKeyValue().reveal()}, ${generateApiKeyValue().reveal()}`,
    ],
    ['10 kB', `pk_${'a'.repeat(10_000)}`],
  ])('is not well-formed: %s', (_, value) => {
    expect(isWellFormedApiKey(value)).toBe(false)
  })

  it('is stored as its SHA-256', () => {
    expect(hashApiKey('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })

  it('is masked to its first and last four characters', () => {
    expect(maskApiKey('pk_abcdefghijklmnop')).toBe('pk_abcd…mnop')
  })

  it('is recognized inside other text, ignoring case', () => {
    const value = generateApiKeyValue().reveal()
    expect(looksLikeApiKey(`x${value.toUpperCase()}y`)).toBe(true)
    expect(looksLikeApiKey(value.slice(0, 30))).toBe(true)
    expect(looksLikeApiKey('pk_1')).toBe(false)
  })

  it('does not print itself', () => {
    const key = generateApiKeyValue()
    for (const printed of [
      `${key}`,
      JSON.stringify({ key }),
      inspect({ key }, { depth: 5, showHidden: true }),
    ]) {
      expect(printed).toContain('pk_***')
      expect(printed).not.toContain(key.reveal().slice(3, 10))
    }
  })
})
