import { randomBytes, randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { encodeCursor } from '../src/lib/cursor.ts'
import { createKeyring } from '../src/lib/keyring.ts'
import { looksLikeApiKey } from '../src/model/api-key-value.ts'

it('no cursor looks like an API key, or a link to a next page would be refused (Authentication, rule 2)', () => {
  const keyring = createKeyring([{ id: 'test', key: randomBytes(32) }])
  const list = { name: 'quotations', organizationId: randomUUID() } as const
  const cursors = Array.from({ length: 30_000 }, (_, ordinal) =>
    encodeCursor(keyring, list, { ordinal, id: randomUUID() }),
  )
  expect(cursors.filter(looksLikeApiKey)).toEqual([])
})
