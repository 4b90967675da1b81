/** TypeBox, for the schemas of a host's events: this copy, so that the types match. */
export { Type } from '@sinclair/typebox'
