import type { Static, TSchema } from '@sinclair/typebox'

/** An event type with its description, the schema of its `data`, and an example. */
export interface EventDefinition<Data extends TSchema = TSchema> {
  /** One sentence for the event catalog and the API documentation. */
  readonly description: string
  /** The JSON Schema of `data`, an object. TypeBox infers its type; `Type.Unsafe<T>(schema)` sets your own. */
  readonly data: Data
  /** Sent by test deliveries and shown in the catalog. Checked against the schema at startup. */
  readonly example: Static<Data>
}

/** Event definitions, by type. */
export type EventDefinitions = Readonly<Record<string, EventDefinition>>

/** The events of a host that declares none. */
export type NoEvents = Readonly<Record<never, never>>

/** The `data` of an event type. */
export type EventDataOf<Events extends EventDefinitions, Type extends keyof Events> = Static<
  Events[Type]['data']
>

/**
 * Declares a host's event types (`project.created`) for `createIntegrations({ events })`. It only helps the compiler:
 * it checks each example against its schema, and keeps the types for `emit`.
 */
export function defineEvents<const Schemas extends Readonly<Record<string, TSchema>>>(
  events: {
    readonly [Type in keyof Schemas]: EventDefinition<Schemas[Type]>
  },
): { readonly [Type in keyof Schemas]: EventDefinition<Schemas[Type]> } {
  return events
}
