import { describe, expect, it } from 'vitest'
import { isUuid, ownedBy, requireFound } from '../src/lib/tenancy.ts'

const ACME = '0192f0c4-0000-7000-8000-00000000000a'
const GLOBEX = '0192f0c4-0000-7000-8000-00000000000b'

describe('ownedBy: the owner of a row', () => {
  it.each([
    ['the organization’s own', { organization_id: ACME, found: 'row' }, ACME, 'row'],
    ['its own, with the id in capitals', { organization_id: ACME, found: 'row' }, ACME.toUpperCase(), 'row'],
    ['its own, stored in capitals', { organization_id: ACME.toUpperCase(), found: 'row' }, ACME, 'row'],
    ['another one’s', { organization_id: GLOBEX, found: 'row' }, ACME, 'other_organization'],
    ['nobody’s', undefined, ACME, 'unknown'],
  ])('%s', (_, row, organizationId, expected) => {
    expect(ownedBy(row, organizationId)).toBe(expected)
  })
})

describe('requireFound', () => {
  it('returns what was found', () => {
    const found = { id: ACME }
    expect(requireFound(found, 'QUOTATION_NOT_FOUND')).toBe(found)
  })

  it.each([
    ['unknown', 'QUOTATION_NOT_FOUND'],
    [null, 'QUOTATION_NOT_FOUND'],
    ['other_organization', 'OTHER_ORGANIZATION'],
  ] as const)('throws for %s', (result, code) => {
    expect(() => requireFound(result, 'QUOTATION_NOT_FOUND')).toThrow(expect.objectContaining({ code }))
  })
})

describe('isUuid', () => {
  it.each([ACME, ACME.toUpperCase()])('accepts %s', (id) => {
    expect(isUuid(id)).toBe(true)
  })

  it.each([
    '',
    'x',
    `${ACME}0`,
    `0${ACME}`,
    ACME.replaceAll('-', ''),
    ACME.replace('a', 'g'),
    `{${ACME}}`,
    `${ACME}\n`,
  ])('refuses %j', (id) => {
    expect(isUuid(id)).toBe(false)
  })

  it.each([0, 1, 2, 3, 4])('refuses an id whose part %i is too short', (part) => {
    const parts = ACME.split('-')
    parts[part] = (parts[part] ?? '').slice(1)
    expect(isUuid(parts.join('-'))).toBe(false)
  })
})
