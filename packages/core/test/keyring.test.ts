import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createKeyring } from '../src/lib/keyring.ts'

const key = (id: string) => ({ id, key: randomBytes(32).toString('base64') })

describe('the keyring', () => {
  it('decrypts what it encrypted, and the ciphertext contains nothing of the plaintext', () => {
    const ring = createKeyring([key('2026')])
    const secret = ring.encrypt('whsec_abc', 'endpoint-1')
    expect(secret.keyId).toBe('2026')
    expect(Buffer.from(secret.ciphertext).includes('whsec_abc')).toBe(false)
    expect(ring.decrypt(secret, 'endpoint-1')).toBe('whsec_abc')
  })

  it('encrypts with the first key and still decrypts with the others', () => {
    const [older, newer] = [key('older'), key('newer')]
    const secret = createKeyring([older]).encrypt('whsec_abc', 'e')
    const both = createKeyring([newer, older])
    expect(both.encrypt('x', 'e').keyId).toBe('newer')
    expect(both.decrypt(secret, 'e')).toBe('whsec_abc')
    expect(() => createKeyring([newer]).decrypt(secret, 'e')).toThrow('"older" is not in encryptionKeys')
  })

  it('refuses a ciphertext that was changed or moved to another row', () => {
    const ring = createKeyring([key('k')])
    const secret = ring.encrypt('whsec_abc', 'endpoint-1')
    expect(() => ring.decrypt(secret, 'endpoint-2')).toThrow()
    for (const at of [0, 12, 28]) {
      const changed = Buffer.from(secret.ciphertext)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => ring.decrypt({ ...secret, ciphertext: changed }, 'endpoint-1')).toThrow()
    }
  })

  it('says how to create a key if there is none, or an invalid one', () => {
    expect(() => createKeyring([])).toThrow(
      /encryptionKeys must be a list of at least one key.*randomBytes\(32\)/,
    )
    expect(() => createKeyring([{ id: 'short', key: 'AAAA' }])).toThrow(
      /encryptionKeys\[0\]\.key must be 32 bytes.*randomBytes\(32\)/,
    )
    for (const unset of [undefined, '']) {
      expect(() => createKeyring([{ id: '1', key: unset }])).toThrow(
        /encryptionKeys\[0\]\.key is not set: its environment variable .*randomBytes\(32\)/,
      )
    }
    const twice = key('same')
    expect(() => createKeyring([twice, twice])).toThrow('encryptionKeys[1].id must be a unique name')
  })
})
