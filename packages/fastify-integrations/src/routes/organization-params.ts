import { Type, Uuid } from '@quickquote/core/internal'

/** The parameters of every session route. */
export const organizationParams = Type.Object({ organizationId: Uuid })
