export type { DescribeMembers } from './answers/member-names.ts'
export { redactApiKeys } from './auth/key-in-url.ts'
export { requestSerializer } from './auth/request-log.ts'
export type { SessionResolver } from './auth/session-auth.ts'
export { answerFrameworkError } from './errors/error-handler.ts'
export type { RedisClient } from './limits/redis-counter.ts'
export type {
  ApiDocsBrand,
  ApiDocsLogo,
  ApiDocsOptions,
  Deprecation,
  FastifyIntegrationsOptions,
} from './options.ts'
export { fastifyIntegrations } from './plugin.ts'
export type { Access } from './route.ts'
