import { Uuid } from '@quickquote/core/internal'
import { Type } from '@sinclair/typebox'

/** The parameters of every session route. */
export const organizationParams = Type.Object({ organizationId: Uuid })
