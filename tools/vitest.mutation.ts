import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** The tests run on mutants (stryker.json): those without a database, on sources instead of builds. */
export default defineConfig({
  resolve: {
    alias: ['index', 'internal'].map((door) => ({
      find: door === 'index' ? /^@quickquote\/core$/ : '@quickquote/core/internal',
      replacement: fileURLToPath(new URL(`../packages/core/src/${door}.ts`, import.meta.url)),
    })),
  },
  test: {
    testTimeout: 120_000,
    include: [
      'packages/core/test/{api-key,progress,delivery,address-guard,session,scope}.test.ts',
      'packages/delivery-worker/test/checked-lookup.test.ts',
      'packages/fastify-integrations/test/{memory-counter,redis-counter,rate-limit-hooks}.test.ts',
    ],
  },
})
