import {
  ConfigurationError,
  createIntegrations,
  type IntegrationsOptions,
  type Storage,
} from '@quickquote/core'
import { describe, expect, it } from 'vitest'

// Options are checked before anything is asked of the storage.
const storage = { transaction: () => Promise.reject(new Error('not reached')) } as unknown as Storage
const options: IntegrationsOptions = {
  storage,
  pipeline: {
    start: async () => {},
    signDocumentUrl: async () => ({ url: 'https://example.com', expires_at: new Date() }),
  },
  encryptionKeys: [{ id: 'k', key: Buffer.alloc(32, 1) }],
}

describe('createIntegrations', () => {
  it('completes the options with the defaults of the specification', () => {
    const { settings } = createIntegrations({ ...options, limits: { files: 3 } })
    expect(settings.limits).toMatchObject({ files: 3, requestsPerMinute: 60, startsPerMinute: 10 })
    expect(settings.delivery).toMatchObject({ maxAttempts: 8, timeoutMs: 10_000 })
    expect(settings.productName).toBe('Service')
  })

  it.each([
    ['no storage', { storage: undefined }, /storage is missing/],
    ['no pipeline', { pipeline: undefined }, /pipeline needs two functions/],
    ['a pipeline without signDocumentUrl', { pipeline: { start: async () => {} } }, /signDocumentUrl/],
    ['no encryption key', { encryptionKeys: [] }, /encryptionKeys is empty/],
    ['no encryption keys at all', { encryptionKeys: undefined }, /encryptionKeys is empty/],
    ['a product name that no header can carry', { productName: 'Ac me' }, /header names/],
    ['a limit that does not exist', { limits: { filez: 1 } }, /limits\.filez is not an option.*files/],
    ['a limit that is not a number', { limits: { files: '5' } }, /limits\.files must be a number/],
    ['a negative timeout', { delivery: { timeoutMs: -1 } }, /delivery\.timeoutMs/],
  ])('refuses at boot: %s', (_, wrong, message) => {
    const create = () => createIntegrations({ ...options, ...wrong } as unknown as IntegrationsOptions)
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(message)
  })
})
