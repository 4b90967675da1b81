export {
  type FastifyPortalOptions,
  PORTAL_FEATURES,
  type PortalBrand,
  type PortalFeature,
  type PortalMessage,
} from './options.ts'
export { fastifyPortal } from './plugin.ts'
