import { Type as Ours } from '@quickquote/core/internal'
import { Type as Theirs } from '@quickquote/core/typebox'
import { describe, expect, it } from 'vitest'

type Builders = typeof Ours

/** Schemas like ours, with each builder, its options, and what others contain. */
const SCHEMAS: Readonly<Record<keyof Builders, (Type: Builders) => object>> = {
  Array: (Type) => Type.Array(Type.String(), { maxItems: 3 }),
  Boolean: (Type) => Type.Boolean({ default: true }),
  Composite: (Type) =>
    Type.Composite(
      [
        Type.Object({ id: Type.String(), name: Type.Optional(Type.String()) }, { title: 'Part' }),
        Type.Object({ count: Type.Optional(Type.Integer()) }),
      ],
      { title: 'Whole' },
    ),
  Integer: (Type) => Type.Integer({ minimum: 1 }),
  Literal: (Type) => Type.Literal('true', { description: 'A constant.' }),
  Object: (Type) => Type.Object({ id: Type.String() }, { additionalProperties: false }),
  Optional: (Type) => Type.Object({ id: Type.Optional(Type.Unsafe(Type.Optional(Type.String()))) }),
  Partial: (Type) => Type.Partial(Type.Object({ id: Type.String() }, { title: 'A' }), { minProperties: 1 }),
  String: (Type) => Type.String({ format: 'uuid' }),
  Unsafe: (Type) => Type.Unsafe<string | null>({ type: ['string', 'null'] }),
}

describe('Our builders make the schemas of TypeBox', () => {
  it.each(Object.entries(SCHEMAS))('%s', (_, schema) => {
    expect(JSON.stringify(schema(Ours))).toBe(JSON.stringify(schema(Theirs)))
  })

  it('and know its optional properties, as TypeBox knows ours', () => {
    const mixed = (Outer: Builders, Inner: Builders) =>
      JSON.stringify(Outer.Object({ id: Outer.String(), name: Inner.Optional(Inner.String()) }))
    expect(mixed(Ours, Theirs)).toBe(mixed(Theirs, Theirs))
    expect(mixed(Theirs, Ours)).toBe(mixed(Theirs, Theirs))
  })
})
