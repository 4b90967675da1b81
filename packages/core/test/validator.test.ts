import { Type } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import { describe, expect, it, vi } from 'vitest'
import { IntegrationError } from '../src/lib/errors.ts'
import { validate, validateUrlPart } from '../src/lib/validator.ts'
import { DEFAULT_LIMITS } from '../src/model/limits.ts'
import { startQuotationBody } from '../src/model/quotation.ts'

const schema = startQuotationBody(DEFAULT_LIMITS)

function errorsOf(run: () => unknown) {
  try {
    run()
  } catch (error) {
    if (error instanceof IntegrationError) return error.errors
    throw error
  }
  throw new Error('nothing was refused')
}

describe('validation of a body', () => {
  it('coerces nothing', () => {
    expect(errorsOf(() => validate(schema, { name: 5, config_id: true, metadata: 'x' }))).toEqual([
      { pointer: '/name', detail: 'must be a string or null' },
      { pointer: '/config_id', detail: 'must be a string or null' },
      { pointer: '/metadata', detail: 'must be an object or null' },
    ])
  })

  it('accepts null for every optional field and keeps unknown fields', () => {
    const body = {
      name: null,
      description: null,
      config_id: null,
      requirementsText: null,
      metadata: null,
      other: 1,
    }
    expect(validate(schema, body)).toBe(body)
  })

  it('counts code points, not UTF-16 units', () => {
    expect(() => validate(schema, { name: '😀'.repeat(200) })).not.toThrow()
    expect(errorsOf(() => validate(schema, { name: '😀'.repeat(201) }))).toEqual([
      { pointer: '/name', detail: 'must have at most 200 characters' },
    ])
  })

  it.each([
    ['NUL', 'a\0b'],
    ['a lone surrogate', 'a\ud800b'],
  ])('refuses text with %s', (_, name) => {
    expect(errorsOf(() => validate(schema, { description: name }))).toEqual([
      { pointer: '/description', detail: 'must be text without NUL characters or lone surrogates' },
    ])
  })

  const inRange = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index)
  const refusedInNames = [
    ...inRange(0x00, 0x1f),
    ...inRange(0x7f, 0x9f),
    0x2028,
    0x2029,
    ...inRange(0x202a, 0x202e),
    ...inRange(0x2066, 0x2069),
    ...inRange(0xd800, 0xdfff),
  ]

  it('refuses in names exactly the characters of the decision', () => {
    const refused = inRange(0, 0x10ffff).filter((code) => {
      try {
        validate(schema, { name: `a${String.fromCodePoint(code)}b` })
        return false
      } catch {
        return true
      }
    })
    expect(refused).toEqual(refusedInNames)
    expect(errorsOf(() => validate(schema, { name: 'a\u202eb' }))).toEqual([
      { pointer: '/name', detail: expect.stringContaining('without control characters') },
    ])
  })

  it.each(['description', 'requirementsText'])(
    'accepts all characters but NUL and lone surrogates in %s',
    (field) => {
      for (const code of refusedInNames) {
        const text = `a${String.fromCodePoint(code)}b`
        const isTaken = code !== 0 && (code < 0xd800 || code > 0xdfff)
        const check = () => validate(schema, { [field]: text })
        if (isTaken) expect(check).not.toThrow()
        else expect(check).toThrow(IntegrationError)
      }
    },
  )

  it.each([[null], [[]], ['text'], [5]])('refuses %j instead of an object', (body) => {
    expect(errorsOf(() => validate(schema, body))).toEqual([{ pointer: '', detail: 'must be an object' }])
  })

  it('names a missing field by a JSON pointer', () => {
    const odd = Type.Object({ 'a/b~c': Type.String() })
    expect(errorsOf(() => validate(odd, {}))).toEqual([{ pointer: '/a~1b~0c', detail: 'is required' }])
  })

  it('never repeats a value, and reports at most twenty errors', () => {
    const many = Type.Array(Type.Integer())
    const errors = errorsOf(() =>
      validate(
        many,
        Array.from({ length: 100 }, () => 'pk_secret'),
      ),
    )
    expect(errors).toHaveLength(20)
    expect(JSON.stringify(errors)).not.toContain('pk_secret')
  })
})

it('compiles the same schema of several instances once, because ajv would keep each of them forever', () => {
  const compile = vi.spyOn(Ajv.prototype, 'compile')
  for (let instance = 0; instance < 3; instance += 1) {
    validate(Type.Object({ ofEachInstance: Type.String() }), { ofEachInstance: 'a' })
  }
  expect(compile).toHaveBeenCalledTimes(1)
  compile.mockRestore()
})

describe('validation of a query string', () => {
  const query = Type.Object({ limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }) })

  it('coerces, and fills in defaults', () => {
    expect(validateUrlPart(query, { limit: '20' }, '?')).toEqual({ limit: 20 })
    expect(validateUrlPart(query, {}, '?')).toEqual({ limit: 50 })
  })

  it.each([
    ['101', 'must be at most 100'],
    ['0', 'must be at least 1'],
    ['x', 'must be an integer'],
    ['NaN', 'must be an integer'],
    ['1e400', 'must be an integer'],
    ['Infinity', 'must be an integer'],
    ['-1e400', 'must be an integer'],
    ['-Infinity', 'must be an integer'],
    ['9'.repeat(400), 'must be an integer'],
    ['1.5', 'must be an integer'],
    ['0x10', 'must be an integer'],
    ['1e1', 'must be an integer'],
    ['2.0', 'must be an integer'],
    [' 2', 'must be an integer'],
    ['+2', 'must be an integer'],
    ['', 'must be an integer'],
  ])('limit=%s %s', (limit, detail) => {
    expect(errorsOf(() => validateUrlPart(query, { limit }, '?'))).toEqual([{ pointer: '?limit', detail }])
  })
})
