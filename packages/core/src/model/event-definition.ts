import type { Static, TSchema } from '@sinclair/typebox'

/** One event type: what it means, what its `data` holds, and an example of that. */
export interface EventDefinition<Data extends TSchema = TSchema> {
  /** Shown in the event catalog and in the API documentation: a sentence. */
  readonly description: string
  /** The JSON Schema of `data`, an object. TypeBox gives it a type, and `Type.Unsafe<T>(schema)` one of your own. */
  readonly data: Data
  /** Sent by test deliveries and shown in the catalog. It is checked against the schema when the host starts. */
  readonly example: Static<Data>
}

/** Event definitions by their types. */
export type EventDefinitions = Readonly<Record<string, EventDefinition>>

/** What a host has that declares no events of its own. */
export type NoEvents = Readonly<Record<never, never>>

/** What `data` of an event type holds. */
export type EventDataOf<Events extends EventDefinitions, Type extends keyof Events> = Static<
  Events[Type]['data']
>

/**
 * Declares event types of a host (`project.created`), to be given to `createIntegrations({ events })`. It changes
 * nothing: it has the compiler check each example against its schema, and keeps the types for `emit`.
 */
export function defineEvents<const Schemas extends Readonly<Record<string, TSchema>>>(
  events: {
    readonly [Type in keyof Schemas]: EventDefinition<Schemas[Type]>
  },
): { readonly [Type in keyof Schemas]: EventDefinition<Schemas[Type]> } {
  return events
}
